import { expect } from 'chai';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  exactly,
  got,
  made,
  NOBODY,
  openBook,
  posted,
  sending,
  transfer,
  type Account,
  type Balance,
  type Book,
  type List,
  type Operation,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';

describe('balances as they were', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  let book: Book;
  let alice: Account;
  let own: Balance;
  beforeEach(async () => {
    book = await openBook(client, { accounts: ['@bob'] });
    alice = await createAccount(client, book.at, { alias: '@alice' });
    const path = `${book.at}/accounts/${alice.id}/balances`;
    own = (await got<List<Balance>>(client, path)).items[0]!;
  });

  type Then = Omit<Balance, 'position' | 'settings'>;
  const pathOf = (id: string, date: string) =>
    `${book.at}/balances/${id}/history?date=${encodeURIComponent(date)}`;
  const then = (date: string, id = own.id) => got<Then>(client, pathOf(id, date));
  const fund = (value: string, more: object = {}) =>
    posted(client, book.at, transfer('@external/BRL', '@alice', value, 'BRL', more));
  const shown = ({ available, onHold, version }: Then): string =>
    `${available}/${onHold} v${version}`;

  it('may be asked for as of now, to the microsecond, and dated so', async () => {
    await fund('10');
    for (let n = 0; n < 10; n += 1) {
      const now = formatInstant((Date.now() * 1000 + 999) as Micros);
      expect(await then(now)).to.include({ version: n + 1 });
      const transaction = await fund('1', { transactionDate: now });
      expect(transaction.createdAt).to.equal(now);
    }
  });

  it('show the last operation at or before an instant, and nothing of what they may do today', async () => {
    const first = await fund('10');
    const second = await fund('5');
    const balance = await then(first.createdAt);
    expect(balance).to.deep.equal({
      id: own.id,
      organizationId: book.org,
      ledgerId: book.ledger,
      accountId: alice.id,
      alias: '@alice',
      key: 'default',
      assetCode: 'BRL',
      available: '10',
      onHold: '0',
      scale: 1,
      version: 1,
      accountType: 'deposit',
      overdraftUsed: '0',
      createdAt: own.createdAt,
      updatedAt: first.createdAt,
    });
    expect(shown(await then(second.createdAt))).to.equal('15/0 v2');
    expect(shown(await then(justBefore(second.createdAt)))).to.equal('10/0 v1');
    const none = await then(justBefore(first.createdAt));
    expect([shown(none), none.updatedAt]).to.deep.equal(['0/0 v0', own.createdAt]);
  });

  it('follow the order of the log, whatever dates transactions and later words have', async () => {
    const first = await fund('10');
    const backdated = await fund('5', { transactionDate: '2020-01-01' });
    expect(shown(await then(first.updatedAt))).to.equal('10/0 v1');
    expect(shown(await then(backdated.updatedAt))).to.equal('15/0 v2');
    const words = await client.patch(`${book.at}/transactions/${first.id}`, { description: 'x' });
    const reworded = await then(first.updatedAt);
    expect(reworded).to.include({ available: '10', updatedAt: first.updatedAt });
    expect(shown(await then((words.json() as Transaction).updatedAt))).to.equal('15/0 v2');
  });

  it('show what was held, and not what was only noted', async () => {
    await fund('10');
    const held = await posted(
      client,
      book.at,
      transfer('@alice', '@bob', '4', 'BRL', { pending: true }),
    );
    const path = `${book.at}/transactions`;
    const settled = await made<Transaction>(client, `${path}/${held.id}/commit`, undefined);
    const noted = await made<Transaction>(
      client,
      `${path}/annotation`,
      transfer('@alice', '@bob', '99'),
    );
    expect(shown(await then(held.createdAt))).to.equal('6/4 v2');
    expect(shown(await then(settled.updatedAt))).to.equal('6/0 v3');
    expect(shown(await then(noted.createdAt))).to.equal('6/0 v3');
  });

  it('of an account are those that were there, each by its own operations', async () => {
    const path = `${book.at}/accounts/${alice.id}/balances`;
    const first = await fund('10');
    const savings = await made<Balance>(client, path, { key: 'savings' });
    const to = [{ ...exactly('@alice', '4'), balanceKey: 'savings' }];
    const saved = await posted(client, book.at, sending('4', [exactly('@alice', '4')], to));
    const last = await fund('1');
    const at = async (date: string) =>
      (await got<readonly Then[]>(client, `${path}/history?date=${date}`)).map(
        (one) => `${one.key} ${shown(one)}`,
      );
    expect(await at(own.createdAt)).to.deep.equal(['default 0/0 v0']);
    expect(await at(first.createdAt)).to.deep.equal(['default 10/0 v1']);
    expect(await at(savings.createdAt)).to.deep.equal(['default 10/0 v1', 'savings 0/0 v0']);
    expect(await at(saved.createdAt)).to.deep.equal(['default 6/0 v2', 'savings 4/0 v1']);
    expect(await at(last.createdAt)).to.deep.equal(['default 7/0 v3', 'savings 4/0 v1']);
    const early = await client.get(`${path}/history?date=${justBefore(own.createdAt)}`);
    expectProblem(early, 404, 'LDG-0141');
    const nobody = `${book.at}/accounts/${NOBODY}/balances/history?date=${last.createdAt}`;
    expectProblem(await client.get(nobody), 404, 'LDG-0141');
    expectProblem(await client.get(pathOf(savings.id, first.createdAt)), 404, 'LDG-0141');
  });

  it('leave the operations of the account one list, whichever balance they are of', async () => {
    await made<Balance>(client, `${book.at}/accounts/${alice.id}/balances`, { key: 'savings' });
    await fund('10');
    const to = [{ ...exactly('@alice', '4'), balanceKey: 'savings' }];
    await posted(client, book.at, sending('4', [exactly('@alice', '4')], to));
    const annotation = `${book.at}/transactions/annotation`;
    await made<Transaction>(client, annotation, transfer('@alice', '@bob', '99'));
    await fund('1');

    const shownBy = (one: Operation) => `${one.balanceKey} ${one.type} ${one.amount.value}`;
    const operations = `${book.at}/accounts/${alice.id}/operations`;
    const all = (await got<List<Operation>>(client, operations)).items.map(shownBy);
    expect(all).to.have.lengthOf(5);
    expect(all.slice(0, 2)).to.deep.equal(['default CREDIT 10', 'default DEBIT 4']);
    expect(all[2]).to.equal('savings CREDIT 4');
    expect(all[4]).to.equal('default CREDIT 1');

    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const more = cursor === undefined ? '' : `&cursor=${cursor}`;
      const page = await got<List<Operation>>(client, `${operations}?limit=2${more}`);
      paged.push(...page.items.map(shownBy));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(paged).to.deep.equal(all);
    const backwards = await got<List<Operation>>(client, `${operations}?sort_order=desc`);
    expect(backwards.items.map(shownBy)).to.deep.equal(all.toReversed());
    const ofBalance = `${book.at}/accounts/${own.id}/operations`;
    expect((await got<List<Operation>>(client, ofBalance)).items).to.deep.equal([]);
  });

  it('are found behind many operations of other balances', async () => {
    const path = `${book.at}/accounts/${alice.id}/balances`;
    const rare = await made<Balance>(client, path, { key: 'rare' });
    const to = [{ ...exactly('@alice', '1'), balanceKey: 'rare' }];
    await posted(client, book.at, sending('1', [exactly('@external/BRL', '1')], to));
    const item = transfer('@external/BRL', '@alice', '1');
    const transactions = Array.from({ length: 250 }, () => item);
    const many = await client.post(`${book.at}/transactions/batch`, { atomic: true, transactions });
    expect(many.status).to.equal(201);
    const last = await fund('1');
    expect(shown(await then(last.createdAt, rare.id))).to.equal('1/0 v1');
    expect(shown(await then(last.createdAt))).to.equal('251/0 v251');
  });

  it('are asked for by a moment in the past, with its time of day', async () => {
    const { createdAt } = await fund('10');
    const ahead = await client.get(pathOf(own.id, '2999-01-01 00:00:00'));
    expectProblem(ahead, 400, 'LDG-0140', { locations: ['query.date'] });
    const refused = async (query: string, status: number, code: string) => {
      const answer = await client.get(`${book.at}/balances/${own.id}/history${query}`);
      expectProblem(answer, status, code, { locations: ['query.date'] });
    };
    await refused('', 400, 'LDG-0142');
    await refused('?date=', 400, 'LDG-0142');
    await refused('?date=2026-01-01', 400, 'LDG-0131');
    await refused('?date=yesterday', 400, 'LDG-0131');
    await refused('?date=2026-02-30%2000:00:00', 400, 'LDG-0131');
    await refused('?date=2999-01-01T00:00:00Z', 400, 'LDG-0140');
    expectProblem(await client.get(pathOf(NOBODY, createdAt)), 404, 'LDG-0007');
    expectProblem(await client.get(pathOf(own.id, '2001-01-01 00:00:00')), 404, 'LDG-0141');
  });
});

/** A microsecond earlier. */
function justBefore(instant: string): string {
  const micros =
    BigInt(Date.parse(instant.slice(0, 23) + 'Z')) * 1000n + BigInt(instant.slice(23, 26));
  const before = micros - 1n;
  const ms = new Date(Number(before / 1000n)).toISOString().slice(0, -1);
  return `${ms}${String(before % 1000n).padStart(3, '0')}Z`;
}
