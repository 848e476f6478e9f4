import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { createBalanceVersions, createSqliteSeenIds } from '#src/adapters/embedded/seen-ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { IncomingMessage, MessageSource } from '#src/ports/message-source.ts';
import { PublishFailed } from '#src/ports/publisher.ts';
import {
  createEventConsumer,
  type ConsumerSettings,
  type EventConsumer,
  type EventHandler,
} from '#src/runtime/event-consumer.ts';
import { EventRefused, type ReceivedEvent } from '#src/runtime/received-event.ts';
import { simulate } from '#test/doubles/memory/simulated.ts';

const SETTINGS: ConsumerSettings = {
  ...{ retryBudget: 3, retryInitialMs: 100, retryMaxMs: 5000, dwellMaxMs: 1000, haltMs: 250 },
};

const message = (id: string, changes: Record<string, string> = {}, value = '{"n":1}') => ({
  topic: 'quipu.streaming.ledger_balance.changed',
  partition: 2,
  offset: '17',
  key: 'balance-1',
  headers: {
    'ce-specversion': '1.0',
    'ce-id': id,
    'ce-source': 'quipu.ledger',
    'ce-type': 'studio.quipu.balance.changed',
    'ce-time': '2026-01-05T12:00:00.123456Z',
    'ce-resourcetype': 'balance',
    'ce-eventtype': 'changed',
    'ce-schemaversion': '1.0.0',
    ...changes,
  },
  value,
});

type Setting = Readonly<{
  buryFails?: number;
  majors?: Record<string, number[]>;
  /** The size of dead letters that the broker takes. */
  lettersMax?: number;
}>;

describe('a consumer of events', () => {
  const simulation = simulate(1);
  const { scheduler, clock } = simulation;
  let db: DatabaseSync;
  let buried: Readonly<{ message: IncomingMessage; more: Readonly<Record<string, string>> }>[];
  let faults: string[];
  let consumer: EventConsumer;

  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    db.exec('CREATE TABLE effects (id TEXT)');
    buried = [];
    faults = [];
  });
  afterEach(() => db.close());

  const effects = () =>
    db
      .prepare('SELECT id FROM effects')
      .all()
      .map(({ id }) => id);
  const effect = ({ id }: ReceivedEvent): void => {
    db.prepare('INSERT INTO effects VALUES (?)').run(id);
  };

  /** Delivers messages one after the other, as a broker does, until the consumer has taken all of them. */
  const consume = (
    messages: readonly IncomingMessage[],
    handle: EventHandler<boolean> = effect,
    { buryFails = 0, majors = {}, lettersMax = Infinity }: Setting = {},
  ): Promise<void> => {
    let failing = buryFails;
    const source: MessageSource = {
      async run(take) {
        for (const one of messages) await take(one);
      },
      async bury(one, more) {
        await scheduler.yield();
        failing -= 1;
        if (failing >= 0) throw new Error('The broker is away');
        const chars = Object.values(more).join('').length + one.value.length;
        if (chars > lettersMax) throw new PublishFailed('serialization_error', 'It is large');
        buried.push({ message: one, more });
      },
      close: async () => {},
    };
    consumer = createEventConsumer({
      ...{ source, handle, settings: SETTINGS, scheduler, clock },
      knows: (key, major) => (majors[key] ?? [1]).includes(major),
      store: createSqliteSeenIds(db, { clock, keepMs: 7 * 86_400_000 }),
      ...{ platform: 'quipu', consumerId: 'billing', onFault: (text) => void faults.push(text) },
    });
    return simulation.run(consumer.run());
  };

  it('handles an event once, however often it is delivered', async () => {
    await consume([message('a'), message('b'), message('a')]);
    expect(effects()).to.deep.equal(['a', 'b']);
    expect(consumer.report()).to.include({ handled: 2, repeated: 1, dead: 0 });
  });

  it('hands over what the headers say; a literal default is no tenant', async () => {
    const seen: ReceivedEvent[] = [];
    const tenants = ['acme', 'default'].map((id) =>
      message(id, { 'ce-tenantid': id, 'ce-new': '1' }),
    );
    await consume([...tenants, message('c')], (event) => void seen.push(event));
    expect(seen.map(({ tenantId }) => tenantId)).to.deep.equal(['acme', undefined, undefined]);
    expect(seen[0]).to.deep.include({
      ...{ id: 'acme', key: 'balance.changed', source: 'quipu.ledger', schemaVersion: '1.0.0' },
      ...{ recordKey: 'balance-1', data: { n: 1 } },
    });
  });

  it('joins the transaction of the effect: neither is there without the other', async () => {
    let crashes = 1;
    const handle: EventHandler<boolean> = (event, { remember }) => {
      db.exec('BEGIN');
      try {
        if (remember()) effect(event);
        if (crashes-- > 0) throw new Error('The power is gone');
        db.exec('COMMIT');
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    };
    await consume([message('a'), message('a')], handle);
    expect(effects()).to.deep.equal(['a']);
    expect(consumer.report()).to.include({ handled: 1, repeated: 1 });
  });

  it('retries within its budget, then goes on behind a dead letter that says why', async () => {
    let attempts = 0;
    const handle: EventHandler<boolean> = (event) => {
      if (event.id === 'bad') {
        attempts += 1;
        throw new Error('It is\nbad');
      }
      effect(event);
    };
    const startedMs = scheduler.elapsedMs();
    await consume([message('bad'), message('good')], handle);
    expect(attempts).to.equal(4);
    expect(effects()).to.deep.equal(['good']);
    expect(scheduler.elapsedMs() - startedMs).to.be.below(SETTINGS.dwellMaxMs);
    const { 'x-quipu-dlq-first-failure-at': since, ...more } = buried[0]!.more;
    expect(since).to.match(/^\d{4}-/);
    expect(buried[0]!.message.value).to.equal('{"n":1}');
    expect(more).to.deep.equal({
      ...message('bad').headers,
      'x-quipu-dlq-source-topic': 'quipu.streaming.ledger_balance.changed',
      'x-quipu-dlq-source-partition': '2',
      'x-quipu-dlq-source-offset': '17',
      'x-quipu-dlq-cause-kind': 'handler_failed',
      'x-quipu-dlq-error-class': 'validation_error',
      'x-quipu-dlq-error-message': 'Error: It is bad',
      'x-quipu-dlq-retry-count': '3',
      'x-quipu-dlq-producer-id': 'billing',
    });
  });

  it('parks an unknown major and accepts an unknown minor', async () => {
    const later = { 'ce-schemaversion': '2.0.0' };
    const minor = message('minor', { 'ce-schemaversion': '1.9.0' });
    await consume([minor, message('major', later)]);
    expect(effects()).to.deep.equal(['minor']);
    expect(buried.map(({ more }) => more['x-quipu-dlq-cause-kind'])).to.deep.equal([
      'unknown_major',
    ]);
    expect(consumer.report()).to.include({ parked: 1, dead: 0 });

    // Once the consumer has learned it, the parked message is handled.
    await consume([message('major', later)], effect, { majors: { 'balance.changed': [1, 2] } });
    expect(effects()).to.deep.equal(['minor', 'major']);
  });

  it('buries what is no event, and does not fail on it', async () => {
    const { 'ce-id': _, ...headers } = message('x').headers;
    const hostile = [
      { ...message('x'), headers },
      message('version', { 'ce-specversion': '0.3' }),
      message('schema', { 'ce-schemaversion': 'latest' }),
      message('json', {}, '{"n":'),
      message('array', {}, '[1]'),
      message('empty', {}, ''),
      { ...message('bytes'), bytes: Buffer.from([0xff]) },
    ];
    await consume([...hostile, message('good')]);
    expect(effects()).to.deep.equal(['good']);
    const causes = buried.map(({ more }) => more['x-quipu-dlq-cause-kind']);
    expect(causes).to.deep.equal(hostile.map(() => 'malformed'));
    expect(buried.at(-1)?.message.bytes).to.deep.equal(Buffer.from([0xff]));
  });

  it('leaves out of a dead letter what its topic does not take', async () => {
    const large = message('large', {}, JSON.stringify({ text: 'x'.repeat(5000) }));
    const headers = message('headers', { 'ce-subject': 'x'.repeat(5000) });
    const fails = (): void => {
      throw new EventRefused('backlog_full', 'There is no room');
    };
    await consume([large, headers, message('small')], fails, { lettersMax: 3000 });
    const letters = buried.map(({ message: { value }, more }) => [
      ...[more['ce-id'], more['ce-subject'], value, more['x-quipu-dlq-payload-bytes']],
      ...[more['x-quipu-dlq-cause-kind'], more['x-quipu-dlq-source-offset']],
    ]);
    const cause = ['backlog_full', '17'];
    expect(letters).to.deep.equal([
      ['large', undefined, '', '5011', ...cause],
      [undefined, undefined, '', '7', ...cause],
      ['small', undefined, '{"n":1}', undefined, ...cause],
    ]);
    expect(buried.map(({ more }) => more['x-quipu-dlq-retry-count'])).to.deep.equal(
      Array(3).fill('0'),
    );
  });

  it('waits for what its handler cannot reach, however long, and then still has its budget', async () => {
    let left = 50;
    await consume([message('a')], (event) => {
      left -= 1;
      if (left > 2) throw new Unavailable('The store is away');
      if (left > 0) throw new Error('It is bad');
      effect(event);
    });
    expect(effects()).to.deep.equal(['a']);
    expect(faults).to.have.length(47);
  });

  it('does not go on before a dead letter is acknowledged', async () => {
    await consume([message('a', {}, ''), message('good')], effect, { buryFails: 3 });
    expect(buried).to.have.length(1);
    expect(faults).to.have.length(3);
    expect(effects()).to.deep.equal(['good']);
  });
});

describe('ids in a database of the caller', () => {
  it('are kept for as long as topics keep events, and pruned later', () => {
    const db = new DatabaseSync(':memory:');
    let nowMs = 0;
    const clock = { now: () => (nowMs * 1000) as Micros };
    const seen = createSqliteSeenIds(db, { clock, keepMs: 1000 });
    expect([seen.remember('old'), seen.remember('old'), seen.has('old')]).to.deep.equal([
      ...[true, false, true],
    ]);
    nowMs = 1000;
    for (let n = 0; n < 1000; n += 1) seen.remember(`a-${n}`);
    expect(seen.has('old')).to.equal(true);
    nowMs = 1001;
    for (let n = 0; n < 1000; n += 1) seen.remember(`b-${n}`);
    expect([seen.has('old'), seen.has('a-0')]).to.deep.equal([false, true]);
    db.close();
  });

  it('know the last version of each balance', () => {
    const db = new DatabaseSync(':memory:');
    const versions = createBalanceVersions(db);
    const told = [1, 3, 2, 3, 4].map((version) => versions.advance('one', version));
    expect(told).to.deep.equal([true, true, false, false, true]);
    expect(versions.advance('other', 1)).to.equal(true);
    db.close();
  });
});
