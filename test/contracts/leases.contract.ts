import { expect } from 'chai';
import type { Lease, Leases } from '#src/ports/leases.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { newName } from './samples.ts';

/** What every kind of leases promises. Each call opens those of one more process, by a watch that it is given. */
export function leasesContract(open: (scheduler: Scheduler) => Promise<Leases>): void {
  let name: string;
  let nowMs: number;
  let all: Leases[];

  /** A process with a watch of its own: one that starts anywhere, and that the test moves. */
  const process = async (startMs = 0): Promise<Leases> => {
    const leases = await open({
      sleep: async () => {},
      yield: async () => {},
      elapsedMs: () => startMs + nowMs,
      random: () => 0,
    });
    all.push(leases);
    return leases;
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };

  beforeEach(() => {
    name = newName();
    nowMs = 0;
    all = [];
  });
  afterEach(() => Promise.all(all.map((leases) => leases.close())));

  it('are free at first, and then their holder’s', async () => {
    const [one, two] = [await process(), await process(5000)];
    expect(await one.acquire(name, 'one', 1000)).to.deep.equal({ name, holder: 'one', fence: 1 });
    expect(await two.acquire(name, 'two', 1000)).to.equal(undefined);
    expect(await two.acquire(newName(), 'two', 1000)).to.include({ fence: 1 });
  });

  it('go to exactly one of many who ask at once', async () => {
    const many = await Promise.all(Array.from({ length: 8 }, (_, n) => process(n * 1000)));
    const contend = async () => {
      const asked = await Promise.all(many.map((each, n) => each.acquire(name, String(n), 1000)));
      return asked.filter((lease) => lease !== undefined);
    };
    expect(await contend()).to.have.length(1);
    expect(await contend()).to.deep.equal([]);
    pass(1000);
    const [next, ...others] = await contend();
    expect(next).to.include({ fence: 2 });
    expect(others).to.deep.equal([]);
  });

  it('are taken at once from a holder that is known to be gone, and from no other', async () => {
    const [one, two] = [await process(), await process()];
    const lease = await taken(one, 'one');
    expect(await two.acquire(name, 'two', 1000, (holder) => holder === 'nobody')).to.equal(
      undefined,
    );
    const next = await two.acquire(name, 'two', 1000, (holder) => holder === 'one');
    expect(next).to.include({ fence: 2 });
    expect(await one.renew(lease)).to.equal(false);
  });

  it('stay with whoever renews them, for as long as it does', async () => {
    const [one, two] = [await process(), await process()];
    const lease = await taken(one, 'one');
    for (let beat = 0; beat < 5; beat += 1) {
      expect(await two.acquire(name, 'two', 1000)).to.equal(undefined);
      pass(900);
      expect(await one.renew(lease)).to.equal(true);
    }
  });

  it('are taken over by one who saw them unrenewed for as long as was given, and not before', async () => {
    const [one, two] = [await process(), await process(77_000)];
    await taken(one, 'one');
    pass(60_000); // Nobody looked: it does not count.
    expect(await two.acquire(name, 'two', 1000)).to.equal(undefined);
    pass(999);
    expect(await two.acquire(name, 'two', 1000)).to.equal(undefined);
    pass(1);
    expect(await two.acquire(name, 'two', 1000)).to.deep.equal({ name, holder: 'two', fence: 2 });
  });

  it('say to whoever lost them that another has them', async () => {
    const [one, two] = [await process(), await process()];
    const lost = await taken(one, 'one');
    await two.acquire(name, 'two', 10);
    pass(10);
    const held = (await two.acquire(name, 'two', 10))!;

    expect(await one.renew(lost)).to.equal(false);
    await one.release(lost); // It is not its to release.
    expect(await one.acquire(name, 'one', 1000)).to.equal(undefined);
    expect(await two.renew(held)).to.equal(true);
  });

  it('are free at once when they are released, and their number goes on', async () => {
    const [one, two] = [await process(), await process()];
    const lease = await taken(one, 'one');
    await one.release(lease);
    expect(await one.renew(lease)).to.equal(false);
    expect(await two.acquire(name, 'two', 1000)).to.include({ fence: 2 });
    expect(await one.renew(lease)).to.equal(false);
  });

  it('count from anew when another holder came in between', async () => {
    const [one, two, three] = [await process(), await process(), await process()];
    await taken(one, 'one');
    await three.acquire(name, 'three', 1000);
    await two.acquire(name, 'two', 500);
    pass(999);
    expect(await two.acquire(name, 'two', 500)).to.include({ fence: 2 });
    pass(1);
    expect(await three.acquire(name, 'three', 1000)).to.equal(undefined);
    pass(1000);
    expect(await three.acquire(name, 'three', 1000)).to.include({ fence: 3 });
  });

  async function taken(leases: Leases, holder: string): Promise<Lease> {
    const lease = await leases.acquire(name, holder, 1000);
    expect(lease).to.include({ name, holder });
    return lease!;
  }
}
