import { createHash } from 'node:crypto';
import { Books } from './books.ts';
import { createRandom } from './random.ts';
import { formatInstant } from '#src/kernel/instant.ts';
import { DecisionOracle } from './decision-oracle.ts';
import { LogOracle } from './log-oracle.ts';
import { startClients } from './clients.ts';
import { startConsumers } from './consumers.ts';
import { DeliveryOracle } from './delivery-oracle.ts';
import { StreamBooks } from './stream-books.ts';
import { HolderBooks } from './holder-books.ts';
import { FeeBooks } from './fee-books.ts';
import { SimApi } from './api.ts';
import { SimScheduler, quiet } from './scheduler.ts';
import { idOf } from './publishing.ts';
import { startProcess, stackOf, type Process } from './process.ts';
import { verify } from './verify.ts';
import { createFaults } from './faults.ts';
import { createDisks, type Planted, type World } from './world.ts';

export type Run = Readonly<{
  seed: number;
  steps: number;
  /** Hash of the whole log and of every answer: equal for equal seeds, whatever the machine. */
  digest: string;
  events: number;
  /** Records that the broker has, and how many of them came again. */
  published: number;
  repeated: number;
  answers: Readonly<Record<string, number>>;
  reads: Readonly<Record<string, number>>;
  /** What transactions over several ledgers came to, exceptions from blocks, and what followed routes. */
  ends: Readonly<Record<string, number>>;
  refusals: Readonly<Record<string, number>>;
  crashes: number;
  failure?: Readonly<{ step: number; problem: string; trace: readonly string[] }>;
}>;

const CLIENTS = 8;
const CONSUMERS = 2;

/** Plays one seed: some steps in all weathers, then calm until everybody has an answer, then the full check. */
export async function play(seed: number, steps: number, planted: Planted = {}): Promise<Run> {
  const random = createRandom(seed);
  const simScheduler = new SimScheduler(random);
  const exclusive = seed % 2 === 0;
  const digest = createHash('sha256');
  const trace: string[] = [];
  let step = 0;
  let problem: string | undefined;
  let crashes = 0;

  const fail = (what: string): void => void (problem ??= what);
  const simFaults = createFaults(simScheduler, random, { late: !exclusive });
  const deliveries = new DeliveryOracle({
    ...{ isAlone: exclusive, latestShown: simFaults.latestShown, fail },
  });
  const world: World = {
    random,
    simScheduler,
    simFaults,
    deliveries,
    streams: seed % 4 === 1 || seed % 4 === 2,
    holders: new Set(),
    ...createDisks(),
    contended: new Set(),
    answering: new Map(),
    reads: { seen: 0, early: 0 },
    exclusive,
    planted,
    note(line) {
      trace.push(`${step}: ${line}`);
      if (trace.length > TRACE_LINES * 2) trace.splice(0, TRACE_LINES);
    },
    fail,
    answered: (line) => digest.update(line).update('\n'),
  };
  const fees = new FeeBooks({
    nowMs: () => simScheduler.nowMs,
    submissionOf: (requestId, journal) => decisions.submissionOf(requestId, journal),
  });
  const books = new Books(fees, new HolderBooks(() => simScheduler.nowMs), new StreamBooks());
  const logOracle = new LogOracle(world.log, (event) => {
    decisions.take(event);
    api.take(event);
    books.take(event);
    digest.update(event.stored.id).update(event.stored.metadata).update(event.stored.data);
  });
  const decisions = new DecisionOracle(logOracle, () => ({
    nowMs: simScheduler.nowMs,
    instant: formatInstant(world.simFaults.clock.now()),
  }));
  const api = new SimApi(world, { log: logOracle, decisions, books });

  /** One process, or two that know of each other only by the log. */
  const running: (Process | undefined)[] = Array.from({ length: exclusive ? 1 : 2 });
  const restartAt = running.map(() => 0);
  const processes = (): readonly Process[] => running.filter((one) => one !== undefined);
  const crash = (slot: number): void => {
    const victim = running[slot];
    if (victim === undefined) return;
    victim.crash();
    world.note(`${victim.name} crashed`);
    running[slot] = undefined;
    restartAt[slot] = step + 1 + random.below(40);
    crashes += 1;
  };
  const startAll = (): void => {
    for (const [slot, one] of running.entries()) {
      if (one !== undefined || step < (restartAt[slot] ?? 0)) continue;
      const name = `p${slot + 1}-${crashes}`;
      running[slot] = startProcess(world, { decisions, streams: books.streams }, name, slot === 0);
      world.note(`${name} started`);
    }
  };

  const turn = async (): Promise<void> => {
    step += 1;
    world.simFaults.turn();
    startAll();
    const who = simScheduler.step();
    await quiet();
    try {
      logOracle.follow();
    } catch (error) {
      world.fail(stackOf(error));
    }
    if (who === undefined && processes().length === running.length)
      world.fail('Nobody waits for anything: the world stands still');
  };
  const until = async (
    done: () => boolean,
    stepsMax: number,
    what: () => string,
  ): Promise<void> => {
    for (let n = 0; !done() && problem === undefined; n += 1) {
      if (n >= stepsMax) world.fail(`${stepsMax} calm steps were not enough: ${what()}`);
      else await turn();
    }
  };

  const unhandled = (error: unknown): void => world.fail(`Unhandled rejection: ${stackOf(error)}`);
  process.on('unhandledRejection', unhandled);
  try {
    const clients = startClients(CLIENTS, { world, api, books, processes });
    const consumers = startConsumers(world.streams ? CONSUMERS : 0, {
      ...{ world, books: books.streams, processes },
    });
    while (step < steps && problem === undefined) {
      if (random.oneIn(CRASH_ONE_IN)) crash(random.below(running.length));
      if (random.oneIn(THREAD_CRASH_ONE_IN)) running[random.below(running.length)]?.crashThread();
      await turn();
    }
    world.simFaults.calm();
    world.note('calm');
    clients.rest();
    consumers.rest();
    const waiting = (): string => api.open.map(({ requestId }) => requestId).join(', ');
    await until(
      () => clients.busy().length === 0,
      CALM_STEPS_MAX,
      () => `no answer to ${waiting()}`,
    );

    if (problem === undefined) {
      for (const slot of running.keys()) crash(slot);
      for (const slot of running.keys()) restartAt[slot] = 0;
      startAll();
      const check = verify({
        world,
        logOracle,
        books,
        decisions,
        api,
        processes,
        clients,
      });
      let verified = false;
      void check.then(
        () => (verified = true),
        (error: unknown) => world.fail(stackOf(error)),
      );
      await until(
        () => verified,
        CALM_STEPS_MAX * 4,
        () => 'the final check still waits',
      );
    }
  } finally {
    process.off('unhandledRejection', unhandled);
  }
  return {
    seed,
    steps: step,
    digest: digest.digest('hex').slice(0, 16),
    events: world.log.readAll('' as never, 1e9).length,
    published: world.arrived.length,
    repeated: world.arrived.length - new Set(world.arrived.map(idOf)).size,
    answers: api.counts,
    reads: world.reads,
    ends: { ...endsOf(books), ...(world.streams && streamsOf(world, books)) },
    refusals: Object.fromEntries(api.refusals),
    crashes,
    ...(problem !== undefined && { failure: { step, problem, trace: trace.slice(-TRACE_LINES) } }),
  };
}

function endsOf({ groups, ledgers, fees, holders }: Books): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const group of groups.values()) {
    const { action, status, revertedGroupId, parts } = group.record;
    const what = `${revertedGroupId === undefined ? action : 'reversal'} ${status.toLowerCase()}`;
    counts[what] = (counts[what] ?? 0) + 1;
    if (!parts.some(({ ledgerId }) => ledgers.get(ledgerId)?.routed)) continue;
    counts[`${what} along routes`] = (counts[`${what} along routes`] ?? 0) + 1;
  }
  const exceptions = [...ledgers.values()].flatMap((of) => [...of.exceptions.values()]);
  const used = exceptions.filter(({ usedBy }) => usedBy !== undefined);
  const byGroups = used.filter(({ usedBy }) => usedBy === 'group');
  counts['exceptions granted'] = exceptions.length;
  counts['exceptions used'] = used.length;
  counts['exceptions used by groups'] = byGroups.length;
  const routed = [...ledgers.values()].flatMap((of) =>
    of.routed ? [...of.transactions.values()] : [],
  );
  counts['along routes'] = routed.length;
  counts['held along routes'] = routed.filter(({ images }) => {
    return images[0]?.record.status === 'PENDING';
  }).length;
  return { ...counts, ...fees.counts, ...holders.counts };
}

const streamsOf = (
  { deliveries }: World,
  { streams }: Books,
): Readonly<Record<string, number>> => ({
  subscriptions: streams.streams.size,
  delivered: deliveries.total,
  'delivered again': deliveries.repeated,
  replays: streams.completed,
});

const TRACE_LINES = 40;
const CRASH_ONE_IN = 300;
const THREAD_CRASH_ONE_IN = 400;
const CALM_STEPS_MAX = 50_000;
