import { expect } from 'chai';
import type { Replay } from '#src/kernel/replay.ts';
import { clientOf } from '#test/support/client.ts';
import { eventCount, serverOfBlock } from '#test/support/server.ts';
import { got, type List } from './books.ts';
import { expectProblem } from './problems.ts';

const STREAMING = { STREAMING_ENABLED: 'true', STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger' };
const PATH = '/v1/streaming/replays';
const WINDOW = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00.5+01:00' };
const CHOSEN = { keys: ['account.created'], subjects: ['0190a1c0-0000-7000-8000-0000000000aa'] };

describe('replays', () => {
  describe('with a broker', () => {
    // Nothing listens there: a request is accepted whether or not the broker is available.
    const server = serverOfBlock({ env: { ...STREAMING, STREAMING_BROKERS: '127.0.0.1:1' } });
    const client = clientOf(server);
    after(() => client.close());

    it('are accepted, shown and listed', async () => {
      const answer = await client.post(PATH, { ...WINDOW, ...CHOSEN });
      expect(answer.status, answer.text).to.equal(202);
      const replay = answer.json() as Replay;
      expect(replay).to.deep.include({ ...CHOSEN, status: 'pending' });
      expect([replay.from, replay.to]).to.deep.equal([
        '2026-01-01T00:00:00.000000Z',
        '2026-01-01T23:00:00.500000Z',
      ]);
      expect(await got<Replay>(client, `${PATH}/${replay.id}`)).to.include({ id: replay.id });
      const { items } = await got<List<Replay>>(client, PATH);
      expect(items.map(({ id }) => id)).to.include(replay.id);
    });

    it('are completed when the log has nothing to publish', async () => {
      const { id } = (await client.post(PATH, WINDOW)).json() as Replay;
      let status = 'pending';
      for (let tries = 0; status === 'pending' && tries < 100; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        ({ status } = await got<Replay>(client, `${PATH}/${id}`));
      }
      expect(status).to.equal('completed');
    });

    it('are requested once under an idempotency key', async () => {
      const key = { 'X-Idempotency': 'replay' };
      const first = await client.post(PATH, WINDOW, key);
      const again = await client.post(PATH, WINDOW, key);
      expect([again.status, again.text]).to.deep.equal([202, first.text]);
      expect(again.headers['x-idempotency-replayed']).to.equal('true');
    });

    it('are refused, and not recorded, when they make no sense', async () => {
      const before = await eventCount(server(), 'ReplayCreated');
      for (const body of [
        { ...WINDOW, keys: ['account.unheard'] },
        { ...WINDOW, keys: ['contract.signed'] }, // Another producer's.
        { ...WINDOW, keys: [] },
        { ...WINDOW, keys: 'account.created' },
        { ...WINDOW, subjects: [7] },
        { ...WINDOW, from: 'yesterday' },
        { ...WINDOW, to: '2026-02-30T00:00:00Z' },
        { from: WINDOW.to, to: WINDOW.from },
        { from: WINDOW.from },
        { ...WINDOW, tenantId: 'other' },
      ]) {
        const answer = await client.post(PATH, body);
        expect(answer.status, JSON.stringify(body)).to.equal(400);
      }
      expect(await eventCount(server(), 'ReplayCreated')).to.equal(before);
    });
  });

  describe('without a broker', () => {
    const server = serverOfBlock({ env: STREAMING });
    const client = clientOf(server);
    after(() => client.close());

    it('are refused, because topics are computed from the log', async () => {
      const before = await eventCount(server(), 'ReplayCreated');
      const answer = await client.post(PATH, WINDOW);
      expectProblem(answer, 422, 'LDG-0555', { entityType: 'Replay' });
      expect(await eventCount(server(), 'ReplayCreated')).to.equal(before);
    });
  });
});
