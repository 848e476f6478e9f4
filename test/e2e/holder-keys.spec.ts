import { expect } from 'chai';
import { startVaultDouble, type VaultDouble } from '#test/doubles/vault/start.ts';
import { clientOf } from '#test/support/client.ts';
import { withSecretsOf } from '#test/support/record-keys.ts';
import { routes } from '#src/components/registry/routes.ts';
import { tracesIn } from '#test/support/byte-search.ts';
import {
  eventCount,
  removeFolder,
  startServer,
  stopServer,
  type Server,
} from '#test/support/server.ts';
import { createOrganization, made, openBook, type Book } from './books.ts';
import { expectProblem } from './problems.ts';

/** Nothing is stored in plain text, or shown half, when keys fail. */
describe('holders whose keys fail', function () {
  this.timeout(60_000);

  let vault: VaultDouble;
  let server: Server;
  let at = '';
  const client = clientOf(() => server);
  const withVault = () => ({
    KMS_VENDOR: 'hashicorp-vault',
    KMS_VAULT_ADDR: vault.url,
    KMS_VAULT_AUTH_METHOD: 'approle',
    KMS_VAULT_ROLE_ID: vault.roleId,
    KMS_VAULT_SECRET_ID: vault.secretId,
  });
  const start = async (dataDir?: string) =>
    startServer({ env: withVault(), ...(dataDir !== undefined && { dataDir }) });
  const person = (document: string) => ({ type: 'NATURAL_PERSON', name: 'Ana', document });

  before(async () => {
    vault = await startVaultDouble();
    server = await start();
    at = `/v2/organizations/${(await createOrganization(client)).id}/holders`;
  });
  after(async () => {
    client.close();
    await stopServer(server);
    await vault.stop();
    removeFolder(server.dataDir);
  });

  it('are refused with the error of the key service, and created when it is back', async () => {
    await made(client, at, person('first'));
    vault.fail({ status: 503, body: '{"errors":["Vault is sealed"]}' });
    const refused = await client.post(at, person('second'));
    expectProblem(refused, 503, 'CRM-0045');
    expect(refused.headers['retry-after']).to.equal('1');
    expect(refused.json()).to.deep.include({
      upstream: { code: '503', message: 'Vault is sealed' },
    });
    vault.fail(undefined);
    await made(client, at, person('second'));
  });

  it('are not shown if their stored key was altered', async () => {
    const { id } = await made<{ id: string }>(client, at, person('altered'));
    const { dataDir } = server;
    await stopServer(server);
    await alterKey(dataDir, id);
    server = await start(dataDir);
    expectProblem(await client.get(`${at}/${id}`), 500, 'CRM-0037');
  });
});

/** Keys that are opened stay in memory for five minutes, so each server here starts while the key service is down. */
describe('the registry while the key service is down', function () {
  this.timeout(120_000);

  let vault: VaultDouble;
  let server: Server;
  let org = '';
  let id = '';
  let erased = '';
  let certificate = '';
  let book: Book;
  let account = '';
  let instrument = '';
  let party = '';
  const client = clientOf(() => server, { impatient: true });
  const secret = 'Xq7Zsecret';
  const start = async (more: { dataDir?: string } = {}) =>
    startServer({
      ...more,
      env: {
        KMS_VENDOR: 'hashicorp-vault',
        KMS_VAULT_ADDR: vault.url,
        KMS_VAULT_AUTH_METHOD: 'approle',
        KMS_VAULT_ROLE_ID: vault.roleId,
        KMS_VAULT_SECRET_ID: vault.secretId,
      },
    });

  before(async () => {
    vault = await startVaultDouble();
    server = await start();
    book = await openBook(client, { accounts: ['@linked', '@other'] });
    org = book.org;
    const at = `/v2/organizations/${org}/holders`;
    const create = async (document: string) =>
      (await made<{ id: string }>(client, at, { type: 'LEGAL_PERSON', name: secret, document })).id;
    [id, erased] = [await create(`${secret}-1`), await create(`${secret}-2`)];
    const last = await create(`${secret}-3`);
    const erasure = await client.delete(`${at}/${last}?hard_delete=true`);
    certificate = String(erasure.headers['x-erasure-certificate']);
    const idOf = async (alias: string) =>
      ((await client.get(`${book.at}/accounts/alias/${alias}`)).json() as { id: string }).id;
    account = await idOf('@other');
    const linked = await made<{ id: string; relatedParties: { id: string }[] }>(
      client,
      `${at}/${id}/instruments`,
      {
        ...{ ledgerId: book.ledger, accountId: await idOf('@linked') },
        bankingDetails: { account: secret },
        relatedParties: [
          { document: secret, name: secret, role: 'PRIMARY_HOLDER', startDate: '2026-01-05' },
        ],
      },
    );
    instrument = linked.id;
    party = linked.relatedParties[0]!.id;
    await stopServer(server);
    vault.fail({ status: 503, body: '{"errors":["Vault is sealed"]}' });
    server = await start({ dataDir: server.dataDir });
  });
  after(async () => {
    client.close();
    await stopServer(server);
    await vault.stop();
    removeFolder(server.dataDir);
  });

  type Call = Readonly<{
    method: string;
    rest: string;
    body?: object;
    status: number;
    appends?: number;
  }>;
  const FAILS = 503;

  /** By operation; what needs no key is served. */
  const calls = (): Readonly<Record<string, readonly Call[]>> => ({
    createHolder: [
      {
        ...{ method: 'POST', rest: 'holders', status: FAILS },
        body: { type: 'NATURAL_PERSON', name: secret, document: `${secret}-4` },
      },
      {
        ...{ method: 'POST', rest: 'holders', status: FAILS },
        body: { type: 'NATURAL_PERSON', name: secret, document: `${secret}-1` },
      },
    ],
    updateHolder: [
      { method: 'PATCH', rest: `holders/${id}`, body: { name: `${secret} B` }, status: FAILS },
      { method: 'PATCH', rest: `holders/${id}`, body: { externalId: 'x' }, status: FAILS },
    ],
    listHolders: [
      { method: 'GET', rest: 'holders', status: FAILS },
      { method: 'GET', rest: `holders?document=${secret}-1`, status: FAILS },
      { method: 'GET', rest: 'holders?include_deleted=true&limit=1&page=2', status: FAILS },
    ],
    getHolder: [{ method: 'GET', rest: `holders/${id}`, status: FAILS }],
    createInstrument: [
      {
        ...{ method: 'POST', rest: `holders/${id}/instruments`, status: FAILS },
        body: { ledgerId: book.ledger, accountId: account, bankingDetails: { iban: secret } },
      },
    ],
    updateInstrument: [
      {
        ...{ method: 'PATCH', rest: `holders/${id}/instruments/${instrument}`, status: FAILS },
        body: { bankingDetails: { iban: secret } },
      },
    ],
    listInstruments: [
      { method: 'GET', rest: 'instruments', status: FAILS },
      { method: 'GET', rest: `instruments?banking_details_account=${secret}`, status: FAILS },
    ],
    listInstrumentsOfHolder: [], // Listed by header alone, as listInstruments does with a filter.
    getInstrument: [
      { method: 'GET', rest: `holders/${id}/instruments/${instrument}`, status: FAILS },
    ],
    listHolderAccounts: [{ method: 'GET', rest: `holders/${id}/accounts`, status: 200 }],
    openHolderAccount: [
      {
        ...{ method: 'POST', rest: `ledgers/${book.ledger}/holders/${id}/accounts`, status: 201 },
        body: { assetCode: 'BRL', type: 'deposit', bankingDetails: { iban: secret } },
        appends: 1,
      },
    ],
    provisionEncryption: [
      {
        ...{ method: 'POST', rest: 'encryption/provision', status: FAILS, appends: 1 },
        body: { actor: 'ops', reason: 'test' },
      },
    ],
    getEncryptionStatus: [{ method: 'GET', rest: 'encryption/status', status: 200 }],
    listProtectionAudit: [{ method: 'GET', rest: 'protection/audit', status: 200 }],
    getErasureCertificate: [
      { method: 'GET', rest: `erasure-certificates/${certificate}`, status: 200 },
    ],
    deleteRelatedParty: [
      {
        ...{ method: 'DELETE', status: 204, appends: 1 },
        rest: `holders/${id}/instruments/${instrument}/related-parties/${party}`,
      },
    ],
    deleteInstrument: [
      {
        ...{ method: 'DELETE', status: 204, appends: 2 },
        rest: `holders/${id}/instruments/${instrument}?hard_delete=true`,
      },
    ],
    deleteHolder: [
      { method: 'DELETE', rest: `holders/${erased}?hard_delete=true`, status: 204, appends: 3 },
    ],
  });

  it('refuses every operation that needs a key, stores nothing, and serves the others', async () => {
    const operations = routes.map(({ operationId }) => operationId);
    expect(Object.keys(calls())).to.have.members(operations);
    for (const [operation, several] of Object.entries(calls())) {
      for (const { method, rest, body, status, appends = 0 } of several) {
        const byPath = ['v1', 'v2'].map((version) => `/${version}/organizations/${org}/${rest}`);
        const byHeader = HEADERLESS.test(rest) ? [] : [`/v1/${rest}`];
        for (const path of appends > 0 ? byPath.slice(1) : [...byPath, ...byHeader]) {
          const before = await eventCount(server);
          const answer = await client.send({
            ...{ method, path },
            headers: { 'Content-Type': 'application/json', 'X-Organization-Id': org },
            ...(body && { body: JSON.stringify(body) }),
          });
          const call = `${operation}: ${method} ${path}`;
          expect(answer.status, `${call} ${answer.text}`).to.equal(status);
          if (status === FAILS) expectProblem(answer, FAILS, 'CRM-0045');
          expect(answer.text, call).not.to.include(secret);
          expect((await eventCount(server)) - before, call).to.equal(appends);
        }
      }
    }
    expect(tracesIn(server.dataDir, { secret })).to.deep.equal([]);
  });

  it('shows in the audit that the attempt has failed', async () => {
    const path = `/v2/organizations/${org}/protection/audit?actor=ops`;
    const { items } = (await client.get(path)).json() as { items: { outcome: string }[] };
    expect(items.map(({ outcome }) => outcome)).to.deep.equal(['failure']);
  });
});

/** Mounts with a header do not have these operations. */
const HEADERLESS = /^(?:encryption|protection|instruments|ledgers)|\/(?:instruments|accounts)/;

const alterKey = (dataDir: string, id: string): Promise<void> =>
  withSecretsOf(dataDir, async (secrets) => {
    const store = await secrets.open();
    for await (const { name, secret } of store.list()) {
      if (!name.includes(id)) continue;
      await store.put(name, secret.value.with(-2, secret.value.at(-2)! ^ 1));
    }
  });
