import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  createAsset,
  got,
  made,
  NOBODY,
  openBook,
  UUID_V7,
  type Account,
  type Asset,
  type Balance,
  type Book,
  type List,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('assets', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  let assets = '';
  beforeEach(async () => {
    book = await openBook(client, { assets: [] });
    assets = `${book.at}/assets`;
  });

  it('are created from name, type and code, and read back as they were answered', async () => {
    const answer = await client.post(assets, { name: 'Real', type: 'currency', code: 'BRL' });
    const { id, createdAt, updatedAt, ...rest } = answer.json() as Asset;
    expect(id).to.match(UUID_V7);
    expect(updatedAt).to.equal(createdAt);
    expect(rest).to.deep.equal({
      organizationId: book.org,
      ledgerId: book.ledger,
      name: 'Real',
      type: 'currency',
      code: 'BRL',
      status: { code: 'ACTIVE', description: null },
      deletedAt: null,
    });
    expect((await client.get(`${assets}/${id}`)).text).to.equal(answer.text);
  });

  it('bring their external account and its balance along', async () => {
    await createAsset(client, book.at, { code: 'BRL' });
    const account = await got<Account>(client, `${book.at}/accounts/external/BRL`);
    expect(account).to.include({
      alias: '@external/BRL',
      name: 'External BRL',
      type: 'external',
      assetCode: 'BRL',
      holderId: null,
      blocked: false,
    });
    expect(account.status.code).to.equal('external');
    expect(account.status.description).to.contain('BRL');

    const path = `${book.at}/accounts/external/BRL/balances`;
    const { items } = await got<List<Balance>>(client, path);
    expect(items).to.have.lengthOf(1);
    expect(items[0]).to.include({
      accountId: account.id,
      key: 'default',
      available: '0',
      onHold: '0',
      version: 0,
      accountType: 'external',
      direction: 'debit',
      allowSending: true,
      allowReceiving: true,
    });
  });

  it('take the types of the contract, any letters as a code, and a status one level deeper', async () => {
    for (const [type, code] of [
      ['crypto', 'BTC'],
      ['commodity', 'ORO'],
      ['others', 'ÑÇ'],
      ['fiat', 'USD'],
    ] as const) {
      const asset = await made<Asset>(client, assets, {
        name: code,
        type,
        code,
        status: { status: { code: 'BLOCKED', description: 'Why' } },
      });
      expect(asset).to.deep.include({
        type,
        code,
        status: { code: 'BLOCKED', description: 'Why' },
      });
    }
  });

  const refused: readonly [what: string, fields: object, code: string, location: string][] = [
    ['a type that is none', { type: 'paper' }, 'LDG-0040', 'type'],
    ['a code with a digit', { code: 'BRL2' }, 'LDG-0033', 'code'],
    ['a code in lower case', { code: 'brl' }, 'LDG-0004', 'code'],
    ['a currency that is not in ISO 4217', { code: 'XQP', type: 'currency' }, 'LDG-0005', 'code'],
    ['an old-style currency likewise', { code: 'XQP', type: 'fiat' }, 'LDG-0005', 'code'],
    ['a code of 101 letters', { code: 'A'.repeat(101) }, 'LDG-0047', 'code'],
    ['no code', { code: '' }, 'LDG-0009', 'code'],
    ['a name of 257', { name: 'n'.repeat(257) }, 'LDG-0047', 'name'],
  ];
  for (const [what, fields, code, location] of refused) {
    it(`are refused with ${what}`, async () => {
      const body = { name: 'A', type: 'others', code: 'ABC', ...fields };
      const answer = await client.post(assets, body);
      expectProblem(answer, 400, code, { locations: [location] });
    });
  }

  it('have a name and a code of their own', async () => {
    await createAsset(client, book.at, { code: 'AAA', name: 'One' });
    const named = await client.post(assets, { name: 'One', type: 'others', code: 'BBB' });
    expectProblem(named, 409, 'LDG-0003', { entityType: 'Asset' });
    const coded = await client.post(assets, { name: 'Two', type: 'others', code: 'AAA' });
    expectProblem(coded, 409, 'LDG-0003', { entityType: 'Asset' });
  });

  it('are listed page by page', async () => {
    const all: Asset[] = [];
    for (const code of ['A', 'B', 'C']) {
      all.push(await createAsset(client, book.at, { code, metadata: { half: code < 'C' } }));
    }
    expect(await got(client, `${assets}?limit=2&page=2`)).to.deep.equal({
      items: [all[2]],
      limit: 2,
      page: 2,
    });
    const filtered = await got<List<Asset>>(client, `${assets}?metadata.half=true&sort_order=desc`);
    expect(filtered.items).to.deep.equal([all[1], all[0]]);
  });

  it('are looked up in their own ledger', async () => {
    const { id } = await createAsset(client, book.at);
    const other = await openBook(client, { assets: [] });
    const elsewhere = await client.get(`${other.at}/assets/${id}`);
    expectProblem(elsewhere, 404, 'LDG-0007', { entityType: 'Asset' });
    const malformed = await client.get(`${assets}/BRL`);
    expectProblem(malformed, 400, 'LDG-0065', { locations: ['path.asset_id'] });
    const lost = assets.replace(book.ledger, NOBODY);
    expectProblem(await client.get(lost), 404, 'LDG-0037');
    expectProblem(await client.get(assets.replace(book.org, NOBODY)), 404, 'LDG-0038');
  });

  describe('update', () => {
    it('replaces metadata, keeps the rest, and is read back', async () => {
      const asset = await createAsset(client, book.at, { metadata: { a: 1, b: 2 } });
      const path = `${assets}/${asset.id}`;
      const status = { code: 'BLOCKED', description: 'Fraud' };
      const answer = await client.patch(path, { name: 'Real', status, metadata: { b: 3 } });
      expect(answer.status, answer.text).to.equal(200);
      const { updatedAt, ...after } = answer.json() as Asset;
      expect(updatedAt > asset.updatedAt).to.equal(true);
      expect({ ...after, updatedAt: asset.updatedAt }).to.deep.equal({
        ...asset,
        name: 'Real',
        status,
        metadata: { b: 3 },
      });
      expect((await client.get(path)).text).to.equal(answer.text);
    });

    it('needs the name', async () => {
      const { id } = await createAsset(client, book.at);
      const answer = await client.patch(`${assets}/${id}`, { metadata: { a: 1 } });
      expectProblem(answer, 400, 'LDG-0009', { locations: ['name'] });
      for (const name of ['code', 'type', 'id']) {
        const answer = await client.patch(`${assets}/${id}`, { name: 'A', [name]: 'x' });
        expectProblem(answer, 400, 'LDG-0053', { locations: [name] });
      }
      expectProblem(await client.patch(`${assets}/${id}`, { name: null }), 400, 'LDG-0053');
    });
  });

  describe('update with an empty name', () => {
    it('leaves the name as it is', async () => {
      const asset = await createAsset(client, book.at, { metadata: { a: 1 } });
      const path = `${assets}/${asset.id}`;
      const status = { code: 'BLOCKED', description: 'Fraud' };
      const answer = await client.patch(path, { name: '', status });
      expect(answer.status, answer.text).to.equal(200);
      const changed = answer.json() as Asset;
      expect(changed).to.deep.equal({ ...asset, status, updatedAt: changed.updatedAt });
      const same = await client.patch(path, { name: '' });
      expect([same.status, same.text]).to.deep.equal([200, answer.text]);
      const created = await client.post(assets, { name: '', type: 'others', code: 'EMPTY' });
      expectProblem(created, 400, 'LDG-0009', { locations: ['name'] });
    });
  });

  describe('deletion', () => {
    it('takes the external account along, and frees name and code', async () => {
      const asset = await createAsset(client, book.at);
      const path = `${assets}/${asset.id}`;
      const external = `${book.at}/accounts/external/BRL`;
      expect((await client.get(external)).status).to.equal(200);
      const answer = await client.delete(path);
      expect([answer.status, answer.text]).to.deep.equal([204, '']);

      expectProblem(await client.get(path), 404, 'LDG-0007', { entityType: 'Asset' });
      expectProblem(await client.delete(path), 404, 'LDG-0007', { entityType: 'Asset' });
      expectProblem(await client.get(external), 404, 'LDG-0085');
      expect((await got<List<Asset>>(client, assets)).items).to.deep.equal([]);
      const again = await createAsset(client, book.at);
      expect(again.id).to.not.equal(asset.id);
      expect((await client.get(external)).status).to.equal(200);
    });

    it('is refused while an account holds the asset', async () => {
      const { id } = await createAsset(client, book.at);
      const account = await createAccount(client, book.at);
      const answer = await client.delete(`${assets}/${id}`);
      expectProblem(answer, 422, 'LDG-0012', { entityType: 'Asset' });
      expect((await client.delete(`${book.at}/accounts/${account.id}`)).status).to.equal(204);
      expect((await client.delete(`${assets}/${id}`)).status).to.equal(204);
    });
  });
});
