import { expect } from 'chai';
import type { Client } from '#test/support/client.ts';
import { got, made, NOBODY, type Book, type List } from './books.ts';
import type { Stage } from './provocations.ts';

/** A holder that was made under the key `used`, one that was erased, and the organization's own. */
export async function stageHolders(client: Client, { org }: Book): Promise<Stage> {
  const at = `/v2/organizations/${org}/holders`;
  const create = async (document: string, key: string): Promise<string> => {
    const body = { type: 'NATURAL_PERSON', name: 'Staged', document };
    return (await made<{ id: string }>(client, at, body, { 'X-Idempotency': key })).id;
  };
  const erased = await create('erased', 'of-the-erased');
  expect((await client.delete(`${at}/${erased}?hard_delete=true`)).status).to.equal(204);
  const [own] = (await got<List<{ id: string }>>(client, at)).items;
  return {
    holder_id: await create('staged', 'used'),
    erasure_certificate_id: NOBODY,
    'the own holder': own?.id ?? '',
  };
}
