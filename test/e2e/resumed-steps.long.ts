import { expect } from 'chai';
import { systemIds } from '#src/adapters/system.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { hashOf } from '#src/kernel/event-hash.ts';
import { seal } from '#src/journal/chain.ts';
import { clientOf } from '#test/support/client.ts';
import { removeFolder, startServer, stopServer, until, type Server } from '#test/support/server.ts';
import { storesOf } from '#test/support/stores.ts';
import { createLedger, createOrganization, got, made, type Ledger } from './books.ts';
import { expectProblem } from './problems.ts';

/** What a process that died between two steps leaves in the log, the next one finishes by itself. */
describe('steps that a crash interrupted', function () {
  this.timeout(120_000);

  let server: Server;
  const client = clientOf(() => server);
  before(async () => (server = await startServer()));
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  it('are finished at the next start: a ledger gets its new name, another one its metadata, a third one frees its names', async () => {
    const org = (await createOrganization(client)).id;
    const ledgers = `/v1/organizations/${org}/ledgers`;
    const renamed = await createLedger(client, org, { name: 'Retail' });
    const closed = await createLedger(client, org, { name: 'Passing' });
    const marked = await createLedger(client, org, { name: 'Marked', metadata: { code: 'a' } });
    const index = { metadataKey: 'code', unique: true };
    await made(client, '/v1/settings/metadata-indexes/entities/ledger', index);

    await stopServer(server);
    const { organizationId: _, ...image } = closed;
    await append(server.dataDir, `organization-${org}`, 'LedgerRenameReserved', {
      ledgerId: renamed.id,
      name: 'Shops',
      changes: { status: { code: 'INACTIVE', description: null } },
    });
    await append(server.dataDir, `organization-${org}`, 'LedgerMetadataReserved', {
      ledgerId: marked.id,
      changes: { metadata: { code: null, more: 1 } },
    });
    await append(server.dataDir, `ledger-${closed.id}`, 'LedgerClosed', {
      ledger: { ...image, organizationId: org, deletedAt: image.updatedAt },
    });
    server = await startServer({ dataDir: server.dataDir });

    const isFree = async (name: string) => (await client.post(ledgers, { name })).status === 201;
    await until(() => isFree('Retail'), RESUMED_MS, 'the old name of the renamed ledger');
    const after = await got<Ledger>(client, `${ledgers}/${renamed.id}`);
    expect(after).to.deep.include({
      name: 'Shops',
      status: { code: 'INACTIVE', description: null },
    });
    expectProblem(await client.post(ledgers, { name: 'shops' }), 409, 'LDG-0002');
    const coded = { name: 'Coded', metadata: { code: 'a' } };
    const isCodeFree = async () => (await client.post(ledgers, coded)).status === 201;
    await until(isCodeFree, RESUMED_MS, 'the value that the marked ledger has no more');
    const other = await got<Ledger>(client, `${ledgers}/${marked.id}`);
    expect(other.metadata).to.deep.equal({ more: 1 });
    await until(() => isFree('Passing'), RESUMED_MS, 'the name of the deleted ledger');
    expectProblem(await client.get(`${ledgers}/${closed.id}`), 404, 'LDG-0007');
  });
});

/** A server that has no time for it at its start comes back to it every 15 s. */
const RESUMED_MS = 45_000;

/** Puts an event at the end of a journal, as its writer would have. */
async function append(dataDir: string, stream: string, type: string, image: object): Promise<void> {
  const last = (await storesOf(dataDir).events(stream)).at(-1);
  if (last === undefined) throw new Error(`${stream} is empty`);
  const { hash: _, ...metadata } = JSON.parse(last.metadata) as EventMetadata;
  const data = JSON.stringify(image);
  const sealed = seal(type, data, { ...metadata, prevHash: hashOf(last.metadata) });
  const event = { id: systemIds().next(), type, data, metadata: sealed.metadata };
  await storesOf(dataDir).append(stream, event, last.revision);
}
