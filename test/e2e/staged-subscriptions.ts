import { expect } from 'chai';
import type { Client } from '#test/support/client.ts';
import { made, NOBODY } from './books.ts';
import type { Stage } from './provocations.ts';

/** A subscription of a webhook, made under the key `used`, and one of pull. */
export async function stageSubscriptions(client: Client): Promise<Stage> {
  const create = async (target: object, headers = {}): Promise<string> => {
    const body = { name: 'Staged', target };
    return (await made<{ id: string }>(client, '/v1/subscriptions', body, headers)).id;
  };
  const webhook = { kind: 'webhook', url: 'https://hooks.example/quipu' };
  const pausedPull = await create({ kind: 'pull' });
  const paused = await create(webhook);
  for (const id of [paused, pausedPull]) {
    expect((await client.post(`/v1/subscriptions/${id}/pause`)).status).to.equal(200);
  }
  return {
    'the paused subscription': paused,
    'the paused pull subscription': pausedPull,
    delivery_id: NOBODY,
    replay_id: NOBODY,
    subscription_id: await create(webhook, { 'X-Idempotency': 'used' }),
    'the pull subscription': await create({ kind: 'pull' }),
  };
}
