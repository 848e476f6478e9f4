import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { eventCount, sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  createAsset,
  createLedger,
  got,
  made,
  NOBODY,
  openBook,
  posted,
  transfer,
  UTC_TIME,
  UUID,
  UUID_V7,
  type Account,
  type Book,
  type List,
  type Operation,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('accounts', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let book: Book;
  let accounts = '';
  beforeEach(async () => {
    book = await openBook(client, { assets: ['BRL', 'USD'] });
    accounts = `${book.at}/accounts`;
  });

  it('are created from an asset and a type, everything else by default', async () => {
    const { id, holderId, createdAt, updatedAt, ...rest } = await made<Account>(client, accounts, {
      assetCode: 'BRL',
      type: 'Deposit',
    });
    expect(id).to.match(UUID_V7);
    expect(holderId).to.match(UUID);
    expect(createdAt).to.match(UTC_TIME);
    expect(updatedAt).to.equal(createdAt);
    expect(rest).to.deep.equal({
      organizationId: book.org,
      ledgerId: book.ledger,
      name: 'BRL deposit account',
      parentAccountId: null,
      entityId: null,
      assetCode: 'BRL',
      portfolioId: null,
      segmentId: null,
      status: { code: 'ACTIVE', description: null },
      alias: id,
      type: 'deposit',
      blocked: false,
      holderCheckSkipped: false,
      closedAt: null,
      deletedAt: null,
    });
  });

  it('keep every field that is sent', async () => {
    const parent = await createAccount(client, book.at);
    const sent = {
      name: 'Caja',
      parentAccountId: parent.id,
      entityId: 'E-1',
      holderId: parent.holderId,
      assetCode: 'BRL',
      status: { code: 'PENDING', description: 'New' },
      alias: '@caja:1_a-B',
      type: 'creditcard',
      blocked: true,
      metadata: { tier: 3 },
    };
    expect(await made<Account>(client, accounts, sent)).to.deep.include(sent);
  });

  it('belong to the organization’s own holder, the same in all its ledgers', async () => {
    const one = await createAccount(client, book.at);
    const other = await openBook(client);
    expect((await createAccount(client, book.at)).holderId).to.equal(one.holderId);
    expect((await createAccount(client, other.at)).holderId).not.to.equal(one.holderId);
  });

  it('are read back as they were answered: by id, by alias, and of the outside', async () => {
    const answer = await client.post(accounts, {
      assetCode: 'BRL',
      type: 'deposit',
      alias: '@alice',
    });
    const { id } = answer.json() as Account;
    for (const path of [id, 'alias/@alice', 'alias/%40alice', `${id}/`, 'Alias/@alice']) {
      expect((await client.get(`${accounts}/${path}`)).text, path).to.equal(answer.text);
    }
    const external = await client.get(`${accounts}/external/BRL`);
    expect(external.status).to.equal(200);
    const alias = await client.get(`${accounts}/alias/%40external%2FBRL`);
    expect(alias.text).to.equal(external.text);
  });

  it('are found by alias and code as written only', async () => {
    await createAccount(client, book.at, { alias: '@alice' });
    for (const path of ['alias/@Alice', 'alias/@nobody', 'external/brl', 'external/EUR']) {
      const answer = await client.get(`${accounts}/${path}`);
      expectProblem(answer, 404, 'LDG-0085', { entityType: 'Account' });
    }
    const unknown = await client.get(`${accounts}/${NOBODY}`);
    expectProblem(unknown, 404, 'LDG-0007', { entityType: 'Account' });
    const malformed = await client.get(`${accounts}/@alice`);
    expectProblem(malformed, 400, 'LDG-0065', { locations: ['path.account_id'] });
    const other = await openBook(client);
    expectProblem(await client.get(`${other.at}/accounts/alias/@alice`), 404, 'LDG-0085');
  });

  it('take an alias once, also when many ask for it at once', async () => {
    const body = { assetCode: 'BRL', type: 'deposit', alias: '@one' };
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => client.post(accounts, body)),
    );
    const won = answers.filter(({ status }) => status === 201);
    expect(won).to.have.lengthOf(1);
    for (const answer of answers.filter((one) => !won.includes(one))) {
      expectProblem(answer, 409, 'LDG-0020', { entityType: 'Account' });
    }
    await createAccount(client, book.at, { alias: '@One' });
  });

  const refused: readonly [
    what: string,
    fields: object,
    status: number,
    code: string,
    locations?: readonly string[],
  ][] = [
    ['no type', { type: '' }, 400, 'LDG-0009', ['type']],
    ['an asset that does not exist', { assetCode: 'EUR' }, 404, 'LDG-0034'],
    ['a portfolio that does not exist', { portfolioId: NOBODY }, 404, 'LDG-0035'],
    ['a segment that does not exist', { segmentId: NOBODY }, 404, 'LDG-0036'],
    ['a holder that does not exist', { holderId: NOBODY }, 404, 'CRM-0006'],
    ['a parent that does not exist', { parentAccountId: NOBODY }, 400, 'LDG-0029'],
    ['a parent that is no UUID', { parentAccountId: '1' }, 400, 'LDG-0047', ['parentAccountId']],
    ['a skipped holder check', { skip: { holder: true } }, 422, 'LDG-0490'],
    ['an empty alias', { alias: '' }, 400, 'LDG-0096', ['alias']],
    ['an alias with a blank', { alias: 'a b' }, 400, 'LDG-0096', ['alias']],
    ['an alias with a slash', { alias: '@a/b' }, 400, 'LDG-0096', ['alias']],
    ['an alias of 101', { alias: 'a'.repeat(101) }, 400, 'LDG-0047', ['alias']],
    ['an alias of the outside', { alias: '@external/BRL' }, 400, 'LDG-0047', ['alias']],
    ['one that contains it', { alias: 'x@external/BRL' }, 400, 'LDG-0047', ['alias']],
    ['an external account without alias', { type: 'External' }, 400, 'LDG-0009', ['alias']],
    ['closedAt', { closedAt: null }, 400, 'LDG-0053', ['closedAt']],
    ['a long name', { name: 'n'.repeat(257) }, 400, 'LDG-0047', ['name']],
    ['blocked as a word', { blocked: 'true' }, 400, 'LDG-0094', ['blocked']],
  ];
  for (const [what, fields, status, code, locations] of refused) {
    it(`are refused with ${what}`, async () => {
      const answer = await client.post(accounts, { assetCode: 'BRL', type: 'deposit', ...fields });
      expectProblem(answer, status, code, locations && { locations });
    });
  }

  it('are refused below a parent of another asset, and take null for what is not there', async () => {
    const parent = await createAccount(client, book.at, { assetCode: 'USD' });
    const body = { assetCode: 'BRL', type: 'deposit', parentAccountId: parent.id };
    expectProblem(await client.post(accounts, body), 422, 'LDG-0030');
    const account = await createAccount(client, book.at, {
      name: null,
      alias: null,
      parentAccountId: null,
      entityId: null,
      holderId: null,
      portfolioId: null,
      segmentId: null,
      status: null,
      blocked: null,
      metadata: null,
      skip: { holder: false },
    });
    expect(account).to.include({ alias: account.id, name: 'BRL deposit account', blocked: false });
  });

  describe('in a ledger that requires a holder', () => {
    const strict = async (overrides: object = {}): Promise<string> => {
      const settings = { accounting: { requireHolder: true }, overrides };
      const at = book.at.replace(
        book.ledger,
        (await createLedger(client, book.org, { settings })).id,
      );
      await createAsset(client, at);
      return at;
    };

    it('name one, in both versions', async () => {
      const { holderId } = await createAccount(client, book.at);
      const at = await strict();
      for (const version of [at, at.replace('/v1/', '/v2/')]) {
        const body = { assetCode: 'BRL', type: 'deposit' };
        expectProblem(await client.post(`${version}/accounts`, body), 422, 'LDG-0491');
        const unknown = await client.post(`${version}/accounts`, { ...body, holderId: NOBODY });
        expectProblem(unknown, 404, 'CRM-0006');
        const account = await createAccount(client, version, { holderId });
        expect(account).to.include({ holderId, holderCheckSkipped: false });
      }
      const { items } = await got<List<Account>>(client, `${at}/accounts?holder_id=${holderId}`);
      expect(items).to.have.lengthOf(2); // The external one has none.
    });

    it('skip it where that is allowed, and say so', async () => {
      const skipping = { assetCode: 'BRL', type: 'deposit', skip: { holder: true } };
      const refused = await client.post(`${await strict()}/accounts`, skipping);
      expectProblem(refused, 422, 'LDG-0490', { locations: ['skip.holder'] });
      const at = await strict({ allowHolderSkip: true });
      const account = await made<Account>(client, `${at}/accounts`, skipping);
      expect(account).to.include({ holderId: null, holderCheckSkipped: true });
      const read = await got<Account>(client, `${at}/accounts/${account.id}`);
      expect(read).to.deep.equal(account);
    });
  });

  it('of type external take an alias of their own, and have no holder', async () => {
    const account = await createAccount(client, book.at, { type: 'EXTERNAL', alias: '@world' });
    expect(account).to.include({ type: 'external', alias: '@world', holderId: null });
  });

  describe('update', () => {
    const patched = async (id: string, changes: object): Promise<Account> => {
      const answer = await client.patch(`${accounts}/${id}`, changes);
      expect(answer.status, answer.text).to.equal(200);
      return answer.json() as Account;
    };

    it('changes what is sent, shows it whole, and is read back', async () => {
      const account = await createAccount(client, book.at, {
        alias: '@alice',
        entityId: 'E1',
        metadata: { a: 1, b: 2 },
      });
      const { updatedAt, ...after } = await patched(account.id, {
        name: 'Alice',
        status: { description: 'Watched' },
        blocked: true,
        entityId: null,
        metadata: { a: null, c: 3 },
      });
      expect(updatedAt > account.updatedAt).to.equal(true);
      expect({ ...after, updatedAt: account.updatedAt }).to.deep.equal({
        ...account,
        name: 'Alice',
        status: { code: 'ACTIVE', description: 'Watched' },
        blocked: true,
        entityId: null,
        metadata: { b: 2, c: 3 },
      });
      const read = await got<Account>(client, `${accounts}/alias/@alice`);
      expect(read).to.deep.equal({ ...after, updatedAt });
      const { items } = await got<List<Account>>(client, `${accounts}?blocked=true`);
      expect(items).to.deep.equal([read]);
    });

    it('without effect answers what is there and leaves no event', async () => {
      const account = await createAccount(client, book.at, { metadata: { a: 1 } });
      const before = await eventCount(server());
      const nothing = { name: '', status: null, blocked: null, metadata: {}, portfolioId: null };
      for (const changes of [{}, nothing, { name: account.name, metadata: { a: 1 } }]) {
        expect(await patched(account.id, changes)).to.deep.equal(account);
      }
      expect(await eventCount(server())).to.equal(before);
    });

    it('takes no field that never changes', async () => {
      const { id } = await createAccount(client, book.at);
      const fixed = ['alias', 'type', 'assetCode', 'holderId', 'parentAccountId', 'closedAt'];
      for (const name of fixed) {
        const answer = await client.patch(`${accounts}/${id}`, { [name]: 'x' });
        expectProblem(answer, 400, 'LDG-0053', { locations: [name] });
      }
    });

    it('blocks and unblocks the very next movement', async () => {
      const { id } = await createAccount(client, book.at, { alias: '@alice' });
      const pay = () =>
        client.post(`${book.at}/transactions/json`, transfer('@external/BRL', '@alice', '1'));
      await patched(id, { blocked: true });
      expectProblem(await pay(), 422, 'LDG-0502');
      await patched(id, { blocked: false });
      expect((await pay()).status).to.equal(201);
    });
  });

  describe('deletion', () => {
    it('answers without body; the account is nowhere, its alias is free', async () => {
      const account = await createAccount(client, book.at, { alias: '@alice' });
      const path = `${accounts}/${account.id}`;
      const answer = await client.delete(path);
      expect([answer.status, answer.text]).to.deep.equal([204, '']);
      expect(answer.headers).to.have.property('x-consistency-token');

      expectProblem(await client.get(path), 404, 'LDG-0007', { entityType: 'Account' });
      expectProblem(await client.patch(path, {}), 404, 'LDG-0007', { entityType: 'Account' });
      expectProblem(await client.delete(path), 404, 'LDG-0007', { entityType: 'Account' });
      expectProblem(await client.get(`${accounts}/alias/@alice`), 404, 'LDG-0085');
      expect((await got<List<Account>>(client, accounts)).items).to.have.lengthOf(2);
      for (const balances of [`${path}/balances`, `${accounts}/alias/@alice/balances`]) {
        expect((await got<List<unknown>>(client, balances)).items).to.deep.equal([]);
      }
      const { id } = await createAccount(client, book.at, { alias: '@alice' });
      expect((await got<Account>(client, `${accounts}/alias/@alice`)).id).to.equal(id);
    });

    it('leaves the operations of the account where they are', async () => {
      const { id } = await createAccount(client, book.at, { alias: '@alice' });
      await posted(client, book.at, transfer('@external/BRL', '@alice', '1'));
      const last = await posted(client, book.at, transfer('@alice', '@external/BRL', '1'));
      expect((await client.delete(`${accounts}/${id}`)).status).to.equal(204);

      const { items } = await got<List<Operation>>(client, `${accounts}/${id}/operations`);
      expect(items).to.have.lengthOf(2);
      const path = `${book.at}/transactions/${last.id}`;
      expect((await got<Transaction>(client, path)).operations).to.have.lengthOf(2);
    });

    it('leaves nobody to pay, and children with the id of their parent', async () => {
      const parent = await createAccount(client, book.at, { alias: '@parent', blocked: true });
      const child = await createAccount(client, book.at, { parentAccountId: parent.id });
      expect((await client.delete(`${accounts}/${parent.id}`)).status).to.equal(204);
      expect(await got<Account>(client, `${accounts}/${child.id}`)).to.deep.equal(child);
      const pay = transfer('@external/BRL', '@parent', '1');
      expectProblem(await client.post(`${book.at}/transactions/json`, pay), 422, 'LDG-0019');
    });

    it('is refused while anything is on hold, or on a further balance', async () => {
      const { id } = await createAccount(client, book.at, { alias: '@alice' });
      await posted(client, book.at, transfer('@external/BRL', '@alice', '1'));
      const pending = transfer('@alice', '@external/BRL', '1', 'BRL', { pending: true });
      const held = await posted(client, book.at, pending);
      expectProblem(await client.delete(`${accounts}/${id}`), 422, 'LDG-0012');
      await made(client, `${book.at}/transactions/${held.id}/commit`, undefined);

      await made(client, `${accounts}/${id}/balances`, { key: 'savings' });
      const pay = (from: object, to: object) => {
        const amount = { asset: 'BRL', value: '1' };
        const distribute = { to: [{ ...to, amount }] };
        const send = { asset: 'BRL', value: '1', source: { from: [{ ...from, amount }] } };
        return posted(client, book.at, { send: { ...send, distribute } });
      };
      const savings = { accountAlias: '@alice', balanceKey: 'savings' };
      await pay({ accountAlias: '@external/BRL' }, savings);
      expectProblem(await client.delete(`${accounts}/${id}`), 422, 'LDG-0012');
      await pay(savings, { accountAlias: '@external/BRL' });
      expect((await client.delete(`${accounts}/${id}`)).status).to.equal(204);
      const { items } = await got<List<unknown>>(client, `${accounts}/${id}/balances`);
      expect(items).to.deep.equal([]);
    });

    it('is refused while there is money on it', async () => {
      const { id } = await createAccount(client, book.at, { alias: '@alice' });
      await posted(client, book.at, transfer('@external/BRL', '@alice', '1'));
      const answer = await client.delete(`${accounts}/${id}`);
      expectProblem(answer, 422, 'LDG-0012', { entityType: 'Account' });
      expect((await client.get(`${accounts}/${id}`)).status).to.equal(200);
    });
  });

  describe('list', () => {
    const list = async (query: string) =>
      (await got<List<Account>>(client, `${accounts}?limit=100&${query}`)).items;
    const aliases = async (query: string) => (await list(query)).map(({ alias }) => alias);

    it('shows records as they are, the external ones too, with page and limit', async () => {
      const alice = await createAccount(client, book.at, { alias: '@alice' });
      expect(await aliases('')).to.deep.equal(['@external/BRL', '@external/USD', '@alice']);
      expect(await got(client, `${accounts}?page=3&limit=1`)).to.deep.equal({
        items: [alice],
        limit: 1,
        page: 3,
      });
    });

    it('filters by what it can be filtered by', async () => {
      const a = await createAccount(client, book.at, {
        alias: '@a-one',
        name: 'First',
        entityId: 'E1',
        status: 'INACTIVE',
      });
      await createAccount(client, book.at, {
        alias: '@A-two',
        name: 'FIRST too',
        parentAccountId: a.id,
        blocked: true,
        metadata: { k: 'v' },
      });
      await createAccount(client, book.at, { alias: '@b', assetCode: 'USD', type: 'savings' });

      expect(await aliases('name=first')).to.deep.equal(['@a-one', '@A-two']);
      expect(await aliases('alias=%40A-')).to.deep.equal(['@a-one', '@A-two']);
      expect(await aliases('entity_id=E1')).to.deep.equal(['@a-one']);
      expect(await aliases('status=inactive')).to.deep.equal(['@a-one']);
      expect(await aliases(`parent_account_id=${a.id}`)).to.deep.equal(['@A-two']);
      for (const yes of ['1', 'true']) {
        expect(await aliases(`blocked=${yes}`)).to.deep.equal(['@A-two']);
      }
      for (const no of ['0', 'false']) {
        expect(await aliases(`blocked=${no}&asset_code=BRL&entity_id=E1`)).to.deep.equal([
          '@a-one',
        ]);
      }
      expect(await aliases('blocked=false&type=DEPOSIT')).to.deep.equal(['@a-one']);
      expect(await aliases('type=Savings')).to.deep.equal(['@b']);
      expect(await aliases('asset_code=USD')).to.deep.equal(['@external/USD', '@b']);
      expect(await aliases('metadata.k=v')).to.deep.equal(['@A-two']);
      expect(await aliases(`holder_id=${a.holderId ?? ''}`)).to.have.lengthOf(3);
      expect(await aliases(`portfolio_id=${NOBODY}`)).to.deep.equal([]);
      expect(await aliases(`segment_id=${NOBODY}`)).to.deep.equal([]);
      expect(await aliases('offset=7&sortBy=x&metadata=y')).to.have.lengthOf(5);
    });

    it('refuses filters that cannot be read', async () => {
      for (const name of ['portfolio_id', 'segment_id', 'parent_account_id', 'blocked', 'status']) {
        const answer = await client.get(`${accounts}?${name}=x`);
        expectProblem(answer, 400, 'LDG-0082', { locations: [`query.${name}`] });
      }
    });
  });
});
