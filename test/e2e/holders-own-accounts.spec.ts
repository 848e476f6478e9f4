import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { quipu } from '#test/support/quipu.ts';
import { removeFolder, startServer, stopServer, type Server } from '#test/support/server.ts';
import { inFolders, PROFILE, storesOf } from '#test/support/stores.ts';
import {
  createAccount,
  createAsset,
  createLedger,
  createOrganization,
  got,
  made,
  NOBODY,
  openBook,
  type Account,
  type Book,
  type List,
} from './books.ts';
import { expectProblem } from './problems.ts';

/** People own accounts, and stay while they do. */
describe('holders own accounts', function () {
  this.timeout(120_000);

  let server: Server;
  const client = clientOf(() => server);
  before(async () => {
    server = await startServer();
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  let documents = 0;
  const holdersOf = (org: string) => `/v2/organizations/${org}/holders`;
  const createHolder = async (org: string): Promise<string> => {
    documents += 1;
    const body = { type: 'NATURAL_PERSON', name: 'Ana', document: String(documents) };
    return (await made<{ id: string }>(client, holdersOf(org), body)).id;
  };
  const ownHolder = async (org: string): Promise<string> =>
    (await got<List<{ id: string }>>(client, holdersOf(org))).items[0]?.id ?? '';
  const eventsOf = async (org: string): Promise<readonly string[]> =>
    (await storesOf(server.dataDir).events(`registry-${org}`)).map(({ type }) => type);
  const inBothVersions = (at: string) => [at.replace('/v2/', '/v1/'), at.replace('/v1/', '/v2/')];
  const anotherLedger = async ({ org, ledger, at }: Book, fields: object = {}): Promise<Book> => {
    const { id } = await createLedger(client, org, fields);
    const book = { org, ledger: id, at: at.replace(ledger, id) };
    await createAsset(client, book.at);
    return book;
  };

  describe('that the registry knows', () => {
    it('in both versions, and only while they are live', async () => {
      const book = await openBook(client);
      const holderId = await createHolder(book.org);
      const elsewhere = await createHolder((await createOrganization(client)).id);
      const deleted = await createHolder(book.org);
      const erased = await createHolder(book.org);
      expect((await client.delete(`${holdersOf(book.org)}/${deleted}`)).status).to.equal(204);
      const erasure = `${holdersOf(book.org)}/${erased}?hard_delete=true`;
      expect((await client.delete(erasure)).status).to.equal(204);

      for (const at of inBothVersions(book.at)) {
        const account = await createAccount(client, at, { holderId });
        expect(account).to.include({ holderId, holderCheckSkipped: false });
        for (const stranger of [NOBODY, elsewhere, deleted, erased]) {
          const body = { assetCode: 'BRL', type: 'deposit', holderId: stranger };
          const answer = await client.post(`${at}/accounts`, body);
          expectProblem(answer, 404, 'CRM-0006', { locations: ['holderId'] });
        }
      }
    });

    it('where the ledger requires one, unless that may be skipped', async () => {
      const first = await openBook(client);
      const holderId = await createHolder(first.org);
      const accounting = { requireHolder: true };
      const strict = await anotherLedger(first, { settings: { accounting } });
      const overrides = { allowHolderSkip: true };
      const lenient = await anotherLedger(first, { settings: { accounting, overrides } });

      for (const [version, at] of inBothVersions(strict.at).entries()) {
        const body = { assetCode: 'BRL', type: 'deposit' };
        expectProblem(await client.post(`${at}/accounts`, body), 422, 'LDG-0491');
        const skipping = { ...body, skip: { holder: true } };
        expectProblem(await client.post(`${at}/accounts`, skipping), 422, 'LDG-0490');
        const account = await createAccount(client, at, { holderId });
        expect(account).to.include({ holderId, holderCheckSkipped: false });

        const there = inBothVersions(lenient.at)[version] ?? '';
        expectProblem(await client.post(`${there}/accounts`, body), 422, 'LDG-0491');
        const skipped = await createAccount(client, there, { skip: { holder: true } });
        expect(skipped).to.include({ holderId: null, holderCheckSkipped: true });
        const named = await createAccount(client, there, { skip: { holder: true }, holderId });
        expect(named).to.include({ holderId, holderCheckSkipped: false });
      }
    });
  });

  describe('listed', () => {
    const accountsOf = (org: string, holder: string, query = '', version = 2) =>
      `/v${version}/organizations/${org}/holders/${holder}/accounts${query}`;
    const ids = ({ items }: List<Account>) => items.map(({ id }) => id);

    it('across all ledgers of the organization, in the form of accounts', async () => {
      const book = await openBook(client);
      const other = await anotherLedger(book);
      const holder = await createHolder(book.org);
      const opened: Account[] = [];
      for (const at of [book.at, other.at, book.at]) {
        opened.push(await createAccount(client, at, { holderId: holder }));
      }
      await createAccount(client, book.at);
      const [first, second, third] = opened.map(({ id }) => id);

      for (const version of [1, 2]) {
        const list = (query = '') =>
          got<List<Account>>(client, accountsOf(book.org, holder, query, version));
        expect(await list()).to.deep.equal({ items: opened, page: 1, limit: 10 });
        expect(ids(await list('?sort_order=desc'))).to.deep.equal([third, second, first]);
        expect(ids(await list('?limit=1&page=2'))).to.deep.equal([second]);
        expect(ids(await list('?limit=2&page=2'))).to.deep.equal([third]);
        expect(ids(await list(`?ledger_id=${other.ledger.toUpperCase()}`))).to.deep.equal([second]);
        expect(ids(await list(`?ledger_id=${NOBODY}`))).to.deep.equal([]);
        expect(ids(await list('?metadata.a=b&unknown=1'))).to.deep.equal([first, second, third]);
      }
    });

    it('as they are now, without those that were deleted or whose ledger was', async () => {
      const book = await openBook(client);
      const other = await anotherLedger(book);
      const holderId = await createHolder(book.org);
      const kept = await createAccount(client, book.at, { holderId });
      const gone = await createAccount(client, book.at, { holderId });
      const lost = await createAccount(client, other.at, { holderId });
      const list = (query = '') =>
        got<List<Account>>(client, accountsOf(book.org, holderId, query));
      expect(ids(await list())).to.deep.equal([kept.id, gone.id, lost.id]);

      await client.patch(`${book.at}/accounts/${kept.id}`, { name: 'Renamed' });
      await client.delete(`${book.at}/accounts/${gone.id}`);
      expect((await list()).items.map(({ name }) => name)).to.deep.equal(['Renamed', lost.name]);
      expect((await client.delete(other.at)).status).to.equal(204);
      expect(ids(await list())).to.deep.equal([kept.id]);
      expect(ids(await list(`?ledger_id=${other.ledger}`))).to.deep.equal([]);
    });

    it('of the organization itself, which owns what nobody else does', async () => {
      const book = await openBook(client, { accounts: ['@one', '@two'] });
      const list = await got<List<Account>>(
        client,
        accountsOf(book.org, await ownHolder(book.org)),
      );
      expect(list.items.map(({ alias }) => alias)).to.deep.equal(['@one', '@two']);
    });

    it('of nobody is refused', async () => {
      const { org } = await openBook(client);
      const deleted = await createHolder(org);
      await client.delete(`${holdersOf(org)}/${deleted}`);
      for (const version of [1, 2]) {
        for (const holder of [NOBODY, deleted]) {
          const answer = await client.get(accountsOf(org, holder, '', version));
          expectProblem(answer, 404, 'CRM-0006');
        }
        const elsewhere = await client.get(accountsOf(NOBODY, deleted, '', version));
        expectProblem(elsewhere, 404, 'LDG-0038');
        const malformed = await client.get(accountsOf(org, deleted, '?ledger_id=x', version));
        expectProblem(malformed, 400, 'CRM-0016');
        const noId = await client.get(accountsOf(org, 'x', '', version));
        expectProblem(noId, 400, 'CRM-0005');
      }
    });
  });

  describe('that are opened for them', () => {
    type Opened = Readonly<{
      account: Account;
      instrument: Readonly<Record<string, unknown>> | null;
      instrumentError?: Readonly<{ status: string; reason: string }>;
    }>;
    const banking = { bankingDetails: { branch: '0001', account: '12345-6' } };
    const opening = { assetCode: 'BRL', type: 'deposit' };

    it('in both versions, alone or with an instrument', async () => {
      const book = await openBook(client);
      const holder = await createHolder(book.org);
      for (const at of inBothVersions(book.at)) {
        const path = `${at}/holders/${holder}/accounts`;
        const alone = await made<Opened>(client, path, { ...opening, name: 'Savings' });
        expect(alone).to.have.all.keys('account', 'instrument');
        expect(alone.account).to.include({ holderId: holder, name: 'Savings' });
        expect(alone.instrument).to.equal(null);
        const { account } = alone;
        expect(await got<Account>(client, `${at}/accounts/${account.id}`)).to.deep.equal(account);

        const both = await made<Opened>(client, path, { ...opening, ...banking });
        expect(both).to.have.all.keys('account', 'instrument');
        expect(both.instrument).to.include({ holderId: holder, accountId: both.account.id });
        const instrument = String(both.instrument?.['id']);
        const read = await got(
          client,
          `${holdersOf(book.org)}/${holder}/instruments/${instrument}`,
        );
        expect(read).to.deep.equal(both.instrument);
      }
      const own = await ownHolder(book.org);
      const { account } = await made<Opened>(client, `${book.at}/holders/${own}/accounts`, opening);
      expect(account.holderId).to.equal(own);
    });

    it('and are kept if the instrument is refused', async () => {
      const book = await openBook(client);
      const path = `${book.at}/holders/${await createHolder(book.org)}/accounts`;
      const refused = { bankingDetails: { closingDate: '2020-01-01' } };
      const opened = await made<Opened>(client, path, { ...opening, ...refused });
      expect(opened.instrument).to.equal(null);
      expect(opened.instrumentError).to.deep.equal({ status: 'FAILED', reason: 'CRM-0023' });
      const { id } = opened.account;
      expect((await client.get(`${book.at}/accounts/${id}`)).status).to.equal(200);
    });

    it('not for nobody, and not if they are refused themselves', async () => {
      const book = await openBook(client);
      const holder = await createHolder(book.org);
      const path = (of: string) => `${book.at}/holders/${of}/accounts`;
      const before = await storesOf(server.dataDir).eventCount();
      const unknown = { ...opening, assetCode: 'EUR' };
      expectProblem(await client.post(path(NOBODY), unknown), 404, 'CRM-0006');
      expectProblem(await client.post(path(holder), { ...unknown, ...banking }), 404, 'LDG-0034');
      const named = { ...opening, holderId: holder };
      expectProblem(await client.post(path(holder), named), 400, 'CRM-0007');
      expectProblem(await client.post(path(holder), { type: 'deposit' }), 400, 'CRM-0003');
      expectProblem(await client.post(path('x'), opening), 400, 'CRM-0005');
      expect(await storesOf(server.dataDir).eventCount()).to.equal(before);
    });

    it('once under an idempotency key, which the ledger compares by the members of the account', async () => {
      const book = await openBook(client);
      const holder = await createHolder(book.org);
      const path = `${book.at}/holders/${holder}/accounts`;
      const key = { 'X-Idempotency': 'once' };
      const refused = { bankingDetails: { closingDate: '2020-01-01' } };
      const first = await made<Opened>(client, path, { ...opening, ...refused }, key);
      const again = await client.post(path, { ...opening, ...banking }, key);
      expect(again.headers['x-idempotency-replayed']).to.equal('true');
      const completed = again.json() as Opened;
      expect(completed.account).to.deep.equal(first.account);
      expect(completed.instrument).to.include({ accountId: first.account.id });
      const repeated = await client.post(path, { ...opening, ...banking }, key);
      expect(repeated.json()).to.deep.equal(completed);
      const other = await client.post(path, { ...opening, name: 'Another' }, key);
      expectProblem(other, 409, 'LDG-0084');
    });
  });

  describe('and stay', () => {
    const ends = { 'a soft delete': '', 'a hard one': '?hard_delete=true' };
    for (const [name, query] of Object.entries(ends)) {
      it(`while they own any, against ${name}`, async () => {
        const book = await openBook(client);
        const other = await anotherLedger(book);
        const holderId = await createHolder(book.org);
        const one = await createAccount(client, book.at, { holderId });
        const two = await createAccount(client, other.at, { holderId });
        const forms = {
          [`/v1/holders/${holderId}`]: { 'X-Organization-Id': book.org },
          [`/v1/organizations/${book.org}/holders/${holderId}`]: {},
          [`${holdersOf(book.org)}/${holderId}`]: {},
        };
        const before = await eventsOf(book.org);
        for (const [path, headers] of Object.entries(forms)) {
          const answer = await client.send({ method: 'DELETE', path: path + query, headers });
          expectProblem(answer, 422, 'CRM-0030');
        }
        expect(await eventsOf(book.org), 'nothing is recorded').to.deep.equal(before);

        const path = `${holdersOf(book.org)}/${holderId}`;
        await client.delete(`${book.at}/accounts/${one.id}`);
        expectProblem(await client.delete(path + query), 422, 'CRM-0030');
        await createAccount(client, book.at, { holderId });
        expect((await client.get(path)).status).to.equal(200);
        const [last] = (
          await got<List<Account>>(client, `${path}/accounts?ledger_id=${book.ledger}`)
        ).items;
        await client.delete(`${book.at}/accounts/${last?.id ?? ''}`);
        await client.delete(`${other.at}/accounts/${two.id}`);
        expect((await client.delete(path + query)).status).to.equal(204);
        expect((await eventsOf(book.org)).slice(before.length)).to.deep.equal([
          'HolderClosingBegun',
          ...(query === '' ? ['HolderDeleted'] : ['HolderErasureBegun', 'HolderErased']),
        ]);
        expectProblem(await client.get(path), 404, 'CRM-0006');
      });
    }

    it('not for accounts of a ledger that was deleted', async () => {
      const book = await openBook(client);
      const holderId = await createHolder(book.org);
      await createAccount(client, book.at, { holderId });
      const path = `${holdersOf(book.org)}/${holderId}`;
      expectProblem(await client.delete(path), 422, 'CRM-0030');
      expect((await client.delete(book.at)).status).to.equal(204);
      expect((await client.delete(path)).status).to.equal(204);
    });

    it('for ever, if they are the organization', async () => {
      const book = await openBook(client);
      const path = `${holdersOf(book.org)}/${await ownHolder(book.org)}`;
      for (const query of Object.values(ends)) {
        expectProblem(await client.delete(path + query), 422, 'CRM-0044');
      }
      expectProblem(await client.patch(path, { name: 'Another' }), 422, 'CRM-0044');
    });

    /** Whichever comes first decides: an account with a deleted owner would be nobody's. */
    it('or go, in a race with the opening of an account', async () => {
      const book = await openBook(client);
      const outcomes = { opened: 0, deleted: 0 };
      for (let round = 0; round < ROUNDS; round += 1) {
        const holderId = await createHolder(book.org);
        const path = `${holdersOf(book.org)}/${holderId}`;
        const body = { assetCode: 'BRL', type: 'deposit', holderId };
        const opening = () => client.post(`${book.at}/accounts`, body);
        const query = round % 2 === 0 ? '' : '?hard_delete=true';
        const requests = [...Array.from({ length: 4 }, () => opening)];
        requests.splice(round % 5, 0, () => client.delete(path + query));
        const [first, ...rest] = requests;
        const leading = first!();
        // The deletion is first in every fifth round; on a busy machine it wins only with a lead.
        if (round % 5 === 0) await sleep(round * LEAD_MS);
        const answers = await Promise.all([leading, ...rest.map((send) => send())]);
        const opened = answers.filter(({ status }) => status === 201).length;
        const deleted = answers.filter(({ status }) => status === 204).length;
        const others = answers.filter(({ status }) => status !== 201 && status !== 204);
        for (const { status, text } of others) expect(status, text).to.be.oneOf([404, 422]);
        expect(deleted > 0 && opened > 0, answers.map(({ text }) => text).join()).to.equal(false);
        if (opened > 0) {
          outcomes.opened += 1;
          expect((await client.get(path)).status).to.equal(200);
        } else {
          outcomes.deleted += 1;
          expectProblem(await client.get(path), 404, 'CRM-0006');
          expectProblem(await opening(), 404, 'CRM-0006');
        }
      }
      expect(outcomes.opened, 'both were first once').to.be.above(0);
      expect(outcomes.deleted, 'both were first once').to.be.above(0);
    });

    it('or go once, whoever asks', async () => {
      const { org } = await openBook(client);
      const path = `${holdersOf(org)}/${await createHolder(org)}`;
      const answers = await Promise.all(Array.from({ length: 5 }, () => client.delete(path)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 404, 404, 404, 404]);
    });
  });

  inFolders.describe('in a log', () => {
    it('that is verified', async () => {
      await stopServer(server);
      const { code, stdout, stderr } = await quipu(['verify', server.dataDir]);
      expect(code, stdout + stderr).to.equal(0);
      server = await startServer({ dataDir: server.dataDir });
    });
  });
});

const LEAD_MS = 8;
/** On servers each deletion waits for what other processes may not know yet. */
const ROUNDS = PROFILE === 'embedded' ? 60 : 15;
