import { uniqueEntities } from '#src/kernel/unique-values.ts';
import type { Client } from '#test/support/client.ts';
import {
  createAccount,
  createAsset,
  createLedger,
  exactly,
  made,
  posted,
  sending,
  transfer,
  type Book,
} from './books.ts';
import type { Stage } from './provocations.ts';
import { createOperationRoute } from './routes.ts';

/** A value that some record of every kind has, under a key that must be unique. */
export const TAKEN = { serial: 'taken' };

export async function stageValues(client: Client, { org, at }: Book, stage: Stage): Promise<void> {
  const metadata = TAKEN;
  const paths = uniqueEntities.map((entity) => `/v1/settings/metadata-indexes/entities/${entity}`);
  const index = { metadataKey: 'serial', unique: true };
  await Promise.all(paths.map((path) => made(client, path, index)));
  await createLedger(client, org, { metadata });
  await made(client, `${at}/segments`, { name: 'Taken', metadata });
  await made(client, `${at}/portfolios`, { name: 'Taken', metadata });
  await made(client, `${at}/account-types`, { name: 'Taken', keyValue: 'taken', metadata });
  await createAccount(client, at, { metadata });
  await createAsset(client, at, { code: 'TAKEN', metadata });
  for (const [level, where] of [
    ['', at],
    ['organization: ', `/v2/organizations/${org}`],
  ] as const) {
    await createOperationRoute(client, where, 'source', { metadata });
    const operationRoutes = ['source', 'destination'].map(
      (side) => stage[`the ${level}${side} route`],
    );
    await made(client, `${where}/transaction-routes`, {
      title: 'Taken',
      operationRoutes,
      metadata,
    });
  }
  await posted(client, at, { ...transfer('@alice', '@bob', '1'), metadata });
  const from = { ...exactly('@bob', '1'), metadata };
  await posted(client, at, sending('1', [from], [exactly('@alice', '1')]));
}
