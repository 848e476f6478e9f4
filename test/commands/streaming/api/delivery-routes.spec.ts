import { expect } from 'chai';
import { CloudEvent } from 'cloudevents';
import { deliveryWriteRoutes } from '#commands/streaming/api/delivery.ts';
import { messageRoutes } from '#commands/streaming/api/message.ts';
import { deliveryReadRoutes } from '#queries/streaming/delivery.ts';
import type { Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { DeliveryView } from '#src/kernel/delivery.ts';
import type { DeliveryCalls } from '#src/ports/delivery-calls.ts';
import { NOW, nthId } from '#test/support/stamps.ts';

const SUBSCRIPTION = nthId(1);
const DELIVERY = nthId(2);
const OF = { tenantId: 'acme', subscriptionId: SUBSCRIPTION };

const headers = {
  'ce-specversion': '1.0',
  'ce-id': nthId(3),
  'ce-source': 'quipu.ledger',
  'ce-type': 'studio.quipu.account.created',
  'ce-time': '2026-01-05T12:00:00.123456Z',
  'ce-resourcetype': 'account',
  'ce-eventtype': 'created',
  'ce-datacontenttype': 'application/json',
};
const record = { key: 'a', headers, value: '{"id":"a","amount":"1.10"}' };
const delivery: DeliveryView = {
  ...{ id: DELIVERY, subscriptionId: SUBSCRIPTION, eventId: nthId(3) },
  ...{ eventType: 'studio.quipu.account.created', status: 'dead', nextAttemptAt: NOW },
  attempts: [{ at: NOW, durationMs: 7, statusCode: 500, errorClass: 'http_5xx', body: 'no' }],
};

type Asked = Readonly<{ body?: object; query?: object; expiresAt?: number }>;

/** Calls record their arguments and return what the test gives. */
describe('routes of deliveries', () => {
  let called: unknown[];
  const ask = (
    operationId: string,
    outcomes: Readonly<Partial<Record<keyof DeliveryCalls, unknown>>>,
    { body, query = {}, expiresAt = Infinity }: Asked = {},
  ): Promise<Reply> => {
    called = [];
    const calls = Object.entries(outcomes).map(([name, outcome]) => [
      name,
      (...args: unknown[]) => {
        called.push([name, ...args]);
        return Promise.resolve(outcome);
      },
    ]);
    const deliveries = Object.fromEntries(calls) as DeliveryCalls;
    const services = {
      commands: { submit: () => Promise.resolve({ events: [], revision: 1 }) },
      components: { streaming: { deliveries, delivers: true } },
      clock: { now: () => 1_000_000 },
    };
    const path = { subscription_id: SUBSCRIPTION, delivery_id: DELIVERY };
    const caller = { expiresAt };
    const request = { path, body, query, caller, context: { tenantId: 'acme' } };
    const route = [...messageRoutes, ...deliveryWriteRoutes, ...deliveryReadRoutes].find(
      (one) => one.operationId === operationId,
    )!;
    return Promise.resolve(
      route.handle(request as unknown as Request, services as unknown as Services),
    );
  };
  const bodyOf = ({ body }: Reply): unknown => JSON.parse(body as string);

  it('pull messages as CloudEvents, every attribute as it is', async () => {
    const pull = [
      { leaseId: 'l"1', attempt: 1, record },
      { leaseId: 'l2', attempt: 3, record },
    ];
    const body = { max: 2, waitMs: 5, leaseMs: 9 };
    const { messages } = bodyOf(await ask('pullMessages', { pull }, { body })) as {
      messages: { leaseId: string; attempt: number; event: Record<string, unknown> }[];
    };
    expect(called).to.deep.equal([['pull', OF, body]]);
    expect(messages.map(({ leaseId, attempt }) => [leaseId, attempt])).to.deep.equal([
      ['l"1', 1],
      ['l2', 3],
    ]);
    const [{ event } = { event: {} }] = messages;
    const attributes = Object.entries(headers).map(([name, value]) => [name.slice(3), value]);
    const data = { id: 'a', amount: '1.10' };
    expect(event).to.deep.equal({ ...Object.fromEntries(attributes), data });
    expect(new CloudEvent(event, true).data).to.deep.equal(data);
  });

  it('wait for messages no longer than the token of the caller is valid', async () => {
    const body = { waitMs: 5000 };
    await ask('pullMessages', { pull: [] }, { body, expiresAt: 1_007_000 });
    expect(called).to.deep.include.members([
      ['pull', OF, { max: 100, waitMs: 7, leaseMs: 30_000 }],
    ]);
  });

  it('pull by defaults without a body', async () => {
    expect(bodyOf(await ask('pullMessages', { pull: [] }))).to.deep.equal({ messages: [] });
    expect(called).to.deep.equal([['pull', OF, { max: 100, waitMs: 0, leaseMs: 30_000 }]]);
  });

  it('settle leases, and tell those that expired', async () => {
    const settled = { settled: 2, expired: ['c'] };
    const leaseIds = ['a', 'b', 'c'];
    for (const [operation, call, more, verb] of [
      ['acknowledgeMessages', 'ack', {}, 'acked'],
      ['returnMessages', 'nack', { delayMs: 7 }, 'nacked'],
      ['extendMessageLeases', 'extend', { leaseMs: 7 }, 'extended'],
    ] as const) {
      const reply = await ask(operation, { [call]: settled }, { body: { leaseIds, ...more } });
      expect(bodyOf(reply)).to.deep.equal({ [verb]: 2, expired: ['c'] });
      expect(called).to.deep.equal([[call, OF, leaseIds, ...Object.values(more)]]);
    }
  });

  it('list deliveries by page', async () => {
    const query = {
      status: 'dead',
      event_id: 'e',
      subscription_id: SUBSCRIPTION,
      page: 3,
      limit: 7,
    };
    const reply = await ask('listDeliveries', { deliveries: [delivery, delivery] }, { query });
    expect(bodyOf(reply)).to.deep.equal({ items: [delivery, delivery], limit: 7, page: 3 });
    const search = { ...OF, status: 'dead', eventId: 'e' };
    expect(called).to.deep.equal([['deliveries', search, { offset: 14, limit: 7 }]]);
    await ask('listDeliveries', { deliveries: [] });
    expect(called).to.deep.equal([['deliveries', { tenantId: 'acme' }, { offset: 0, limit: 10 }]]);
  });

  it('retry, replay and ping', async () => {
    expect(bodyOf(await ask('retryDelivery', { retry: delivery }))).to.deep.equal(delivery);
    expect(called).to.deep.equal([['retry', 'acme', DELIVERY]]);
    const body = { from: NOW, to: NOW };
    expect(bodyOf(await ask('replayDeadLetters', { replay: 3 }, { body }))).to.deep.equal({
      replayed: 3,
    });
    expect(called).to.deep.equal([['replay', OF, body]]);
    const ping = await ask('testSubscription', { ping: delivery });
    expect([ping.status, bodyOf(ping)]).to.deep.equal([202, delivery]);
    expect(called).to.deep.equal([['ping', OF]]);
  });

  for (const [operation, call, body] of [
    ['pullMessages', 'pull', undefined],
    ['acknowledgeMessages', 'ack', { leaseIds: [] }],
    ['retryDelivery', 'retry', undefined],
    ['replayDeadLetters', 'replay', { ids: [DELIVERY] }],
    ['testSubscription', 'ping', undefined],
  ] as const) {
    it(`refuse ${operation} of a subscription or delivery that is gone`, async () => {
      const asked = ask(operation, { [call]: undefined }, body && { body });
      const refusal = await asked.then(
        () => undefined,
        (error: unknown) => error,
      );
      expect((refusal as Refusal | undefined)?.refusal).to.equal('NOT_FOUND');
    });
  }
});
