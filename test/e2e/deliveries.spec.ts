import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { serverOfBlock } from '#test/support/server.ts';
import { got, made, NOBODY } from './books.ts';
import { expectProblem } from './problems.ts';

const AT = '/v1/subscriptions';

describe('deliveries', () => {
  const client = clientOf(serverOfBlock());
  after(() => client.close());
  let pulled = '';
  let sent = '';
  before(async () => {
    const create = async (target: object) =>
      (await made<{ id: string }>(client, AT, { name: 'Books', target })).id;
    pulled = await create({ kind: 'pull' });
    sent = await create({ kind: 'webhook', url: 'https://hooks.example/quipu' });
  });
  const messages = (call: string, body?: unknown, id = pulled) =>
    client.post(`${AT}/${id}/messages/${call}`, body);

  const calls: [string, object][] = [
    ['pull', {}],
    ['ack', { leaseIds: ['x'] }],
    ['nack', { leaseIds: ['x'] }],
    ['extend', { leaseIds: ['x'], leaseMs: 1000 }],
  ];
  for (const [call, body] of calls) {
    it(`are not known to ${call} of a subscription that does not exist, or is not pulled`, async () => {
      expectProblem(await messages(call, body, NOBODY), 404, 'LDG-0007', {
        entityType: 'Subscription',
      });
      expectProblem(await messages(call, body, sent), 422, 'LDG-0552', {
        entityType: 'Subscription',
      });
    });
  }

  for (const [call, body, code, location] of [
    ['pull', { max: 0 }, 'LDG-0047', 'max'],
    ['pull', { max: 1001 }, 'LDG-0047', 'max'],
    ['pull', { waitMs: -1 }, 'LDG-0047', 'waitMs'],
    ['pull', { waitMs: 20_001 }, 'LDG-0047', 'waitMs'],
    ['pull', { leaseMs: 0 }, 'LDG-0047', 'leaseMs'],
    ['pull', { leaseMs: 600_001 }, 'LDG-0047', 'leaseMs'],
    ['pull', { leaseMs: '1' }, 'LDG-0094', 'leaseMs'],
    ['pull', { min: 1 }, 'LDG-0053', 'min'],
    ['ack', {}, 'LDG-0009', 'leaseIds'],
    ['ack', { leaseIds: 'x' }, 'LDG-0094', 'leaseIds'],
    ['ack', { leaseIds: [''] }, 'LDG-0047', 'leaseIds[0]'],
    ['ack', { leaseIds: ['x'.repeat(257)] }, 'LDG-0047', 'leaseIds[0]'],
    ['ack', { leaseIds: Array(1001).fill('x') }, 'LDG-0047', 'leaseIds'],
    ['nack', { leaseIds: [], delayMs: 86_400_001 }, 'LDG-0047', 'delayMs'],
    ['extend', { leaseIds: [] }, 'LDG-0009', 'leaseMs'],
    ['extend', { leaseIds: [], leaseMs: 600_001 }, 'LDG-0047', 'leaseMs'],
  ] as const) {
    it(`are refused to ${call} with ${JSON.stringify(body).slice(0, 40)}`, async () => {
      expectProblem(await messages(call, body), 400, code, { locations: [location] });
    });
  }

  it('are none before an event', async () => {
    for (const body of [undefined, {}, { max: 1000, waitMs: 0, leaseMs: 600_000 }]) {
      const answer = await client.send({
        method: 'POST',
        path: `${AT}/${pulled}/messages/pull`,
        ...(body && {
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        }),
      });
      expect([answer.status, answer.json()]).to.deep.equal([200, { messages: [] }]);
    }
    const list = { items: [], limit: 10, page: 1 };
    expect(await got(client, '/v1/deliveries')).to.deep.equal(list);
    const query = `subscription_id=${sent}&status=dead&event_id=x&limit=100&page=3`;
    expect(await got(client, `/v1/deliveries?${query}`)).to.deep.equal({
      ...list,
      limit: 100,
      page: 3,
    });
    expect(await got(client, `${AT}/${sent}/dead-letters`)).to.deep.equal(list);
  });

  it('tell leases that are not valid', async () => {
    for (const [call, verb] of [
      ['ack', 'acked'],
      ['nack', 'nacked'],
      ['extend', 'extended'],
    ] as const) {
      const body = { leaseIds: ['x', 'y'], ...(call === 'extend' && { leaseMs: 1 }) };
      const { status, json } = await messages(call, body);
      expect([status, json()]).to.deep.equal([200, { [verb]: 0, expired: ['x', 'y'] }]);
    }
  });

  for (const [query, code] of [
    ['subscription_id=x', 'LDG-0082'],
    ['status=lost', 'LDG-0082'],
    ['limit=0', 'LDG-0082'],
    ['page=0', 'LDG-0082'],
    ['page=10001', 'LDG-0082'],
    ['limit=x', 'LDG-0082'],
    ['limit=101', 'LDG-0080'],
  ] as const) {
    it(`are not listed by ${query}`, async () => {
      expectProblem(await client.get(`/v1/deliveries?${query}`), 400, code);
    });
  }

  it('are retried one by one, if they exist', async () => {
    const answer = await client.post(`/v1/deliveries/${NOBODY}/retry`);
    expectProblem(answer, 404, 'LDG-0007', { entityType: 'Delivery' });
  });

  it('that are dead are replayed by ids or by a window', async () => {
    const replay = (body: object, id = sent) =>
      client.post(`${AT}/${id}/dead-letters/replay`, body);
    const [from, to] = ['2026-01-05T10:00:00Z', '2026-01-06T10:00:00Z'];
    for (const body of [{ ids: [NOBODY] }, { from, to }]) {
      const { status, json } = await replay(body);
      expect([status, json()]).to.deep.equal([200, { replayed: 0 }]);
      expectProblem(await replay(body, NOBODY), 404, 'LDG-0007');
    }
    for (const [body, code, location] of [
      [{}, 'LDG-0009', 'ids'],
      [{ from }, 'LDG-0009', 'to'],
      [{ to }, 'LDG-0009', 'from'],
      [{ ids: [NOBODY], from }, 'LDG-0047', 'from'],
      [{ ids: [NOBODY], to }, 'LDG-0047', 'to'],
      [{ ids: [] }, 'LDG-0047', 'ids'],
      [{ ids: ['x'] }, 'LDG-0047', 'ids[0]'],
      [{ from: to, to: from }, 'LDG-0078', 'to'],
    ] as const) {
      expectProblem(await replay(body), 400, code, { locations: [location] });
    }
    expect((await client.get(`${AT}/${NOBODY}/dead-letters`)).status).to.equal(404);
  });

  it('of a ping are refused for a subscription that is paused, and where nothing is delivered', async () => {
    const ping = () => client.post(`${AT}/${sent}/test`);
    expectProblem(await ping(), 422, 'LDG-0554', { entityType: 'Subscription' });
    const stream = await client.get(`${AT}/${pulled}/stream`);
    expectProblem(stream, 422, 'LDG-0554', { entityType: 'Subscription' });
    await client.post(`${AT}/${sent}/pause`);
    expectProblem(await ping(), 422, 'LDG-0553', { entityType: 'Subscription' });
    expectProblem(await client.post(`${AT}/${NOBODY}/test`), 404, 'LDG-0007');
  });
});
