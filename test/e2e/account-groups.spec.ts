import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  createAsset,
  createLedger,
  got,
  made,
  openBook,
  posted,
  standing,
  transfer,
  type Account,
  type AccountType,
  type Balance,
  type Book,
  type List,
  type Portfolio,
  type Segment,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('accounts and what they are sorted by', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  beforeEach(async () => {
    book = await openBook(client);
  });
  const open = (fields: object = {}) => createAccount(client, book.at, fields);
  const portfolio = (fields: object = {}) =>
    made<Portfolio>(client, `${book.at}/portfolios`, { name: 'Anna', ...fields });
  const segment = (name: string) => made<Segment>(client, `${book.at}/segments`, { name });
  const type = (fields: object) =>
    made<AccountType>(client, `${book.at}/account-types`, { name: 'A type', ...fields });

  it('open in a portfolio and a segment, with the owner of the portfolio', async () => {
    const { id: portfolioId } = await portfolio({ entityId: 'C-17' });
    const { id: segmentId } = await segment('Homes');
    const account = await open({ portfolioId, segmentId });
    expect(account).to.include({ portfolioId, segmentId, entityId: 'C-17' });
    expect(await got(client, `${book.at}/accounts/${account.id}`)).to.deep.equal(account);
    expect(await open({ portfolioId, entityId: 'C-18' })).to.include({ entityId: 'C-18' });
    expect(await open({ portfolioId, entityId: null })).to.include({ entityId: 'C-17' });
  });

  it('are not found in those of another ledger', async () => {
    const other = await openBook(client, { assets: [] });
    const at = `${other.at}/portfolios`;
    const { id: portfolioId } = await made<Portfolio>(client, at, { name: 'Elsewhere' });
    const body = { assetCode: 'BRL', type: 'deposit', portfolioId };
    const answer = await client.post(`${book.at}/accounts`, body);
    expectProblem(answer, 404, 'LDG-0035', { entityType: 'Account', locations: ['portfolioId'] });
  });

  it('are put into others, taken out, and listed by them', async () => {
    const anna = await portfolio({ entityId: 'C-17' });
    const ben = await portfolio({ name: 'Ben' });
    const homes = await segment('Homes');
    const one = await open({ alias: '@one', portfolioId: anna.id, segmentId: homes.id });
    const two = await open({ alias: '@two', portfolioId: ben.id, segmentId: homes.id });
    const three = await open({ alias: '@three', portfolioId: anna.id });
    const aliases = async (query: string) =>
      (await got<List<Account>>(client, `${book.at}/accounts?${query}`)).items.map(
        ({ alias }) => alias,
      );
    expect(await aliases(`portfolio_id=${anna.id}`)).to.deep.equal(['@one', '@three']);
    expect(await aliases(`segment_id=${homes.id}`)).to.deep.equal(['@one', '@two']);
    const both = `portfolio_id=${anna.id.toUpperCase()}&segment_id=${homes.id}&entity_id=C-17`;
    expect(await aliases(both)).to.deep.equal(['@one']);
    expect(await aliases('entity_id=C-17&sort_order=desc')).to.deep.equal(['@three', '@one']);

    const change = async (id: string, changes: object) => {
      const answer = await client.patch(`${book.at}/accounts/${id}`, changes);
      expect(answer.status, answer.text).to.equal(200);
      return answer.json() as Account;
    };
    const moved = await change(two.id, { portfolioId: anna.id });
    expect(moved).to.include({ portfolioId: anna.id, segmentId: homes.id, entityId: null });
    const out = await change(one.id, { portfolioId: null, segmentId: null, entityId: null });
    expect(out).to.include({ portfolioId: null, segmentId: null, entityId: null });
    expect(await aliases(`portfolio_id=${anna.id}`)).to.deep.equal(['@two', '@three']);
    expect(await aliases(`segment_id=${homes.id}`)).to.deep.equal(['@two']);
    expect(await aliases('entity_id=C-17')).to.deep.equal([three.alias]);
  });

  it('do not keep them from being deleted, and keep their ids', async () => {
    const { id: portfolioId } = await portfolio();
    const { id: segmentId } = await segment('Homes');
    const { id } = await open({ portfolioId, segmentId });
    for (const path of [`portfolios/${portfolioId}`, `segments/${segmentId}`]) {
      expect((await client.delete(`${book.at}/${path}`)).status).to.equal(204);
    }
    const path = `${book.at}/accounts/${id}`;
    expect(await got(client, path)).to.include({ portfolioId, segmentId });
    const renamed = await client.patch(path, { name: 'Still there', portfolioId });
    expect(renamed.json()).to.include({ name: 'Still there', portfolioId, segmentId });
    expectProblem(
      await client.post(`${book.at}/accounts`, { assetCode: 'BRL', type: 'deposit', segmentId }),
      404,
      'LDG-0036',
      { locations: ['segmentId'] },
    );
    const { items } = await got<List<Account>>(
      client,
      `${book.at}/accounts?portfolio_id=${portfolioId}`,
    );
    expect(items.map((account) => account.id)).to.deep.equal([id]);
  });

  it('begin in the direction of their type, which later ones may have changed', async () => {
    const { id } = await type({ keyValue: 'Loans', defaultDirection: 'debit' });
    const directionOf = async (alias: string) => {
      const path = `${book.at}/accounts/alias/${alias}/balances`;
      return (await got<List<Balance>>(client, path)).items.map(({ direction }) => direction);
    };
    await open({ alias: '@debt', type: 'LOANS' });
    await open({ alias: '@alice' });
    expect(await directionOf('@debt')).to.deep.equal(['debit']);
    expect(await directionOf('@alice')).to.deep.equal(['credit']);

    await posted(client, book.at, transfer('@debt', '@alice', '100'));
    expect(await standing(client, book.at, '@debt')).to.equal('100/0 v1');
    await posted(client, book.at, transfer('@alice', '@debt', '40'));
    expect(await standing(client, book.at, '@debt')).to.equal('60/0 v2');
    const tooMuch = transfer('@external/BRL', '@debt', '61');
    const refused = await client.post(`${book.at}/transactions/json`, tooMuch);
    expectProblem(refused, 422, 'LDG-0018');

    const path = `${book.at}/account-types/${id}`;
    expect((await client.patch(path, { defaultDirection: 'credit' })).status).to.equal(200);
    await open({ alias: '@later', type: 'loans' });
    expect(await directionOf('@later')).to.deep.equal(['credit']);
    expect(await directionOf('@debt')).to.deep.equal(['debit']);
  });

  it('are of registered types only, where the ledger wants it', async () => {
    const settings = { accounting: { validateAccountType: true } };
    const { id } = await createLedger(client, book.org, { settings });
    const at = book.at.replace(book.ledger, id);
    await createAsset(client, at);
    const body = { assetCode: 'BRL', type: 'Savings' };
    const refused = await client.post(`${at}/accounts`, body);
    expectProblem(refused, 400, 'LDG-0066', { locations: ['type'] });

    const kept = { name: 'Savings', keyValue: 'SAVINGS' };
    const savings = await made<AccountType>(client, `${at}/account-types`, kept);
    expect(await made<Account>(client, `${at}/accounts`, body)).to.include({ type: 'savings' });
    await made(client, `${at}/accounts`, { assetCode: 'BRL', type: 'External', alias: '@abroad' });

    expect((await client.delete(`${at}/account-types/${savings.id}`)).status).to.equal(204);
    expectProblem(await client.post(`${at}/accounts`, body), 400, 'LDG-0066');
    const lenient = { accounting: { validateAccountType: false } };
    expect((await client.patch(`${at}/settings`, lenient)).status).to.equal(200);
    await made(client, `${at}/accounts`, body);
  });
});
