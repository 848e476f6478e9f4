import type { ExampleApi } from './example-api.ts';

/** Runs the metadata indexes, and deletes what it created, because they are shared by all organizations. */
export async function exampleSettings({ call }: ExampleApi): Promise<void> {
  const account = { entity_name: 'account' };
  await call('createMetadataIndex', {
    path: account,
    body: { metadataKey: 'branch', unique: false },
  });
  await call('listMetadataIndexes');
  await call('deleteMetadataIndex', { path: { ...account, index_key: 'branch' } });
}
