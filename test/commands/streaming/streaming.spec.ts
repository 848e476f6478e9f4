import { expect } from 'chai';
import {
  streamingDecider,
  type StreamingCommand,
  type StreamingFact,
} from '#commands/streaming/streaming.ts';
import type {
  ReplayRecord,
  StreamingEvent,
  SubscriptionRecord,
} from '#src/events/streaming/streaming.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { SubscriptionTarget } from '#src/kernel/subscription.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { NOW, nthId } from '#test/support/stamps.ts';

const { given } = specFor(streamingDecider);

const WEBHOOK: SubscriptionTarget = {
  kind: 'webhook',
  url: 'https://hooks.example/a',
  timeoutMs: 15_000,
};
const PULL: SubscriptionTarget = { kind: 'pull' };
const id = nthId(7);

const fields = {
  name: 'Bookkeeping',
  filters: { types: ['*'] },
  target: WEBHOOK,
  format: 'structured',
  ordering: 'none',
  rateLimit: 50,
  startAt: 'now',
  status: 'active',
} as const;
const image = (changes: Partial<SubscriptionRecord> = {}): SubscriptionRecord => ({
  id,
  ...fields,
  createdAt: NOW,
  updatedAt: NOW,
  deletedAt: null,
  ...changes,
});
const created = (changes: Partial<SubscriptionRecord> = {}): StreamingEvent => ({
  type: 'SubscriptionCreated',
  data: { subscription: image(changes) },
});
const updated = (changed: readonly string[], changes: Partial<SubscriptionRecord> = {}) =>
  ({ type: 'SubscriptionUpdated', data: { subscription: image(changes), changed } }) as const;
const deleted = {
  type: 'SubscriptionDeleted',
  data: { subscription: image({ deletedAt: NOW }) },
} as const;
const died = { type: 'RecordDied', data: { topic: 'any' } } as unknown as StreamingEvent;

const create = (changes: object = {}): StreamingCommand =>
  ({ type: 'CreateSubscription', fields: { id, ...fields, ...changes } }) as StreamingCommand;
const update = (changes: object): StreamingCommand => ({
  type: 'UpdateSubscription',
  id,
  changes,
});
const set = (status: 'active' | 'paused' | 'disabled'): StreamingCommand => ({
  type: 'SetSubscriptionStatus',
  id,
  status,
});

describe('subscription', () => {
  it('is created under the id of its secret', () => {
    given().when(create()).then(created());
  });

  it('is created after dead letters of the relay', () => {
    given(died).when(create()).then(created());
  });

  it('may begin in the past, and not in the future', () => {
    const startAt = '2026-01-01T00:00:00.000000Z' as Instant;
    given().when(create({ startAt })).then(created({ startAt }));
    given()
      .when(create({ startAt: '2999-01-01T00:00:00.000000Z' }))
      .thenRefused('MALFORMED_FIELD');
  });

  it('is one of a thousand at most', () => {
    const all = Array.from({ length: 1000 }, (_, n) => created({ id: nthId(n + 100) }));
    given(...all)
      .when(create())
      .thenRefused('TOO_MANY_SUBSCRIPTIONS');
    given(...all, { ...deleted, data: { subscription: image({ id: nthId(100) }) } })
      .when(create())
      .then(created());
  });

  it('is checked before it is created, as the creation would be', () => {
    const check = (changes: object = {}): StreamingCommand => ({
      type: 'CheckSubscription',
      fields: { ...fields, ...changes },
    });
    given().when(check()).thenNothing();
    given()
      .when(check({ startAt: '2999-01-01T00:00:00.000000Z' }))
      .thenRefused('MALFORMED_FIELD');
  });

  it('records what an update changes', () => {
    given(created())
      .when(update({ name: 'Audit', rateLimit: 50 }))
      .then(updated(['name'], { name: 'Audit' }));
    const target = { ...WEBHOOK, url: 'https://hooks.example/b' };
    given(created())
      .when(update({ target }))
      .then(updated(['target'], { target }));
  });

  it('takes an update without effect as nothing', () => {
    given(created())
      .when(update({ filters: { types: ['*'] } }))
      .thenUnchanged(updated([]));
  });

  it('keeps the kind of its target', () => {
    const { details } = given(created())
      .when(update({ target: PULL }))
      .thenRefused('MALFORMED_FIELD');
    expect(details.findings?.[0]?.location).to.equal('target.kind');
  });

  for (const [from, to, result] of [
    ['active', 'paused', 'paused'],
    ['active', 'disabled', 'disabled'],
    ['active', 'active', 'active'],
    ['paused', 'active', 'active'],
    ['paused', 'paused', 'paused'],
    ['paused', 'disabled', 'paused'],
    ['disabled', 'active', 'active'],
    ['disabled', 'paused', 'disabled'],
    ['disabled', 'disabled', 'disabled'],
  ] as const) {
    it(`that is ${from} and set to ${to} is ${result}`, () => {
      const outcome = given(created({ status: from })).when(set(to));
      if (result === from) outcome.thenUnchanged(updated([], { status: from }));
      else outcome.then(updated(['status'], { status: result }));
    });
  }

  it('records that its secret was replaced, and no secret', () => {
    given(created())
      .when({ type: 'ReplaceSigningSecret', id })
      .then(updated(['secret']));
    given(created()).when({ type: 'CheckTarget', id, kind: 'webhook' }).thenNothing();
  });

  it('refuses what its target has no use for', () => {
    given(created({ target: PULL }))
      .when({ type: 'ReplaceSigningSecret', id })
      .thenRefused('NOTHING_TO_SIGN');
    given(created({ target: PULL }))
      .when({ type: 'CheckTarget', id, kind: 'webhook' })
      .thenRefused('NOTHING_TO_SIGN');
    given(created()).when({ type: 'CheckTarget', id, kind: 'pull' }).thenRefused('NOT_PULLED');
    given(created()).when({ type: 'CheckTarget', id }).thenNothing();
  });

  for (const command of [
    update({ name: 'Ghost' }),
    set('paused'),
    { type: 'DeleteSubscription', id },
    { type: 'ReplaceSigningSecret', id },
    { type: 'CheckTarget', id },
  ] as const satisfies readonly StreamingCommand[]) {
    it(`refuses ${command.type} once deleted, and before it is created`, () => {
      given(created(), deleted).when(command).thenRefused('NOT_FOUND');
      given(died).when(command).thenRefused('NOT_FOUND');
    });
  }

  it('is the same after a snapshot', () => {
    const state = streamingDecider.initialState();
    streamingDecider.evolve(state, created(), 3);
    const restored = streamingDecider.fromSnapshot([...streamingDecider.toSnapshot(state)]);
    expect([...restored.subscriptions.all()]).to.deep.equal([
      { id, kind: 'webhook', status: 'active', revision: 3 },
    ]);
    const fact = streamingDecider.fact(restored) as StreamingFact;
    expect([fact.isSigned(id), fact.isSigned(nthId(8))]).to.deep.equal([true, false]);
    expect(streamingDecider.fact(streamingDecider.initialState())).to.equal(undefined);
  });
});

describe('replay', () => {
  const request = {
    from: '2026-01-01T00:00:00.000000Z' as Instant,
    to: '2026-01-02T00:00:00.000000Z' as Instant,
    keys: ['account.created'],
    status: 'pending',
  } as const;
  const record = (changes: Partial<ReplayRecord> = {}): ReplayRecord => ({
    ...{ id: nthId(1), ...request, createdAt: NOW, updatedAt: NOW, deletedAt: null, ...changes },
  });
  const requested = (changes: Partial<ReplayRecord> = {}): StreamingEvent => ({
    type: 'ReplayCreated',
    data: { replay: record(changes) },
  });
  const completed = (changes: Partial<ReplayRecord> = {}): StreamingEvent => ({
    type: 'ReplayUpdated',
    data: { replay: record({ status: 'completed', ...changes }), changed: ['status'] },
  });
  const ask = (publishesTo: 'nowhere' | 'embedded topics' | 'broker'): StreamingCommand => ({
    type: 'CreateReplay',
    fields: request,
    publishesTo,
  });
  const complete: StreamingCommand = { type: 'CompleteReplay', id: nthId(1) };

  it('is requested, whatever else the journal has', () => {
    given(created(), died).when(ask('broker')).then(requested());
  });

  it('is refused where nothing can be published', () => {
    given().when(ask('nowhere')).thenRefused('STREAMING_OFF');
    given().when(ask('embedded topics')).thenRefused('NO_BROKER');
  });

  it('is one of a hundred that are not completed', () => {
    const all = Array.from({ length: 100 }, (_, n) => requested({ id: nthId(n + 100) }));
    given(...all)
      .when(ask('broker'))
      .thenRefused('TOO_MANY_REPLAYS');
    given(...all, completed({ id: nthId(100) }))
      .when(ask('broker'))
      .then(requested());
  });

  it('is completed once', () => {
    given(requested()).when(complete).then(completed());
    given(requested(), completed()).when(complete).then();
    given().when(complete).then();
  });
});
