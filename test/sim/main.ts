import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { play, type Run } from './play.ts';

type Task = Readonly<{ seed: number; steps: number }>;

if (isMainThread) await lead();
else parentPort?.on('message', ({ seed, steps }: Task) => void follow(seed, steps));

/** Shares the seeds among threads; a seed's run does not know of it. */
async function lead(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      steps: { type: 'string', default: '5000' },
      /** Ends with the first failure. */
      bail: { type: 'boolean', default: false },
    },
  });
  const [first, count, steps] = [Number(values.seed), Number(values.seeds), Number(values.steps)];
  const startedMs = performance.now();
  let next = first;
  let [passed, failed] = [0, 0];

  const work = async (): Promise<void> => {
    const worker = new Worker(new URL(import.meta.url));
    while (next < first + count && !(values.bail && failed > 0)) {
      const run = await ask(worker, { seed: next++, steps });
      describe(run, steps);
      if (run.failure === undefined) passed += 1;
      else failed += 1;
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(count, availableParallelism()) }, work));
  console.log(`${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function ask(worker: Worker, task: Task): Promise<Run> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once('message', resolve).once('error', reject);
    worker.postMessage(task);
  });
}

async function follow(seed: number, steps: number): Promise<void> {
  parentPort?.postMessage(await play(seed, steps));
}

function describe({ seed, failure, ...run }: Run, steps: number): void {
  const { answers, reads, ends, refusals, ...numbers } = run;
  const told = Object.entries({ ...numbers, ...answers, ...reads, ...ends });
  const summary = told.map(([name, value]) => `${name} ${value}`).join(', ');
  console.log(`seed ${seed}: ${failure ? 'FAILED' : 'ok'}, ${summary}`);
  if (process.env['SIM_REFUSALS'] !== undefined) console.log(refusals);
  if (failure === undefined) return;
  console.log(`  step ${failure.step}: ${failure.problem}`);
  for (const line of failure.trace) console.log(`    ${line}`);
  console.log(`  replay: npm run sim -- --seed ${seed} --steps ${steps}`);
}
