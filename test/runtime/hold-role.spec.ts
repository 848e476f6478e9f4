import { expect } from 'chai';
import { memoryLeases, type MemoryLeaseData } from '#test/doubles/memory/leases.ts';
import { simulate, type Simulation } from '#test/doubles/memory/simulated.ts';
import { Fenced } from '#src/ports/checkpoint-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { holdRole, type HeldRole } from '#src/runtime/hold-role.ts';

describe('a role that one process holds', () => {
  let world: Simulation;
  let data: MemoryLeaseData;
  let diary: string[];
  let away: boolean;

  beforeEach(() => {
    world = simulate(7);
    [data, diary, away] = [new Map() as MemoryLeaseData, [], false];
  });

  /** A process that writes into the diary while it works. Its renewals stop when it hangs. */
  function processNamed(name: string, { fails }: { fails?: () => Error | undefined } = {}) {
    const { scheduler } = world;
    const inner = memoryLeases(scheduler, data);
    const state = { hangs: false };
    const leases = {
      ...inner,
      acquire: async (...asked: Parameters<typeof inner.acquire>) => {
        if (away) throw new Unavailable('away');
        return inner.acquire(...asked);
      },
      renew: async (...asked: Parameters<typeof inner.renew>) => {
        if (away) throw new Unavailable('away');
        if (state.hangs) await scheduler.sleep(1_000_000);
        return inner.renew(...asked);
      },
    };
    const role: HeldRole = holdRole({
      ...{ name: 'projector', holder: name, leases, scheduler },
      onFault: (error) => diary.push(`${name} fault ${String(error)}`),
      begin: async (fence) => {
        diary.push(`${name} begins ${String(fence)}`);
        let stopped = false;
        return {
          async run() {
            while (!stopped) {
              await scheduler.sleep(100);
              const fault = fails?.();
              if (fault !== undefined) throw fault;
            }
          },
          async stop() {
            if (!stopped) diary.push(`${name} stops`);
            stopped = true;
          },
        };
      },
    });
    const running = role.run();
    return { role, running, state };
  }
  const pass = (ms: number) => world.run(world.scheduler.sleep(ms));

  it('is done by one of two, and by the other at once when the first ends in good order', async () => {
    const one = processNamed('one');
    await pass(100);
    const two = processNamed('two');
    await pass(20_000);
    expect(diary).to.deep.equal(['one begins 1']);
    expect([one.role.isHeld(), two.role.isHeld()]).to.deep.equal([true, false]);

    await world.run(one.role.stop());
    await pass(1000);
    expect(diary).to.deep.equal(['one begins 1', 'one stops', 'two begins 2']);
    await world.run(two.role.stop());
  });

  it('is taken over within ten seconds from one that does not renew it', async () => {
    const one = processNamed('one');
    await pass(3000);
    const two = processNamed('two');
    await pass(3000);
    one.state.hangs = true;
    await pass(10_000);
    expect(diary.at(-1)).to.equal('two begins 2');
    await world.run(two.role.stop());
  });

  it('is given up by one that cannot reach the leases, before another can have it', async () => {
    const one = processNamed('one');
    await pass(2000);
    const two = processNamed('two');
    await pass(2000);
    away = true;
    await pass(4990);
    expect(diary).to.deep.equal(['one begins 1', 'one stops']);
    away = false;
    await pass(10_000);
    expect(diary.filter((line) => line.includes('begins'))).to.have.length(2);
    await world.run(Promise.all([one.role.stop(), two.role.stop()]));
  });

  it('goes on after a fault, which is told; to be fenced off is none', async () => {
    const faults = [new Error('poison'), new Fenced('checkpoint', 1)];
    const { role } = processNamed('one', { fails: () => faults.shift() });
    await pass(5000);
    expect(diary).to.deep.equal([
      'one begins 1',
      'one fault Error: poison',
      'one stops',
      'one begins 2',
      'one stops',
      'one begins 3',
    ]);
    await world.run(role.stop());
  });
});
