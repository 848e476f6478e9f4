import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';
import {
  createAccount,
  createLedger,
  openBook,
  ORGANIZATIONS,
  posted,
  transfer,
  type Book,
} from './books.ts';

import type { Answer } from '#test/support/client.ts';

describe('counts', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  const asked = (path: string) => client.send({ method: 'HEAD', path });
  const count = async (path: string): Promise<number> => {
    const answer = await asked(path);
    expect(answer.status, path).to.equal(204);
    expect(answer.headers['content-length']).to.equal('0');
    expect(answer.text).to.equal('');
    return Number(answer.headers['x-total-count']);
  };

  let book: Book;
  before(async () => {
    book = await openBook(client, {
      assets: ['BRL', 'USD'],
      accounts: ['@bob'],
      funds: { '@alice': '500' },
    });
  });

  it('are of what is there, deleted ones not among them', async () => {
    const organizations = await count(`${ORGANIZATIONS}/metrics/count`);
    const other = await openBook(client);
    expect(await count(`${ORGANIZATIONS}/metrics/count`)).to.equal(organizations + 1);
    const ledgers = `${ORGANIZATIONS}/${other.org}/ledgers`;
    const more = await createLedger(client, other.org);
    expect(await count(`${ledgers}/metrics/count`)).to.equal(2);
    await client.send({ method: 'DELETE', path: `${ledgers}/${more.id}` });
    expect(await count(`${ledgers}/metrics/count`)).to.equal(1);
    await client.send({ method: 'DELETE', path: `${ORGANIZATIONS}/${other.org}` });
    expect(await count(`${ORGANIZATIONS}/metrics/count`)).to.equal(organizations);
  });

  it('of a ledger see what was just written', async () => {
    expect(await count(`${book.at}/assets/metrics/count`)).to.equal(2);
    // Each asset has its external account, and they are among the ledger's accounts.
    expect(await count(`${book.at}/accounts/metrics/count`)).to.equal(4);
    const { id } = await createAccount(client, book.at, { alias: '@gone' });
    expect(await count(`${book.at}/accounts/metrics/count`)).to.equal(5);
    await client.send({ method: 'DELETE', path: `${book.at}/accounts/${id}` });
    expect(await count(`${book.at}/accounts/metrics/count`)).to.equal(4);
    for (const what of ['segments', 'portfolios']) {
      const path = `${book.at}/${what}`;
      const made = (await client.post(path, { name: 'Retail' })).json() as { id: string };
      expect(await count(`${path}/metrics/count`)).to.equal(1);
      await client.send({ method: 'DELETE', path: `${path}/${made.id}` });
      expect(await count(`${path}/metrics/count`)).to.equal(0);
    }
    expect(await count(`${book.at.replace('/v1/', '/v2/')}/assets/metrics/count`)).to.equal(2);
  });

  describe('of transactions', () => {
    const counted = (query = '') => count(`${book.at}/transactions/metrics/count?${query}`);
    const pay = (more: object) =>
      posted(client, book.at, { ...transfer('@alice', '@bob', '1'), ...more });
    const STREET = 'street "x" \\ ~';

    before(async () => {
      await pay({ route: STREET });
      await pay({ route: STREET, transactionDate: '2026-01-05T10:00:00.5Z' });
      await pay({ transactionDate: '2026-01-05T10:00:01Z' });
      await pay({ transactionDate: '2026-01-04T23:59:59.999Z' });
      const { id } = await pay({ pending: true, route: STREET });
      await client.post(`${book.at}/transactions/${id}/cancel`);
      await pay({ pending: true });
    });

    it('take the present day when no dates are sent', async () => {
      expect(await counted()).to.equal(4); // The funding, one settled, one cancelled, one held.
    });

    it('tell statuses apart; created is approved', async () => {
      expect(await counted('status=APPROVED')).to.equal(2);
      expect(await counted('status=CREATED')).to.equal(2);
      expect(await counted('status=PENDING')).to.equal(1);
      expect(await counted('status=CANCELED')).to.equal(1);
      expect(await counted('status=NOTED')).to.equal(0);
    });

    it('take what was sent as route', async () => {
      const route = `route=${encodeURIComponent(STREET)}`;
      expect(await counted(route)).to.equal(2);
      expect(await counted(`${route}&status=CANCELED`)).to.equal(1);
      expect(await counted('route=none')).to.equal(0);
    });

    it('take dates with both ends in them, by the dates the transactions carry', async () => {
      const between = (from: string, to: string) =>
        counted(`start_date=2026-01-${from}Z&end_date=2026-01-${to}Z`);
      expect(await between('05T10:00:00', '05T10:00:00')).to.equal(1);
      expect(await between('05T10:00:00', '05T10:00:01')).to.equal(2);
      expect(await between('04T00:00:00', '05T23:59:59.999999999')).to.equal(3);
      expect(await between('05T00:00:00', '05T10:00:00')).to.equal(1);
      expect(await between('01T00:00:00', '04T23:59:58')).to.equal(0);
      const far = 'start_date=2025-12-31T22:00:00-02:00&end_date=2126-01-01T00:00:00Z';
      expect(await counted(far)).to.equal(7);
    });

    it('refuse other words and other dates', async () => {
      for (const query of [
        'status=approved',
        'start_date=2026-01-05&end_date=2026-01-06',
        'start_date=2026-01-05T10:00:00&end_date=2026-01-06T10:00:00',
        'start_date=2026-02-30T10:00:00Z&end_date=2026-03-01T10:00:00Z',
        'start_date=2026-01-05T10:00:00Z',
        'start_date=2026-01-05T10:00:00Z&end_date=2026-01-05T09:00:00Z',
      ]) {
        const answer = await asked(`${book.at}/transactions/metrics/count?${query}`);
        expectStatusAlone(answer, 400);
      }
    });
  });

  it('of what is below nobody are not found', async () => {
    const nobody = '00000000-0000-7000-8000-000000000000';
    for (const path of [
      `${ORGANIZATIONS}/${nobody}/ledgers/metrics/count`,
      `${ORGANIZATIONS}/${book.org}/ledgers/${nobody}/assets/metrics/count`,
    ]) {
      expectStatusAlone(await asked(path), 404);
    }
  });
});

/** Errors on a HEAD carry the status only. */
function expectStatusAlone(answer: Answer, status: number): void {
  expect(answer.status).to.equal(status);
  expect(answer.text).to.equal('');
}
