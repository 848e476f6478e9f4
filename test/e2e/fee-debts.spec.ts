import { expect } from 'chai';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { clientOf } from '#test/support/client.ts';
import { eventsOf, sharedServer } from '#test/support/server.ts';
import { got, made, posted, standing, transfer, type Book, type Transaction } from './books.ts';
import { createPackage, fee, flat, openFeeBook, R1, R2 } from './fee-books.ts';
import { expectProblem } from './problems.ts';
import { inScope } from './v2-request.ts';

type FeeDebtBody = Readonly<{
  id: string;
  debtorBalance: string;
  creditBalance: string;
  originTransactionId: string;
  seq: number;
  openedAmount: string;
  remaining: string;
  entries: readonly Readonly<{ kind: string; amount: string; postingRef?: string }>[];
}>;
type FeeDebtList = Readonly<{
  items: readonly FeeDebtBody[];
  openTotal?: string;
  next_cursor?: string;
}>;

const deferred = fee({
  ...{ calculationModel: flat('10'), deferrable: true },
  ...{ routeFrom: R1, routeTo: R2 },
});

/** Fee debts over HTTP (contract registry-and-fees §B10). */
describe('fee debts', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());
  let book: Book;
  let v2: string;
  let to: ReturnType<typeof inScope>;
  let origin: Transaction;

  /** The payer has 100, sends 100, and owes a flat fee of 10. */
  beforeEach(async () => {
    book = await openFeeBook(client);
    to = inScope({ organizationId: book.org, ledgerId: book.ledger });
    v2 = book.at.replace('/v1/', '/v2/');
    await posted(client, book.at, transfer('@external/BRL', '@payer', '100'));
    await posted(client, book.at, transfer('@external/BRL', '@tax', '1000'));
    const packaged = { fees: { p1: deferred }, metadataSelector: { fee: 'yes' } };
    const { ledgerId: _, ...body } = await createPackage(client, book, { enable: false });
    expect(body.id).to.be.a('string');
    await made(client, `${v2}/packages`, {
      ...{ feeGroupLabel: 'Deferred', minimumAmount: '1', maximumAmount: '1000', enable: true },
      ...packaged,
    });
    origin = await pay('@payer', '@shop', '100', { metadata: { fee: 'yes' } });
  });
  /** The auditor agrees with the ledger, whatever the test did. */
  afterEach(async () => {
    const verifier = createJournalVerifier(audit, `ledger-${book.ledger}`);
    for (const event of await eventsOf(server(), `ledger-${book.ledger}`)) {
      expect(verifier.take(event)).to.equal(undefined);
    }
  });

  const pay = (from: string, toAlias: string, value: string, more: object = {}) =>
    made<Transaction>(client, '/v2/transactions/direct', to.direct(from, toAlias, value, more));
  const debts = (query = '') => got<FeeDebtList>(client, `${v2}/fee-debts${query}`);
  const collect = (body: object, headers = {}) =>
    client.post(`${v2}/fee-debts/collect`, body, headers);
  const collected = async (body: object): Promise<string> => {
    const answer = await collect(body);
    const { status, text } = answer;
    expect(status, text).to.equal(200);
    return (answer.json() as { collected: string }).collected;
  };
  const available = async (alias: string) =>
    (await standing(client, book.at, alias)).replace(/\/.*/, '');
  const entriesOf = ({ entries }: FeeDebtBody) =>
    entries.map(({ kind, amount }) => `${kind} ${amount}`);
  const revert = ({ id }: Transaction) => client.post(`${v2}/transactions/${id}/revert`, undefined);

  it('are opened, and paid by the next credit of version 2', async () => {
    expect(origin.amount).to.equal('100');
    const { items, openTotal } = await debts('?account_alias=@payer');
    expect(items).to.have.length(1);
    const [debt] = items;
    expect(debt).to.deep.include({
      ...{ id: `${origin.id}:from:1:debit`, originTransactionId: origin.id, seq: 1 },
      ...{ debtorBalance: '@payer#default', creditBalance: '@fees#default' },
      ...{ openedAmount: '10', remaining: '10' },
    });
    expect(debt!.entries[0]).to.include({ kind: 'opened', postingRef: 'from:1:debit' });
    expect(openTotal).to.equal('10');

    const credit = await pay('@tax', '@payer', '30');
    expect(credit.amount).to.equal('30');
    const types = credit.operations.map(({ type }) => type);
    expect(types).to.deep.equal(['CREDIT', 'DEBIT', 'FEE_SETTLEMENT', 'FEE_SETTLEMENT']);
    expect(credit.operations[2]).to.include({ accountAlias: '@fees', routeId: R2 });
    expect([await available('@payer'), await available('@fees')]).to.deep.equal(['20', '10']);

    const path = `${v2}/fee-debts/${debt!.id}`;
    const paid = await got<FeeDebtBody>(client, path);
    expect(entriesOf(paid)).to.deep.equal(['opened 10', 'settled 10']);
    expect(paid.remaining).to.equal('0');
    expect(await got(client, path.replaceAll(':from', '%3Afrom'))).to.deep.equal(paid);
    expect(await debts('?status=open')).to.deep.include({ items: [] });
    expect((await debts('?status=settled')).items).to.deep.equal([paid]);
    expect((await debts('?account_alias=@payer')).openTotal).to.equal('0');
  });

  it('are collected after a credit of version 1, which pays none', async () => {
    await posted(client, book.at, transfer('@tax', '@payer', '30'));
    expect((await debts()).items[0]!.remaining).to.equal('10');
    const key = { 'X-Idempotency': 'collect' };
    const first = await collect({ accountAlias: '@payer', maxAmount: '4' }, key);
    expect(first.json()).to.include({ collected: '4' });
    const again = await collect({ accountAlias: '@payer', maxAmount: '4' }, key);
    expect([again.text, again.headers['x-idempotency-replayed']]).to.deep.equal([
      first.text,
      'true',
    ]);
    expect(await available('@payer')).to.equal('26');
    expect(await collected({ accountAlias: '@payer', maxAmount: '2e0' })).to.equal('2');
    expect(await collected({ accountAlias: '@payer' })).to.equal('4');
    expect(await available('@payer')).to.equal('20');
    expect(await collected({ accountAlias: '@payer' })).to.equal('0');
    const { transactionId } = first.json() as { transactionId: string };
    expectProblem(await revert({ id: transactionId } as Transaction), 422, 'LDG-0089');
    const { items } = await debts();
    expect(entriesOf(items[0]!)).to.deep.equal([
      ...['opened 10', 'settled 4', 'settled 2', 'settled 4'],
    ]);
  });

  it('are canceled and refunded with their origin, and open again with a credit', async () => {
    const credit = await pay('@tax', '@payer', '4');
    expect((await revert(credit)).status).to.equal(201);
    let [debt] = (await debts()).items;
    expect(entriesOf(debt!)).to.deep.equal(['opened 10', 'settled 4', 'reopened 4']);
    expect([debt!.remaining, await available('@payer'), await available('@fees')]).to.deep.equal([
      ...['10', '0', '0'],
    ]);
    await pay('@tax', '@payer', '3');
    expect((await revert(origin)).status).to.equal(201);
    [debt] = (await debts()).items;
    expect(entriesOf(debt!).slice(3)).to.deep.equal(['settled 3', 'canceled 7', 'refunded 3']);
    expect([debt!.remaining, await available('@payer'), await available('@fees')]).to.deep.equal([
      ...['0', '103', '0'],
    ]);
  });

  it('keep their account', async () => {
    type Accounts = Readonly<{ items: readonly Readonly<{ id: string; alias: string }>[] }>;
    const { items } = await got<Accounts>(client, `${book.at}/accounts?limit=100`);
    const { id } = items.find(({ alias }) => alias === '@payer')!;
    expectProblem(await client.delete(`${v2}/accounts/${id}`), 422, 'LDG-0527');
    expectProblem(await client.post(`${v2}/accounts/${id}/close`, undefined), 422, 'LDG-0527');
  });

  it('are listed in the order in which they are paid, page by page', async () => {
    for (const value of ['7', '8']) {
      await posted(client, book.at, transfer('@tax', '@payer', value));
      await pay('@payer', '@shop', value, { metadata: { fee: 'yes' } });
    }
    const all = await debts('?account_alias=@payer&balance_key=DEFAULT');
    expect(all.items.map(({ seq }) => seq)).to.deep.equal([1, 2, 3]);
    expect(all.openTotal).to.equal('30');
    const page = await debts('?limit=2');
    expect(page.openTotal).to.equal(undefined);
    const rest = await debts(`?limit=2&cursor=${page.next_cursor!}`);
    expect([...page.items, ...rest.items]).to.deep.equal(all.items);
    expect((await debts('?account_alias=@shop')).items).to.deep.equal([]);
    await pay('@tax', '@payer', '15');
    expect((await debts()).items.map(({ remaining }) => remaining)).to.deep.equal(['0', '5', '10']);
  });

  it('are refused with the codes of fees', async () => {
    const at = `${v2}/fee-debts`;
    const refused = async (query: string, code: string, legacyCode: string) => {
      const problem = expectProblem(await client.get(at + query), 400, code);
      expect(problem).to.include({ legacyCode });
    };
    await refused('?limit=101', 'FEE-0011', '0080');
    await refused('?limit=x', 'FEE-0006', '0082');
    await refused('?cursor=x', 'FEE-0006', '0082');
    await refused('?balance_key=default', 'FEE-0006', '0082');
    await refused('?status=paid', 'FEE-0006', '0082');
    expectProblem(await client.get(`${at}/${origin.id}:from:9:debit`), 404, 'FEE-0012');
    for (const maxAmount of ['0', '-1']) {
      expectProblem(await collect({ accountAlias: '@payer', maxAmount }), 400, 'FEE-0003');
    }
    expectProblem(await collect({ accountAlias: '@nobody' }), 404, 'LDG-0007');
    expectProblem(await collect({ accountAlias: '@payer', balanceKey: 'x' }), 404, 'LDG-0007');
    expectProblem(await collect({}), 400, 'FEE-0002');
    expectProblem(await collect({ accountAlias: '@payer', more: 1 }), 400, 'FEE-0001');
    const other = await openFeeBook(client);
    const elsewhere = other.at.replace('/v1/', '/v2/');
    const { items } = await debts();
    expectProblem(await client.get(`${elsewhere}/fee-debts/${items[0]!.id}`), 404, 'FEE-0012');
  });
});
