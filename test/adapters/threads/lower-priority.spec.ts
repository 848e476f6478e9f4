import { expect } from 'chai';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const MODULE = new URL('../../../src/adapters/threads/lower-priority.ts', import.meta.url).href;

describe('the priority of a thread', () => {
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  it('is lowered alone: the others of its process keep theirs', async () => {
    const own = niceIn(readFileSync('/proc/self/stat', 'utf8'));
    const source = `
      import { readFileSync } from 'node:fs';
      import { parentPort } from 'node:worker_threads';
      import { lowerPriority } from '${MODULE}';
      lowerPriority();
      parentPort.postMessage(readFileSync('/proc/thread-self/stat', 'utf8'));`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
    const [stat] = (await once(worker, 'message')) as [string];
    await worker.terminate();
    expect(niceIn(stat)).to.equal(Math.max(own, 10));
    expect(niceIn(readFileSync('/proc/self/stat', 'utf8'))).to.equal(own);
  });
});

const niceIn = (stat: string): number =>
  Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
