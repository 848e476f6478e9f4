import { expect } from 'chai';
import type { Answer, Client } from '#test/support/client.ts';
import { keys } from '#test/support/metadata-samples.ts';
import { exactly, made, posted, sending, type Book } from './books.ts';
import { createOperationRoute, createTransactionRoute } from './routes.ts';

/** A record with as many keys of metadata as there may be. `merge`: what it answers to more of them. */
export type FullRecord = Readonly<{
  path: string;
  merge: (metadata: object) => Promise<Answer>;
}>;

/** One of every kind that is patched by merging; no request had all 100 keys. */
export async function fullRecords(client: Client, { org, at }: Book): Promise<FullRecord[]> {
  const metadata = keys(60);
  const above = `/v1/organizations/${org}`;
  const transaction = await posted(
    client,
    at,
    sending('1', [{ ...exactly('@alice', '1'), metadata }], [exactly('@bob', '1')], { metadata }),
  );
  const operation = transaction.operations.find(({ direction }) => direction === 'debit');
  const paths = [
    `${at}/transactions/${transaction.id}`,
    `${at}/transactions/${transaction.id}/operations/${operation?.id}`,
  ];
  const create = async (list: string, fields: object): Promise<void> => {
    const { id } = await made<{ id: string }>(client, list, { ...fields, metadata });
    paths.push(`${list}/${id}`);
  };
  await create('/v1/organizations', { legalName: 'Full', legalDocument: '1' });
  await create(`${above}/ledgers`, { name: 'Full' });
  await create(`${at}/segments`, { name: 'Full' });
  await create(`${at}/portfolios`, { name: 'Full' });
  await create(`${at}/account-types`, { name: 'Full', keyValue: 'full' });
  await create(`${at}/accounts`, { assetCode: 'BRL', type: 'deposit' });
  for (const where of [at, `/v2/organizations/${org}`]) {
    const source = await createOperationRoute(client, where, 'source', { metadata });
    const both = await createOperationRoute(client, where, 'bidirectional');
    const route = await createTransactionRoute(client, where, [source, both], { metadata });
    paths.push(`${where}/operation-routes/${source.id}`, `${where}/transaction-routes/${route.id}`);
  }
  const records = paths.map((path) => ({
    path,
    merge: (more: object) => client.patch(path, { metadata: more }),
  }));
  for (const { path, merge } of records) {
    const answer = await merge(keys(40, 60));
    expect(answer.status, `${path}: ${answer.text}`).to.equal(200);
    expect(answer.json()).to.deep.include({ metadata: keys(100) });
  }
  return records;
}
