import { CALCULATED_FEE_KEYS, FEE_KEYS } from '#src/kernel/fee-keys.ts';
import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import { exactly, got, openBook, sending, transfer, type Book, type Transaction } from './books.ts';
import { expectProblem } from './problems.ts';

/** Contract registry-and-fees §B8: what fees write on a transaction, and who else may. */
describe('metadata keys of fees', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  let v2: string;
  before(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
    v2 = book.at.replace('/v1/', '/v2/');
  });
  const tagged = (metadata: object) => ({ ...transfer('@alice', '@bob', '1'), metadata });
  const exemption = { exempt: true, reason: 'all_accounts_exempt', message: 'waived' };

  it('are refused from clients of version 2, each by its place', async () => {
    for (const key of FEE_KEYS) {
      const answer = await client.post(`${v2}/transactions/json`, tagged({ [key]: 'x', mine: 1 }));
      expectProblem(answer, 400, 'LDG-0047', { locations: [`metadata.${key}`] });
    }
  });

  it('are taken by version 1 as far as its calculation of fees answers with them', async () => {
    for (const key of FEE_KEYS) {
      const answer = await client.post(`${book.at}/transactions/json`, tagged({ [key]: 'x' }));
      if (CALCULATED_FEE_KEYS.has(key)) expect(answer.status, key).to.equal(201);
      else expectProblem(answer, 400, 'LDG-0047', { locations: [`metadata.${key}`] });
    }
  });

  it('are no more a script’s than a body’s', async () => {
    const leg = (side: string, alias: string) => `(${side} ${alias} :amount BRL 1)`;
    const script = (key: string) => ({
      dsl:
        `(transaction V1 (chart-of-accounts-group-name F) (metadata (${key} x)) ` +
        `(send BRL 1 (source ${leg('from', '@alice')}) (distribute ${leg('to', '@bob')})))`,
    });
    const locations = ['metadata.feeApplied'];
    const refused = await client.post(`${v2}/transactions/dsl`, script('feeApplied'));
    expectProblem(refused, 400, 'LDG-0047', { locations });
    const taken = await client.post(`${book.at}/transactions/dsl`, script('feeApplied'));
    expect(taken.status, taken.text).to.equal(201);
  });

  it('hold one nested value, which both versions show and find', async () => {
    const metadata = { packageAppliedID: 'p-1', feeExemption: exemption };
    const answer = await client.post(`${book.at}/transactions/json`, tagged(metadata));
    const { id } = answer.json() as Transaction;
    for (const at of [book.at, v2]) {
      const read = await got<Transaction>(client, `${at}/transactions/${id}`);
      expect(read.metadata).to.deep.equal(metadata);
      const path = `${at}/transactions?metadata.packageAppliedID=p-1`;
      expect(await got(client, path)).to.have.deep.nested.property('items[0].metadata', metadata);
    }
    const nested = { feeExemption: { why: { deep: 1 } } };
    const deeper = await client.post(`${book.at}/transactions/json`, tagged(nested));
    expectProblem(deeper, 400, 'LDG-0067', { locations: ['metadata.feeExemption.why'] });
  });

  it('are no leg’s and no operation’s', async () => {
    const leg = { ...exactly('@alice', '1'), metadata: { feeLeg: true } };
    for (const at of [book.at, v2]) {
      const body = sending('1', [leg], [exactly('@bob', '1')]);
      const answer = await client.post(`${at}/transactions/json`, body);
      const locations = ['send.source.from[0].metadata.feeLeg'];
      expectProblem(answer, 400, 'LDG-0047', { locations });
    }
  });

  it('are not changed afterwards by version 2, nor the others by version 1', async () => {
    const made = await client.post(`${book.at}/transactions/json`, tagged({ feeApplied: 'true' }));
    const { id, operations } = made.json() as Transaction;
    const path = `transactions/${id}`;
    const removal = { metadata: { feeApplied: null } };
    const refused = await client.patch(`${v2}/${path}`, removal);
    expectProblem(refused, 400, 'LDG-0047', { locations: ['metadata.feeApplied'] });
    const other = await client.patch(`${book.at}/${path}`, { metadata: { feeDebtId: 'd' } });
    expectProblem(other, 400, 'LDG-0047', { locations: ['metadata.feeDebtId'] });
    const ofOperation = `${path}/operations/${operations[0]!.id}`;
    for (const at of [book.at, v2]) {
      const answer = await client.patch(`${at}/${ofOperation}`, { metadata: { feeLeg: 'x' } });
      expectProblem(answer, 400, 'LDG-0047', { locations: ['metadata.feeLeg'] });
    }
    expect((await client.patch(`${book.at}/${path}`, removal)).status).to.equal(200);
  });
});
