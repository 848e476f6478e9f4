import { expect } from 'chai';
import {
  memoryClusterMessages,
  type MemoryNoticeData,
} from '#test/doubles/memory/cluster-messages.ts';
import { simulate, type Simulation } from '#test/doubles/memory/simulated.ts';
import { Unavailable } from '#src/ports/errors.ts';
import {
  announceProcess,
  type LiveProcess,
  type LiveProcesses,
} from '#src/runtime/live-processes.ts';

describe('live processes', () => {
  let world: Simulation;
  let data: MemoryNoticeData;
  let running: LiveProcesses[];
  const seen = new Map<string, readonly string[]>();
  const pass = (ms: number) => world.run(world.scheduler.sleep(ms));

  beforeEach(() => {
    world = simulate(5);
    data = new Map();
    running = [];
    seen.clear();
  });
  afterEach(async () => {
    const stopped = Promise.all(running.map((one) => one.stop()));
    await world.run(stopped);
  });

  function start(id: string, { release = 'r1', logId = 'log', posts = { fail: false } } = {}) {
    const self: LiveProcess = { id, host: '10.0.0.1', port: 4000, release };
    const inner = memoryClusterMessages(world.scheduler, data);
    const messages: typeof inner = {
      ...inner,
      async post(...posted) {
        if (posts.fail) throw new Unavailable('away');
        return inner.post(...posted);
      },
    };
    const one = announceProcess({
      ...{ messages, logId, scheduler: world.scheduler, self },
      onLook: (others) => seen.set(id, others.map((other) => other.id).sort()),
    });
    running.push(one);
    return { ...one, self };
  }

  it('find each other within two seconds', async () => {
    for (const id of ['a', 'b', 'c']) start(id);
    await pass(2000);
    expect(Object.fromEntries(seen)).to.deep.equal({ a: ['b', 'c'], b: ['a', 'c'], c: ['a', 'b'] });
  });

  it('are those whose announcements change, by the clock of the reader', async () => {
    const posts = { fail: false };
    start('a');
    start('b', { posts });
    await pass(2000);
    posts.fail = true;
    await pass(2000);
    expect(seen.get('a')).to.deep.equal(['b']); // It may be slow.
    await pass(2000);
    expect(seen.get('a')).to.deep.equal([]);
    posts.fail = false;
    await pass(1000);
    expect(seen.get('a')).to.deep.equal(['b']);
  });

  it('are gone at once when they withdraw', async () => {
    start('a');
    const b = start('b');
    await pass(2000);
    await world.run(b.withdraw());
    await pass(1000);
    expect(seen.get('a')).to.deep.equal([]);
  });

  it('are of the same log and the same release', async () => {
    start('a');
    start('b', { release: 'r2' });
    start('c', { logId: 'another' });
    await pass(3000);
    expect([...seen.values()].flat()).to.deep.equal([]);
  });

  it('take the slots of dead ones, and never keep one together', async () => {
    const dead = JSON.stringify({ id: 'dead', host: 'h', port: 1, release: 'r1', beats: 7 });
    for (let n = 0; n < 64; n += 1) data.set(`processes/log/${n}`, { text: dead, fence: 0 });
    const ids = Array.from({ length: 40 }, (_, n) => `p${n}`);
    for (const id of ids) start(id);
    await pass(5000);
    expect([...seen.values()].flat()).to.deep.equal([]); // Nothing says yet that the slots are free.
    await pass(30_000);
    for (const id of ids) expect(seen.get(id)).to.have.length(39);
    expect(data.size).to.equal(64);
  });
});
