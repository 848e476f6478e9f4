import { expect } from 'chai';
import { systemIds } from '#src/adapters/system.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { appendEvent } from '#test/support/append-event.ts';
import { clientOf } from '#test/support/client.ts';
import { quipu } from '#test/support/quipu.ts';
import { withRecordKeys } from '#test/support/record-keys.ts';
import { removeFolder, startServer, stopServer, until, type Server } from '#test/support/server.ts';
import { inFolders, storesOf } from '#test/support/stores.ts';
import {
  createAccount,
  createAsset,
  createLedger,
  createOrganization,
  made,
  openBook,
} from './books.ts';
import { expectProblem } from './problems.ts';

/** A process goes on with what a dead one left behind, whichever line that had come to. */
describe('holders that a crash interrupted', function () {
  this.timeout(120_000);

  let server: Server;
  let org = '' as Uuid;
  const client = clientOf(() => server);
  before(async () => {
    server = await startServer();
    org = (await createOrganization(client)).id;
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  const at = (rest = '') => `/v2/organizations/${org}/holders${rest}`;
  const person = (document: string) => ({ type: 'NATURAL_PERSON', name: 'Ana', document });
  const create = async (document: string): Promise<string> =>
    (await made<{ id: string }>(client, at(), person(document))).id;

  it('do not keep a document whose creation was never recorded', async () => {
    await create('first');
    await stopServer(server);
    await withRecordKeys(server.dataDir, async (keys) => {
      const scope = { tenantId: 'default', organizationId: org };
      const [token = ''] = await keys.tokens(scope, [{ field: 'document', value: 'orphan' }]);
      const record = { ...scope, recordId: systemIds().next() };
      await keys.create(record, { tokens: [token], claims: [{ token }] });
    });
    server = await startServer({ dataDir: server.dataDir });

    const answers = await Promise.all([1, 2, 3].map(() => client.post(at(), person('orphan'))));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409]);
    const found = await client.get(at('?document=orphan'));
    expect((found.json() as { items: unknown[] }).items).to.have.length(1);
    const events = await storesOf(server.dataDir).events(`registry-${org}`);
    expect(events.map(({ type }) => type)).to.include('HolderRevoked');
  });

  it('are erased at the next start, if their erasure had begun', async () => {
    const id = await create('doomed');
    await stopServer(server);
    const certificateId = systemIds().next();
    await appendEvent(server.dataDir, `registry-${org}`, 'HolderErasureBegun', {
      erasure: {
        certificateId,
        organizationId: org,
        holderId: id,
        begunAt: '2026-01-05T10:00:00Z',
      },
    });
    server = await startServer({ dataDir: server.dataDir });

    expectProblem(await client.get(at(`/${id}`)), 404, 'CRM-0006');
    const certificate = `/v2/organizations/${org}/erasure-certificates/${certificateId}`;
    const isErased = async () => (await client.get(certificate)).status === 200;
    await until(isErased, 30_000, 'the certificate');
    await create('doomed');
    await stopServer(server);
    await withRecordKeys(server.dataDir, async (keys) => {
      const record = { tenantId: 'default', organizationId: org, recordId: id as Uuid };
      expect(await keys.open(record)).to.equal(undefined);
    });
    server = await startServer({ dataDir: server.dataDir });
  });

  for (const deletion of ['soft', 'hard'] as const) {
    const interrupt = async (id: string): Promise<void> => {
      await stopServer(server);
      await appendEvent(server.dataDir, `registry-${org}`, 'HolderClosingBegun', {
        closing: { organizationId: org, holderId: id, deletion, begunAt: '2026-01-05T10:00:00Z' },
      });
      server = await startServer({ dataDir: server.dataDir });
    };
    const lastOf = async (id: string): Promise<string | undefined> =>
      (await storesOf(server.dataDir).events(`registry-${org}`))
        .filter(({ data }) => data.includes(id))
        .at(-1)?.type;

    it(`are deleted at the next start, if their ${deletion} deletion had begun`, async () => {
      const id = await create(`closing ${deletion}`);
      await interrupt(id);
      const isGone = async () => (await client.get(at(`/${id}`))).status === 404;
      await until(isGone, 30_000, 'the deletion');
      const last = deletion === 'soft' ? 'HolderDeleted' : 'HolderErased';
      await until(async () => (await lastOf(id)) === last, 30_000, last);
      await create(`closing ${deletion}`);
    });

    it(`are kept at the next start, if they own an account, whose ${deletion} deletion had begun`, async () => {
      const id = await create(`owner ${deletion}`);
      const ledger = `/v1/organizations/${org}/ledgers/${(await createLedger(client, org)).id}`;
      await createAsset(client, ledger);
      await createAccount(client, ledger, { holderId: id });
      await interrupt(id);
      const isUndone = async () => (await lastOf(id)) === 'HolderClosingUndone';
      await until(isUndone, 30_000, 'the end of the closing');
      expect((await client.get(at(`/${id}`))).status).to.equal(200);
      await createAccount(client, ledger, { holderId: id });
    });
  }

  inFolders.it('leave a log that is verified without any key', async () => {
    const { code, stdout, stderr } = await quipu(['verify', server.dataDir]);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.contain(`registry-${org}`);
  });

  inFolders.it(
    'take their deleted instruments with them, whichever of these a crash came between',
    async () => {
      const holder = await create('linked');
      const book = await openBook(client, { assets: ['BRL'] });
      org = book.org as Uuid;
      const owner = await create('linked');
      expect(owner).not.to.equal(holder);
      const instruments: string[] = [];
      for (let n = 0; n < 3; n += 1) {
        const { id: accountId } = await createAccount(client, book.at);
        const body = { ledgerId: book.ledger, accountId };
        const { id } = await made<{ id: string }>(client, at(`/${owner}/instruments`), body);
        expect((await client.delete(at(`/${owner}/instruments/${id}`))).status).to.equal(204);
        instruments.push(id);
      }
      await stopServer(server);
      const [certificateId, ofInstrument] = [systemIds().next(), systemIds().next()];
      const erasure = { organizationId: org, holderId: owner, begunAt: '2026-01-05T10:00:00Z' };
      await appendEvent(server.dataDir, `registry-${org}`, 'HolderErasureBegun', {
        erasure: { certificateId, ...erasure },
      });
      await appendEvent(server.dataDir, `registry-${org}`, 'InstrumentErasureBegun', {
        erasure: { certificateId: ofInstrument, ...erasure, instrumentId: instruments[0] },
      });
      server = await startServer({ dataDir: server.dataDir });

      for (const id of [certificateId, ofInstrument]) {
        const certificate = `/v2/organizations/${org}/erasure-certificates/${id}`;
        const isErased = async () => (await client.get(certificate)).status === 200;
        await until(isErased, 30_000, 'the certificate');
      }
      const list = `/v2/organizations/${org}/instruments?include_deleted=true`;
      expect((await client.get(list)).json()).to.deep.include({ items: [] });
      await stopServer(server);
      await withRecordKeys(server.dataDir, async (keys) => {
        for (const recordId of [owner, ...instruments] as Uuid[]) {
          const record = { tenantId: 'default', organizationId: org, recordId };
          expect(await keys.open(record), recordId).to.equal(undefined);
        }
      });
      const { code, stdout, stderr } = await quipu(['verify', server.dataDir]);
      expect(code, stdout + stderr).to.equal(0);
      const events = await storesOf(server.dataDir).events(`registry-${org}`);
      const types = events.map(({ type }) => type);
      expect(types.filter((type) => type === 'InstrumentErased')).to.have.length(3);
      expect(types.at(-1)).to.equal('HolderErased');
      server = await startServer({ dataDir: server.dataDir });
    },
  );

  it('are erased by a repeated request', async () => {
    const id = await create('twice');
    const [one, two] = await Promise.all(
      [1, 2].map(() => client.delete(at(`/${id}?hard_delete=true`))),
    );
    const certificates = [one, two].map((answer) => answer?.headers['x-erasure-certificate']);
    expect([one?.status, two?.status].every((status) => status === 204 || status === 404)).to.equal(
      true,
    );
    expect(new Set(certificates.filter((sent) => sent !== undefined)).size).to.equal(1);
  });
});
