import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  exactly,
  got,
  made,
  openBook,
  posted,
  transfer,
  type Book,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';
import { inScope } from './v2-request.ts';

/** What a transaction may leave out where its ledger allows it (contract ledger §2.3 and §5.3). */
describe('skips', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  let to: ReturnType<typeof inScope>;
  beforeEach(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
    to = inScope({ organizationId: book.org, ledgerId: book.ledger });
  });

  async function allow(overrides: object): Promise<void> {
    const answer = await client.patch(`${book.at}/settings`, { overrides });
    expect(answer.status, answer.text).to.equal(200);
  }
  const whatWasSkipped = ({ feesSkipped, tracerSkipped }: Transaction) => [
    feesSkipped,
    tracerSkipped,
  ];
  const both = { skip: { fees: true, tracer: true } };

  it('are honoured by every form that knows them, and shown ever after', async () => {
    await allow({ allowFeeSkip: true, allowTracerSkip: true });
    const v2 = book.at.replace('/v1/', '/v2/');
    const one = transfer('@alice', '@bob', '1', 'BRL', both);
    const into = { asset: 'BRL', value: '1', distribute: { to: [exactly('@bob', '1')] } };
    const outOf = { asset: 'BRL', value: '1', source: { from: [exactly('@bob', '1')] } };
    const item = { action: 'direct', order: 1, ...to.direct('@alice', '@bob', '1', both) };
    const forms: readonly [path: string, body: object][] = [
      [`${book.at}/transactions/json`, one],
      [`${book.at}/transactions/json`, { ...one, pending: true }],
      [`${v2}/transactions/json`, one],
      [`${book.at}/transactions/inflow`, { ...both, send: into }],
      [`${book.at}/transactions/outflow`, { ...both, send: outOf }],
      [`${book.at}/transactions/batch`, { atomic: true, transactions: [one] }],
      ['/v2/transactions/direct', to.direct('@alice', '@bob', '1', both)],
      ['/v2/transactions/hold', to.direct('@alice', '@bob', '1', both)],
      ['/v2/transactions/batch', { transactions: [item] }],
    ];
    for (const [path, body] of forms) {
      const answer = await made<Transaction & Batches>(client, path, body);
      const shown = answer.results?.[0]?.transaction ?? answer.transactions?.[0] ?? answer;
      expect(whatWasSkipped(shown), path).to.deep.equal([true, true]);
      for (const at of [book.at, v2]) {
        const read = await got<Transaction>(client, `${at}/transactions/${shown.id}`);
        expect(whatWasSkipped(read), path).to.deep.equal([true, true]);
      }
    }
  });

  it('stay what they were when the transaction is committed or changed', async () => {
    await allow({ allowTracerSkip: true });
    const body = transfer('@alice', '@bob', '1', 'BRL', { pending: true, skip: { tracer: true } });
    const { id } = await posted(client, book.at, body);
    await allow({ allowTracerSkip: false });
    const path = `${book.at}/transactions/${id}`;
    const committed = await made<Transaction>(client, `${path}/commit`, undefined);
    expect(whatWasSkipped(committed)).to.deep.equal([false, true]);
    const patched = await client.patch(path, { description: 'Later' });
    expect(whatWasSkipped(patched.json() as Transaction)).to.deep.equal([false, true]);
  });

  it('are allowed each for itself', async () => {
    const skipping = (skip: object) => transfer('@alice', '@bob', '1', 'BRL', { skip });
    const path = `${book.at}/transactions/json`;
    await allow({ allowFeeSkip: true });
    expectProblem(await client.post(path, skipping({ tracer: true })), 422, 'LDG-0490', {
      locations: ['skip.tracer'],
    });
    const fees = await posted(client, book.at, skipping({ fees: true, tracer: false }));
    expect(whatWasSkipped(fees)).to.deep.equal([true, false]);
    await allow({ allowFeeSkip: false, allowTracerSkip: true });
    expectProblem(await client.post(path, skipping({ fees: true })), 422, 'LDG-0490', {
      locations: ['skip.fees'],
    });
  });

  it('are no part of a block, which nothing is charged for', async () => {
    await allow({ allowFeeSkip: true });
    const body = to.direct('@alice', '@bob', '1', { skip: { fees: true } });
    const answer = await client.post('/v2/transactions/block', body);
    expectProblem(answer, 400, 'LDG-0053', { locations: ['skip'] });
  });
});

type Batches = Readonly<{
  results?: readonly Readonly<{ transaction: Transaction }>[];
  transactions?: readonly Transaction[];
}>;
