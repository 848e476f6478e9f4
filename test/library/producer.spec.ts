import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedLog } from '#src/adapters/embedded/log.ts';
import { isIntact } from '#src/kernel/event-hash.ts';
import type { EmittedRecord } from '#src/events/streaming/emitted.ts';
import {
  createProducer,
  emitted,
  EmitRefused,
  FolderLocked,
  ProducerRefused,
  type EventProducer,
  type ProducerOptions,
} from '#src/library/streaming.ts';
import { START } from '#src/ports/event-store.ts';

const ID = '0190a1c0-0000-7000-8000-0000000000aa';
/** Nobody listens there. */
const AWAY = {
  STREAMING_ENABLED: 'true',
  STREAMING_BROKERS: '127.0.0.1:1',
  STREAMING_IMPORTANT_EMIT_TIMEOUT_MS: '300',
  STREAMING_CLOSE_TIMEOUT_S: '0',
};

describe('a producer', () => {
  let folder: string;
  const open: EventProducer[] = [];
  const created = async (changes: Partial<ProducerOptions> = {}): Promise<EventProducer> => {
    const producer = await createProducer({
      ...{ producer: 'matching', platform: 'quipu', source: 'matching', settings: AWAY, folder },
      ...changes,
    });
    open.push(producer);
    return producer;
  };
  const refusalOf = async (changes: Partial<ProducerOptions>): Promise<string> => {
    const outcome = await created(changes).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(ProducerRefused);
    return (outcome as ProducerRefused).message;
  };
  const faultOf = async (work: Promise<unknown>): Promise<string> => {
    const outcome = await work.catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(EmitRefused);
    return (outcome as EmitRefused).message;
  };
  const closeAll = () => Promise.all(open.splice(0).map((producer) => producer.close()));
  /** Closes the producers, and returns the records that are in the folder. */
  const logged = async (): Promise<readonly EmittedRecord[]> => {
    await closeAll();
    const log = openEmbeddedLog(folder);
    const events = await log.readAll(START, 100);
    await log.close();
    expect(events.every(isIntact)).to.equal(true);
    return events.map(({ data }) => JSON.parse(data) as EmittedRecord);
  };

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'producer-'))));
  afterEach(async () => {
    await closeAll();
    rmSync(folder, { recursive: true });
  });

  it('needs a source, a broker of its transport and a folder, and names all that is wrong', async () => {
    expect(await refusalOf({ source: '' })).to.match(/SOURCE must be set/);
    expect(await refusalOf({ producer: 'nobody' })).to.match(/no producer named nobody/);
    expect(await refusalOf({ platform: 'Not One' })).to.match(/not the name of a platform/);
    const { STREAMING_BROKERS: _, ...without } = AWAY;
    const rabbit = { STREAMING_RABBITMQ_URL: 'amqp://h', STREAMING_RABBITMQ_EXCHANGE: 'e' };
    expect(await refusalOf({ settings: { ...without, ...rabbit } })).to.match(
      /matching publishes on kafka, and the settings name rabbitmq/,
    );
    const two = {
      ...AWAY,
      STREAMING_RECORD_RETRIES: 'x',
      STREAMING_EVENT_POLICIES: 'a.b.direct=skip',
    };
    expect((await refusalOf({ settings: two })).split('\n')).to.have.length(2);
    const { folder: __, ...rest } = { folder, producer: 'matching', platform: 'quipu' };
    const bare = await createProducer({ ...rest, source: 's', settings: AWAY }).catch(String);
    expect(bare).to.match(/needs a folder/);
  });

  it('of one exact source accepts no other', async () => {
    const producer = {
      ...({ name: 'exact', transport: 'kafka', topicStyle: 'source-derived' } as const),
      ...{ exactSource: 'only.me', manifestPath: '', definitions: [emitted('a.happened', 'A')] },
    };
    expect(await refusalOf({ producer, source: 'me' })).to.match(/publishes as only\.me only/);
    await created({ producer, source: 'only.me' });
  });

  it('warns if its topics do not begin with the source as it is', async () => {
    const warnings: string[] = [];
    const options = { source: 'Loan Core/BR', onWarning: (text: string) => warnings.push(text) };
    await created(options);
    expect(warnings[0]).to.match(/loan-core-br/);
  });

  it('refuses two definitions with one topic', async () => {
    const definitions = [
      emitted('a.happened', 'A'),
      emitted('a.happened', 'A', { schemaVersion: '1.1.0' }),
    ];
    const producer = {
      ...({ name: 'twice', transport: 'kafka', topicStyle: 'source-derived' } as const),
      ...{ manifestPath: '', definitions },
    };
    expect(await refusalOf({ producer })).to.match(/Two definitions have the topic matching\.a/);
  });

  it('refuses events that do not conform, and counts them', async () => {
    const producer = await created();
    const emit = (payload: object, more: object = {}) =>
      faultOf(producer.emit('match.completed', { payload: payload as { id: string }, ...more }));
    expect(await faultOf(producer.emit('match.begun', { payload: {} }))).to.match(/has no event/);
    expect(await emit({})).to.match(/must have required property 'id'/);
    expect(await emit({ id: 'one' })).to.match(/must match format "uuid"/);
    expect(await emit([])).to.match(/must be an object/);
    expect(await emit({ id: ID, amount: 1n })).to.match(/is not JSON/);
    expect(await emit({ id: ID, text: 'x'.repeat(1_048_576) })).to.match(/exceeds 1048576 bytes/);
    expect(await emit({ id: ID }, { subject: 'x'.repeat(1025) })).to.match(/exceeds 1024 bytes/);
    expect(await emit({ id: ID }, { tenantId: 'a\nb' })).to.match(/control character/);
    expect(producer.report().refused).to.equal(8);
    expect(await logged()).to.deep.equal([]);
  });

  it('keeps in its log what the broker does not take, with the id that it was given', async () => {
    const producer = await created();
    const receipt = await producer.emit('match.completed', {
      payload: { id: ID },
      tenantId: 'acme',
    });
    expect(receipt.outcome).to.equal('logged');
    expect(producer.report().outcomes).to.include({ logged: 1, sent: 0, dropped: 0 });
    const [record, ...others] = await logged();
    expect(others).to.deep.equal([]);
    expect(record).to.deep.include({ topic: 'matching.match.completed', key: `acme:${ID}` });
    expect(record?.headers).to.include({
      'ce-id': receipt.id,
      'ce-source': 'matching',
      'ce-type': 'studio.quipu.match.completed',
      'ce-subject': ID,
      'ce-tenantid': 'acme',
      'ce-schemaversion': '1.0.0',
    });
  });

  it('logs every event that an auditor asks for, each version with its topic, and commands', async () => {
    const producer = await created({ producer: 'lending', source: 'lending' });
    const payload = { id: ID };
    expect(await faultOf(producer.emit('contract.signed', { payload }))).to.match(
      /several versions/,
    );
    for (const schemaVersion of ['1.0.0', '2.0.0']) {
      await producer.emit('contract.signed', { payload, schemaVersion });
    }
    await producer.emit('payment.requested', { payload });
    const records = await logged();
    expect(records.map(({ topic }) => topic)).to.deep.equal([
      'lending.contract.signed',
      'lending.contract.signed.v2',
      'lending.payment.requested',
    ]);
    expect(new Set(records.map(({ headers }) => headers['ce-id']))).to.have.length(3);
  });

  it('drops and counts what may not be logged, at once while the circuit is open', async () => {
    const settings = {
      ...AWAY,
      STREAMING_EVENT_POLICIES: 'match.completed.outbox=never',
      STREAMING_CB_MIN_REQUESTS: '1',
    };
    const producer = await created({ settings });
    const emit = () => producer.emit('match.completed', { payload: { id: ID } });
    expect((await emit()).outcome).to.equal('dropped');
    expect(producer.report().circuitOpen).to.equal(true);
    const startedMs = performance.now();
    expect((await emit()).outcome).to.equal('dropped');
    expect(performance.now() - startedMs).to.be.below(200);
    expect(producer.report().outcomes.dropped).to.equal(2);
  });

  it('sends nothing while streaming is off, nor an event that is off', async () => {
    const off = await created({ settings: {} });
    const payload = { id: ID };
    expect((await off.emit('match.completed', { payload })).outcome).to.equal('off');
    await off.close();
    const settings = { ...AWAY, STREAMING_EVENT_POLICIES: 'match.completed.enabled=false' };
    const without = await created({ settings });
    expect((await without.emit('match.completed', { payload })).outcome).to.equal('off');
    expect(await logged()).to.deep.equal([]);
  });

  it('has its folder alone; the next one continues there', async () => {
    const payload = { id: ID };
    const first = await created();
    await first.emit('match.completed', { payload });
    expect(await created().catch((error: unknown) => error)).to.be.instanceOf(FolderLocked);
    await first.close();
    const second = await created();
    await second.emit('match.completed', { payload });
    const records = await logged();
    expect(new Set(records.map(({ headers }) => headers['ce-id']))).to.have.length(2);
  });

  it('emits nothing once it is closed', async () => {
    const producer = await created();
    await producer.close();
    const late = producer.emit('match.completed', { payload: { id: ID } });
    expect(await faultOf(late)).to.match(/closed/);
  });
});
