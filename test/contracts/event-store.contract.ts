import { expect } from 'chai';
import { systemClock } from '#src/adapters/system.ts';
import { NONE, parseUuid } from '#src/kernel/ids.ts';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import { Unavailable } from '#src/ports/errors.ts';
import {
  START,
  WrongExpectedRevision,
  type EventStore,
  type NewEvent,
  type Position,
  type StoredEvent,
  type LogSubscription,
} from '#src/ports/event-store.ts';
import { until } from '#test/support/server.ts';
import { happened, newName, readOn, whatOf } from './samples.ts';

/**
 * What every event store promises. A new adapter is done when this suite is green on it. The log may be
 * shared with others: every test reads its own streams, or from a position it wrote itself.
 */
export function eventStoreContract(open: () => Promise<EventStore>): void {
  let store: EventStore;
  let stream: string;

  beforeEach(async () => {
    store = await open();
    stream = newName();
  });
  afterEach(() => store.close());

  const all = (name = stream) => store.read(name, 0, 1000);
  const told = async (name = stream) => (await all(name)).map(whatOf);

  it('names its log by a UUID', () => {
    expect(parseUuid(store.logId)).to.equal(store.logId);
  });

  it('answers the event at a position, and none where there is no such place', async () => {
    const first = await store.append(stream, [happened('a'), happened('b')], NONE);
    const [a, b] = await all();
    expect(await store.at(a!.position)).to.deep.equal(a);
    expect(await store.at(first.position)).to.deep.equal(b);
    expect(await store.at(START)).to.equal(undefined);
    const beyond = String(BigInt(await store.end()) + 1_000_000n);
    expect(await store.at(beyond.padStart(first.position.length, '0') as Position)).to.equal(
      undefined,
    );
  });

  describe('append', () => {
    it('starts a stream that does not exist, and numbers it from 0 without gaps', async () => {
      const first = await store.append(stream, [happened('a'), happened('b')], NONE);
      const second = await store.append(stream, [happened('c')], first.revision);

      expect([first.revision, second.revision]).to.deep.equal([1, 2]);
      expect((await all()).map(({ revision }) => revision)).to.deep.equal([0, 1, 2]);
      expect(await told()).to.deep.equal(['a', 'b', 'c']);
    });

    it('answers the place of its last event', async () => {
      const appended = await store.append(stream, [happened('a'), happened('b')], NONE);
      const last = (await all()).at(-1);
      expect({ revision: last?.revision, position: last?.position }).to.deep.equal(appended);
    });

    it('lets exactly one of two writers with the same expected revision win', async () => {
      const races = ['a', 'b'].map((what) => store.append(stream, [happened(what)], NONE));
      const lost = (await Promise.allSettled(races)).filter(({ status }) => status === 'rejected');

      expect(lost).to.have.length(1);
      expect(lost[0]).to.have.property('reason').that.is.instanceOf(WrongExpectedRevision);
      expect(await all()).to.have.length(1);
    });

    for (const { when, expected, actual } of [
      { when: 'behind the stream', expected: 0, actual: 2 },
      { when: 'ahead of it', expected: 5, actual: 2 },
      { when: 'that of a new stream', expected: NONE, actual: 2 },
    ]) {
      it(`writes nothing when the expected revision is ${when}, and says where it is`, async () => {
        await store.append(stream, ['a', 'b', 'c'].map(happened), NONE);
        const refused = await rejection(
          store.append(stream, [happened('x'), happened('y')], expected),
        );

        expect(refused).to.be.instanceOf(WrongExpectedRevision).and.include({ expected, actual });
        expect(await told()).to.deep.equal(['a', 'b', 'c']);
      });
    }

    it('refuses to go on with a stream that does not exist', async () => {
      const refused = await rejection(store.append(stream, [happened('x')], 0));
      expect(refused).to.be.instanceOf(WrongExpectedRevision).and.include({ actual: NONE });
      expect(await all()).to.have.length(0);
    });

    it('takes a repeated append once, because event ids are the idempotency key', async () => {
      const events = [happened('a'), happened('b')];
      const first = await store.append(stream, events, NONE);
      const again = await store.append(stream, events, NONE);

      expect(again).to.deep.equal(first);
      expect(await told()).to.deep.equal(['a', 'b']);
    });

    it('answers a repeated append with its first outcome, also after others', async () => {
      await store.append(stream, [happened('a')], NONE);
      const events = [happened('b'), happened('c')];
      const first = await store.append(stream, events, 0);
      await store.append(stream, [happened('d')], 2);

      expect(await store.append(stream, events, 0)).to.deep.equal(first);
      expect(await told()).to.deep.equal(['a', 'b', 'c', 'd']);
    });

    it('does not take an append for a repeated one when only some of its ids are known', async () => {
      const [a, b] = [happened('a'), happened('b')];
      await store.append(stream, [a, b], NONE);

      for (const events of [
        [a, happened('x')],
        [happened('x'), b],
        [a, b, happened('x')],
      ]) {
        const refused = await rejection(store.append(stream, events, NONE));
        expect(refused).to.be.instanceOf(WrongExpectedRevision);
      }
      expect(await told()).to.deep.equal(['a', 'b']);
    });

    it("fails no other stream's append that travels with one in conflict", async () => {
      const others = [newName(), newName()] as const;
      await store.append(stream, [happened('a')], NONE);
      const [left, conflict, right] = await Promise.allSettled([
        store.append(others[0], [happened('left')], NONE),
        store.append(stream, [happened('b')], NONE),
        store.append(others[1], [happened('right')], NONE),
      ]);

      expect([left.status, conflict.status, right.status]).to.deep.equal([
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect(await told(others[0])).to.deep.equal(['left']);
      expect(await told(others[1])).to.deep.equal(['right']);
      expect(await told()).to.deep.equal(['a']);
    });

    it('keeps many streams apart that are written at once', async () => {
      const names = Array.from({ length: 40 }, newName);
      await Promise.all(
        names.map(async (name) => {
          const { revision } = await store.append(name, [happened(name), happened(1)], NONE);
          await store.append(name, [happened(2)], revision);
        }),
      );
      for (const name of names) expect(await told(name)).to.deep.equal([name, 1, 2]);
    });

    it('takes no further append once closed, and may be closed twice', async () => {
      await store.close();
      const refused = await rejection(store.append(stream, [happened('a')], NONE));
      expect(refused).to.be.instanceOf(Unavailable);
    });
  });

  describe('what it stores', () => {
    const texts: Record<string, string> = {
      'characters of every plane': 'a é € 漢 🦙 \u{10ffff}',
      'lone surrogates': '\ud800 \udfff \ud83d',
      'control characters and separators': '\0 \u0001 \n \u2028 \u2029 \ufeff "\\/',
      'text that looks like another encoding': 'Ã© \u00ff \ufffd \ufffe',
      nothing: '',
    };
    for (const [name, text] of Object.entries(texts)) {
      it(`returns verbatim: ${name}`, async () => {
        await expectVerbatim({ ...happened(text), metadata: JSON.stringify({ [text]: text }) });
      });
    }

    it('returns verbatim: members in their order, numbers and empty values as written', async () => {
      const data = '{"z":0,"a":-1.5e-7,"nothing":null,"empty":{},"list":[[],""],"big":1e+21}';
      await expectVerbatim({ ...happened(''), data });
    });

    it('returns verbatim: a large event, in one byte and in several bytes a character', async () => {
      await expectVerbatim(happened('x'.repeat(900_000)));
      stream = newName();
      await expectVerbatim(happened('€'.repeat(300_000)));
    });

    it('returns verbatim: an append of many events', async () => {
      const events = Array.from({ length: 512 }, (_, n) => happened([n, 'x'.repeat(1000)]));
      await store.append(stream, events, NONE);
      expect((await all()).map(written)).to.deep.equal(events);
    });

    async function expectVerbatim(event: NewEvent): Promise<void> {
      await store.append(stream, [event], NONE);
      const [stored] = await all();
      expect(stored && written(stored)).to.deep.equal(event);
      expect(stored?.stream).to.equal(stream);
    }
  });

  describe('read', () => {
    const read = async (from: number, limit: number) =>
      (await store.read(stream, from, limit)).map(whatOf);

    beforeEach(() => store.append(stream, ['a', 'b', 'c', 'd'].map(happened), NONE));

    it('starts with the revision it is given', async () => {
      expect(await read(2, 10)).to.deep.equal(['c', 'd']);
    });

    it('ends at its limit', async () => {
      expect(await read(1, 2)).to.deep.equal(['b', 'c']);
    });

    it('is empty past the end, and for a stream that does not exist', async () => {
      expect(await read(4, 10)).to.deep.equal([]);
      expect(await store.read(newName(), 0, 10)).to.deep.equal([]);
    });
  });

  describe('readAll', () => {
    it('starts behind the position it is given, and goes on in the order of the log', async () => {
      const other = newName();
      const { position: start } = await store.append(stream, [happened('before')], NONE);
      await store.append(other, [happened('a')], NONE);
      await store.append(stream, [happened('b'), happened('c')], 0);
      await store.append(other, [happened('d')], 0);

      const mine = (await readOn(store, start)).filter((event) =>
        [stream, other].includes(event.stream),
      );
      expect(mine.map(whatOf)).to.deep.equal(['a', 'b', 'c', 'd']);
    });

    it('gives every event once, whatever the size of a page', async () => {
      const { position: start } = await store.append(stream, [happened('before')], NONE);
      const whats = Array.from({ length: 10 }, (_, n) => n);
      await store.append(stream, whats.map(happened), 0);

      for (const pageSize of [1, 3, 100]) {
        const mine = (await readOn(store, start, pageSize)).filter(
          (event) => event.stream === stream,
        );
        expect(mine.map(whatOf)).to.deep.equal(whats);
      }
    });

    it('gives what read gives: the same positions, which grow as texts', async () => {
      const { position: start } = await store.append(stream, [happened('before')], NONE);
      await store.append(stream, ['a', 'b', 'c'].map(happened), 0);
      const { position: end } = await store.append(stream, [happened('d')], 3);

      const mine = (await readOn(store, start)).filter((event) => event.stream === stream);
      expect(mine).to.deep.equal(await store.read(stream, 1, 10));
      const positions = [start, ...mine.map(({ position }) => position)];
      expect(positions).to.deep.equal([...new Set(positions)].sort());
      expect(positions.at(-1)).to.equal(end);
    });

    it('is empty past the end', async () => {
      const { position } = await store.append(stream, [happened('last')], NONE);
      const mine = (await readOn(store, position)).filter((event) => event.stream === stream);
      expect(mine).to.deep.equal([]);
    });
  });

  describe('last', () => {
    it('is the last event of a stream', async () => {
      await store.append(stream, ['a', 'b', 'c'].map(happened), NONE);
      expect(await store.last(stream)).to.deep.equal((await all()).at(-1));
    });

    it('is undefined for a stream that does not exist', async () => {
      expect(await store.last(stream)).to.equal(undefined);
    });
  });

  describe('end', () => {
    it('is where the last durable event stands, whatever its stream', async () => {
      const { position } = await store.append(stream, [happened('a'), happened('b')], NONE);
      const end = await store.end();

      expect(end >= position).to.equal(true);
      const beyond = await store.readAll(end, 1);
      expect(beyond.filter((event) => event.stream === stream)).to.deep.equal([]);
    });
  });

  describe('positionAt', () => {
    /** Times near the present, because a server may hold events of other tests. */
    const nowMicros = systemClock.now();
    const minutesAgo = (minutes: number) => (nowMicros - minutes * 60_000_000) as Micros;
    const recorded = (minutes: number) => ({
      ...happened(minutes),
      metadata: JSON.stringify({ recordedAt: formatInstant(minutesAgo(minutes)) }),
    });
    const after = async (instant: Micros) =>
      (await readOn(store, await store.positionAt(instant)))
        .filter((event) => event.stream === stream)
        .map(whatOf);

    it('is before every event of the instant or later, though times are not in order', async () => {
      const minutes = [30, 20, 10.5, 9.9, 10, 10.1, 5, 0];
      await store.append(stream, minutes.map(recorded), NONE);
      expect(await after(minutesAgo(10))).to.deep.equal(minutes.slice(2));
      expect(await after(minutesAgo(25))).to.deep.equal(minutes.slice(1));
      expect(await after(minutesAgo(-5))).to.deep.equal([]);
    });

    it('finds the place in a log of many pages', async () => {
      const minutes = Array.from({ length: 1500 }, (_, n) => 1500 - n);
      for (let n = 0; n < 1500; n += 500) {
        await store.append(stream, minutes.slice(n, n + 500).map(recorded), n === 0 ? NONE : n - 1);
      }
      for (const ago of [1, 499, 500, 501, 777, 1499]) {
        expect(await after(minutesAgo(ago))).to.deep.equal(minutes.slice(1499 - ago));
      }
    });

    it('is the start of the log for an instant before all of it', async () => {
      await store.append(stream, [recorded(1)], NONE);
      expect(await store.positionAt(0 as Micros)).to.equal(START);
    });
  });

  describe('subscribe', () => {
    let position: Position;
    const following: LogSubscription[] = [];

    beforeEach(async () => {
      ({ position } = await store.append(stream, [happened('before')], NONE));
    });
    afterEach(async () => {
      for (const subscription of following.splice(0)) await subscription.close();
    });

    /** Gathers what comes of this test's stream, and waits until there is enough of it. */
    function follower(after = position, slow = async () => {}) {
      const seen: StoredEvent[] = [];
      let calls = 0;
      const subscription = store.subscribe(after, async (events) => {
        calls += 1;
        expect(calls, 'calls at once').to.equal(1);
        seen.push(...events.filter((event) => event.stream === stream));
        await slow();
        calls -= 1;
      });
      following.push(subscription);
      const told = async (count: number) => {
        await until(() => seen.length >= count, 30_000, `${String(count)} events`);
        return seen.map(whatOf);
      };
      return { seen, told, subscription };
    }

    it('hands over what is there, then what comes, each once and in order', async () => {
      await store.append(stream, ['a', 'b'].map(happened), 0);
      const { told, seen } = follower();
      expect(await told(2)).to.deep.equal(['a', 'b']);
      await store.append(stream, [happened('c')], 2);
      await store.append(stream, [happened('d')], 3);
      expect(await told(4)).to.deep.equal(['a', 'b', 'c', 'd']);
      expect(seen).to.deep.equal(await store.read(stream, 1, 10));
    });

    it('begins with the first event of the log at START', async () => {
      const { told } = follower(START);
      expect(await told(1)).to.deep.equal(['before']);
    });

    it('waits for whoever takes the events', async () => {
      const whats = Array.from({ length: 40 }, (_, n) => n);
      const { told } = follower(position, () => new Promise((go) => setTimeout(go, 2)));
      for (const what of whats) await store.append(stream, [happened(what)], what);
      expect(await told(40)).to.deep.equal(whats);
    });

    it('hands over nothing any more once closed', async () => {
      const { told, seen, subscription } = follower();
      await store.append(stream, [happened('a')], 0);
      await told(1);
      await subscription.close();
      await subscription.ended;
      await store.append(stream, [happened('b')], 1);
      await new Promise((go) => setTimeout(go, 50));
      expect(seen).to.have.length(1);
    });

    it('ends with what its taker threw', async () => {
      const subscription = store.subscribe(position, async () => {
        throw new Error('poison');
      });
      following.push(subscription);
      await store.append(stream, [happened('a')], 0);
      const refused = await rejection(subscription.ended);
      expect(refused).to.be.instanceOf(Error).and.include({ message: 'poison' });
    });
  });
}

const written = ({ id, type, data, metadata }: NewEvent): NewEvent => ({
  id,
  type,
  data,
  metadata,
});

/** What a promise was rejected with. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return expect.fail('It was not refused');
}
