import { expect } from 'chai';
import { createIds, systemClock, systemIds } from '#src/adapters/system.ts';
import { seededRandom } from '#test/doubles/memory/simulated.ts';
import { parseUuid, partId, wholeId, type Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';

describe('ids', () => {
  const v7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const timeOf = (id: Uuid) => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

  /** A source of ids whose clock shows, one after the other, what it is given, and then the last for ever. */
  function idsAt(...ms: number[]) {
    let shown = 0;
    const clock = { now: () => ((ms[shown++] ?? ms.at(-1) ?? 0) * 1000 + 999) as Micros };
    return createIds(clock, (pool) => pool.fill(0xff));
  }

  it('are UUIDs of version 7 in canonical form, with the time in front', () => {
    const ids = systemIds();
    const before = Math.floor(systemClock.now() / 1000);
    const id = ids.next();
    expect(id).to.match(v7).and.equal(parseUuid(id));
    expect(timeOf(id)).to.be.within(before, Math.floor(systemClock.now() / 1000));
  });

  it('have every bit where RFC 9562 wants it', () => {
    const ids = idsAt(0x017f22e279b0, 0x017f22e279b0, 0x017f22e279b1);
    expect(ids.next()).to.equal('017f22e2-79b0-7000-bfff-ffffffffffff');
    expect(ids.next()).to.equal('017f22e2-79b0-7001-bfff-ffffffffffff');
    expect(ids.nextWhole()).to.equal('017f22e2-79b1-7000-bfff-ffffffff0000');
  });

  it('grow, more of them in a millisecond than the counter holds', () => {
    const ids = idsAt(1000);
    const minted = Array.from({ length: 3 * 4096 }, (_, n) =>
      n % 3 === 0 ? ids.nextWhole() : ids.next(),
    );
    expect(minted).to.deep.equal([...new Set(minted)].sort());
    expect(timeOf(minted.at(-1)!)).to.equal(1002);
  });

  it('grow when the clock steps back', () => {
    const ids = idsAt(1000, 500, 500, 1001);
    const minted = [ids.next(), ids.next(), ids.nextWhole(), ids.next()];
    expect(minted).to.deep.equal([...new Set(minted)].sort());
    expect(minted.map(timeOf)).to.deep.equal([1000, 1000, 1000, 1001]);
  });

  it('differ between sources that mint at the same moment', () => {
    const minted = [systemIds(), systemIds()].flatMap((ids) =>
      Array.from({ length: 5000 }, () => ids.next()),
    );
    expect(new Set(minted)).to.have.property('size', minted.length);
  });

  it('are the same again from the same clock and seed', () => {
    const play = (seed: number) => {
      const random = seededRandom(seed);
      const fill = (pool: Uint8Array) => pool.forEach((_, at) => (pool[at] = random() * 256));
      const ids = createIds({ now: () => 1_000_000 as Micros }, fill);
      return Array.from({ length: 5000 }, () => ids.next());
    };
    expect(play(1)).to.deep.equal(play(1)).and.not.deep.equal(play(2));
  });

  it('of a whole end in 16 zero bits, which its parts fill', () => {
    const whole = systemIds().nextWhole();
    expect(whole).to.match(v7);
    expect(wholeId(partId(whole, 7))).to.equal(whole);
  });

  it('of a name are UUIDs of version 5: the example of RFC 9562, appendix A.4', () => {
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8' as Uuid;
    expect(systemIds().named(dns, 'www.example.com')).to.equal(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    );
  });

  it('of a name are well formed for every name', () => {
    const ids = systemIds();
    const namespace = ids.next();
    const named = Array.from({ length: 200 }, (_, n) => ids.named(namespace, `name ${n} é`));
    for (const id of named) {
      expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    expect(new Set(named)).to.have.property('size', 200);
    expect(ids.named(namespace, 'name 7 é')).to.equal(named[7]);
  });
});
