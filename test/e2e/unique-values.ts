import { expect } from 'chai';
import type { Answer, Client } from '#test/support/client.ts';
import {
  createAccount,
  createLedger,
  createOrganization,
  exactly,
  got,
  NOBODY,
  openBook,
  posted,
  transfer,
  type Account,
  type Book,
  type Ledger,
  type List,
  type Transaction,
} from './books.ts';
import { expectProblem } from './problems.ts';
import { createOperationRoute } from './routes.ts';
import { inScope } from './v2-request.ts';
import { openGroupLedger } from './staged-groups.ts';

const INDEXES = '/v1/settings/metadata-indexes/entities';

/** What unique indexes on metadata keep apart; whoever calls this drops them after each. */
export function uniqueValues(client: Client): void {
  const create = (entity: string, metadataKey = 'taxId'): Promise<Answer> =>
    client.post(`${INDEXES}/${entity}`, { metadataKey, unique: true });
  const unique = async (entity: string, metadataKey = 'taxId'): Promise<void> => {
    const answer = await create(entity, metadataKey);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.json()).to.deep.include({ metadataKey, unique: true });
  };
  const drop = (entity: string, key = 'taxId') => client.delete(`${INDEXES}/${entity}/key/${key}`);
  const taken = (answer: Answer, location = 'metadata.taxId', more: object = {}): void => {
    expectProblem(answer, 409, 'LDG-0132', { locations: [location], ...more });
  };
  const ok = (answer: Answer, status = 201): Answer => {
    expect(answer.status, answer.text).to.equal(status);
    return answer;
  };
  const account = ({ at }: Book, taxId: unknown): Promise<Answer> =>
    client.post(`${at}/accounts`, { assetCode: 'BRL', type: 'deposit', metadata: { taxId } });
  const pay = ({ at }: Book, more: object, form = 'json'): Promise<Answer> =>
    client.post(`${at}/transactions/${form}`, { ...transfer('@alice', '@bob', '1'), ...more });
  const open = () => openBook(client, { accounts: ['@bob'], funds: { '@alice': '1000' } });

  it('keep a value from a second account, until the first one has another, or is gone', async () => {
    const [book, other] = [await openBook(client), await openBook(client)];
    await unique('account');
    const first = ok(await account(book, 'a-1')).json() as Account;
    taken(await account(book, 'a-1'), 'metadata.taxId', { entityType: 'Account' });
    ok(await account(book, 'A-1'));
    ok(await account(other, 'a-1')); // Each ledger for itself.
    const free = await createAccount(client, book.at, { metadata: { other: 'a-1' } });
    const path = (id: string): string => `${book.at}/accounts/${id}`;
    taken(await client.patch(path(free.id), { metadata: { taxId: 'a-1' } }));
    ok(await client.patch(path(first.id), { metadata: { taxId: 'a-1', name: 'again' } }), 200);
    ok(await client.patch(path(first.id), { metadata: { taxId: 'a-2' } }), 200);
    ok(await client.patch(path(free.id), { metadata: { taxId: 'a-1' } }), 200);
    taken(await client.patch(path(first.id), { metadata: { taxId: 'a-1' } }));
    ok(await client.patch(path(free.id), { metadata: { taxId: null } }), 200);
    ok(await client.patch(path(first.id), { metadata: { taxId: 'a-1' } }), 200);
    ok(await client.delete(path(first.id)), 204);
    ok(await account(book, 'a-1'));
  });

  it('compare values as filters do', async () => {
    const book = await openBook(client);
    await unique('account');
    ok(await account(book, 1));
    taken(await account(book, '1'));
    ok(await account(book, '1.0'));
    ok(await account(book, true));
    taken(await account(book, 'true'));
    const long = 'x'.repeat(2000);
    ok(await account(book, long));
    ok(await account(book, `${long.slice(1)}y`));
    taken(await account(book, long));
  });

  it('let exactly one of two clients have a value that both write at once', async () => {
    const book = await openBook(client);
    await unique('account');
    for (let n = 0; n < 10; n += 1) {
      const answers = await Promise.all([1, 2, 3].map(() => account(book, `race ${n}`)));
      const won = answers.filter(({ status }) => status === 201);
      expect(won, answers.map(({ text }) => text).join('\n')).to.have.length(1);
      for (const answer of answers) if (answer !== won[0]) taken(answer);
    }
  });

  it('take no value twice under one key of a repeated request', async () => {
    const book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '9' } });
    await unique('transaction');
    const body = { ...transfer('@alice', '@bob', '1'), metadata: { taxId: 'k' } };
    const send = (key: string) =>
      client.post(`${book.at}/transactions/json`, body, { 'X-Idempotency': key });
    const first = ok(await send('one'));
    expect(ok(await send('one')).text).to.equal(first.text);
    taken(await send('two'));
  });

  it('hold in every kind of record that a ledger or an organization has', async () => {
    const book = await openBook(client);
    const above = `/v2/organizations/${book.org}`;
    const kinds: Readonly<Record<string, readonly [list: string, fields: (n: number) => object]>> =
      {
        segment: [`${book.at}/segments`, (n) => ({ name: `S ${n}` })],
        portfolio: [`${book.at}/portfolios`, (n) => ({ name: `P ${n}` })],
        account_type: [`${book.at}/account-types`, (n) => ({ name: 'T', keyValue: `t${n}` })],
        asset: [
          `${book.at}/assets`,
          (n) => ({ name: `N${n}`, type: 'others', code: `N${'XYZ'[n]}` }),
        ],
        operation_route: [
          `${book.at}/operation-routes`,
          () => ({ title: 'R', operationType: 'source' }),
        ],
      };
    const source = await createOperationRoute(client, book.at, 'source');
    const destination = await createOperationRoute(client, book.at, 'destination');
    const routes = { title: 'T', operationRoutes: [source.id, destination.id] };
    const all: typeof kinds = {
      ...kinds,
      transaction_route: [`${book.at}/transaction-routes`, () => routes],
    };
    await Promise.all(Object.keys(all).map((entity) => unique(entity)));
    const stories: typeof kinds = {
      ...all,
      'of the organization': [
        `${above}/operation-routes`,
        () => ({ title: 'R', operationType: 'source' }),
      ],
    };
    for (const [entity, [list, fields]] of Object.entries(stories)) {
      const make = (n: number, taxId: string) =>
        client.post(list, { ...fields(n), metadata: { taxId } });
      const { id } = ok(await make(0, 'r-1')).json() as { id: string };
      taken(await make(1, 'r-1'));
      const other = ok(await make(1, 'r-2')).json() as { id: string; name?: string };
      const patch = { ...(entity === 'asset' && { name: other.name }), metadata: { taxId: 'r-1' } };
      taken(await client.patch(`${list}/${other.id}`, patch));
      ok(await client.delete(`${list}/${id}`), 204);
      ok(await client.patch(`${list}/${other.id}`, patch), 200);
      taken(await make(2, 'r-1'));
    }
  });

  it('hold in every form of a transaction, in its batches and its changes', async () => {
    const book = await open();
    const { org: organizationId, ledger: ledgerId } = book;
    await unique('transaction');
    const metadata = { taxId: 't-1' };
    const first = ok(await pay(book, { metadata })).json() as Transaction;
    for (const form of ['json', 'block', 'unblock', 'annotation']) {
      taken(await pay(book, { metadata }, form));
    }
    taken(await pay(book, { metadata, pending: true }));
    const { send: both } = transfer('@alice', '@bob', '1');
    const { source: _, ...inflow } = both;
    taken(await client.post(`${book.at}/transactions/inflow`, { send: inflow, metadata }));
    const { direct } = inScope({ organizationId, ledgerId });
    for (const form of ['direct', 'hold', 'block', 'unblock']) {
      const body = { ...direct('@alice', '@bob', '1'), metadata };
      taken(await client.post(`/v2/transactions/${form}`, body));
    }
    const batch = [{ taxId: 't-2' }, { taxId: 't-3' }, { taxId: 't-2' }].map((said) => ({
      ...transfer('@alice', '@bob', '1'),
      metadata: said,
    }));
    const atomic = await client.post(`${book.at}/transactions/batch`, {
      atomic: true,
      transactions: batch,
    });
    taken(atomic, 'transactions[2].metadata.taxId');
    const path = (id: string): string => `${book.at}/transactions/${id}`;
    const other = ok(await pay(book, { metadata: { taxId: 't-2' } })).json() as Transaction;
    taken(await client.patch(path(other.id), { metadata }));
    ok(await client.patch(path(first.id), { metadata: { taxId: null } }), 200);
    ok(await client.patch(path(other.id), { metadata }), 200);
    ok(await pay(book, { metadata: { taxId: 't-2' } }));
  });

  it('stop neither a commit, nor a cancellation, nor a reversal, which say nothing new', async () => {
    const book = await open();
    await Promise.all(['transaction', 'operation'].map((entity) => unique(entity)));
    const act = async (what: string, id: string) =>
      ok(await client.post(`${book.at}/transactions/${id}/${what}`)).json() as Transaction;
    const legs = {
      send: {
        asset: 'BRL',
        value: '1',
        source: { from: [{ ...exactly('@alice', '1'), metadata: { taxId: 'from' } }] },
        distribute: { to: [{ ...exactly('@bob', '1'), metadata: { taxId: 'to' } }] },
      },
    };
    const held = ok(await pay(book, { ...legs, pending: true, metadata: { taxId: 'h' } }));
    const { id } = held.json() as Transaction;
    taken(await pay(book, legs), 'send.source.from[0].metadata.taxId');
    await act('commit', id);
    taken(await pay(book, { metadata: { taxId: 'h' } }));
    const reversal = await act('revert', id);
    expect(reversal.metadata).to.deep.equal({ taxId: 'h' });
    const gone = ok(await pay(book, { pending: true, metadata: { taxId: 'c' } }));
    await act('cancel', (gone.json() as Transaction).id);
    taken(await pay(book, { metadata: { taxId: 'c' } })); // It is there still.
  });

  it('tell the operations of a transaction apart as well', async () => {
    const book = await open();
    await unique('operation');
    const leg = (alias: string, taxId: string) => ({ ...exactly(alias, '1'), metadata: { taxId } });
    const send = (from: string, to: string) => ({
      send: {
        asset: 'BRL',
        value: '1',
        source: { from: [leg('@alice', from)] },
        distribute: { to: [leg('@bob', to)] },
      },
    });
    taken(await pay(book, send('o-1', 'o-1')), 'send.distribute.to[0].metadata.taxId');
    const { id, operations } = ok(await pay(book, send('o-1', 'o-2'))).json() as Transaction;
    taken(await pay(book, send('o-3', 'o-2')), 'send.distribute.to[0].metadata.taxId');
    const change = (n: number, taxId: string) =>
      client.patch(`${book.at}/transactions/${id}/operations/${operations[n]?.id}`, {
        metadata: { taxId },
      });
    taken(await change(0, 'o-2'));
    ok(await change(1, 'o-4'), 200);
    ok(await change(0, 'o-2'), 200);
    ok(await pay(book, send('o-1', 'o-3')));
    taken(await pay(book, send('o-5', 'o-4')), 'send.distribute.to[0].metadata.taxId');
  });

  it('hold in each ledger of a transaction over several, and let go of one that is given up', async () => {
    const { org } = await openBook(client);
    const retail = await openGroupLedger(client, org, 'Retail', ['@alice']);
    const shops = await openGroupLedger(client, org, 'Shops', ['@carol']);
    await unique('transaction');
    const body = (taxId: string, amount = '1', to = '@carol') => ({
      asset: 'BRL',
      amount,
      debits: [inScope(retail).leg('@alice', amount)],
      credits: [inScope(shops).leg(to, amount)],
      metadata: { taxId },
    });
    const send = (what: unknown, kind = 'direct') => client.post(`/v2/transactions/${kind}`, what);
    expect((await send(body('g-1', '1', '@nobody'))).status).to.equal(422);
    ok(await send(body('g-1')));
    taken(await send(body('g-1')));
    const inShops = { ...transfer('@external/BRL', '@carol', '1'), metadata: { taxId: 'g-2' } };
    ok(await client.post(`${shops.at}/transactions/json`, inShops));
    taken(await send(body('g-2')));
    ok(await send(body('g-3'), 'hold'));
    taken(await send(body('g-3'), 'hold'));
  });

  it('hold for what was there before', async () => {
    const book = await open();
    const before = await createAccount(client, book.at, { metadata: { taxId: 'b-1' } });
    const renamed = await createAccount(client, book.at, { metadata: { taxId: 'b-2' } });
    await client.patch(`${book.at}/accounts/${renamed.id}`, { metadata: { taxId: 'b-3' } });
    const doomed = await createAccount(client, book.at, { metadata: { taxId: 'b-1' } });
    ok(await client.delete(`${book.at}/accounts/${doomed.id}`), 204);
    const said = { metadata: { taxId: 'b-4' } };
    const paid = await posted(client, book.at, { ...transfer('@alice', '@bob', '1'), ...said });
    ok(await client.post(`${book.at}/transactions/${paid.id}/revert`));
    await unique('account');
    await unique('transaction');
    taken(await account(book, 'b-1'));
    ok(await account(book, 'b-2'));
    taken(await account(book, 'b-3'));
    taken(await pay(book, said));
    ok(await client.patch(`${book.at}/accounts/${before.id}`, { metadata: { taxId: 'b-0' } }), 200);
    ok(await account(book, 'b-1'));
  });

  it('are not built over two live records with one value, and leave nothing behind then', async () => {
    const book = await openBook(client);
    const kept = ok(await account(book, 'd')).json() as Account;
    ok(await account(book, 'd'));
    const answer = await create('account');
    expectProblem(answer, 409, 'LDG-0132', { locations: ['metadataKey'] });
    expect(await got(client, '/v1/settings/metadata-indexes')).to.deep.equal([]);
    ok(await account(book, 'd'));
    for (const { id } of (await got<List<Account>>(client, `${book.at}/accounts`)).items) {
      if (id !== kept.id) await client.delete(`${book.at}/accounts/${id}`);
    }
    await unique('account');
    taken(await account(book, 'd'));
  });

  it('keep no ledger from being said to be none, and no organization', async () => {
    const { at, org, ledger } = await openBook(client);
    for (const [path, code] of [
      [at.replace(ledger, NOBODY), 'LDG-0037'],
      [at.replace(org, NOBODY).replace(ledger, NOBODY), 'LDG-0038'],
    ] as const) {
      for (const metadata of [{}, { taxId: 'x' }]) {
        expectProblem(await client.post(`${path}/segments`, { name: 'a', metadata }), 404, code);
        expectProblem(await client.patch(`${path}/segments/${NOBODY}`, { metadata }), 404, code);
        expectProblem(await pay({ at: path } as Book, { metadata }), 404, code);
      }
    }
    const routes = `/v2/organizations/${NOBODY}/operation-routes`;
    const route = { title: 'a', operationType: 'source', metadata: { taxId: 'x' } };
    expectProblem(await client.post(routes, route), 404, 'LDG-0038');
  });

  it('ask nothing any more once they are dropped, and everything when they are made again', async () => {
    const book = await openBook(client);
    await unique('account');
    ok(await account(book, 'x'));
    ok(await drop('account'), 204);
    const second = ok(await account(book, 'x')).json() as Account;
    expectProblem(await create('account'), 409, 'LDG-0132');
    ok(await client.patch(`${book.at}/accounts/${second.id}`, { metadata: { taxId: 'y' } }), 200);
    await unique('account');
    taken(await account(book, 'x'));
    taken(await account(book, 'y'));
  });

  describe('among the ledgers of an organization', () => {
    const ledgersOf = (org: string): string => `/v1/organizations/${org}/ledgers`;
    let org = '';
    let ledgers = '';
    beforeEach(async () => {
      org = (await createOrganization(client)).id;
      ledgers = ledgersOf(org);
    });
    const named = (name: string, taxId: unknown, at = ledgers): Promise<Answer> =>
      client.post(at, { name, metadata: { taxId } });
    const change = ({ id }: Ledger, body: object, version = 1): Promise<Answer> =>
      client.patch(`${ledgers.replace('v1', `v${version}`)}/${id}`, body);

    it('are taken by one ledger at a time, from its creation to its end', async () => {
      await unique('ledger');
      const first = ok(await named('One', 'l-1')).json() as Ledger;
      taken(await named('Two', 'l-1'), 'metadata.taxId', { entityType: 'Ledger' });
      const second = ok(await named('Two', 'l-2')).json() as Ledger; // Its name was free.
      ok(await named('One', 'l-1', ledgersOf((await createOrganization(client)).id)));
      for (const version of [1, 2]) {
        taken(await change(second, { name: 'Three', metadata: { taxId: 'l-1' } }, version));
      }
      expect(await got(client, `${ledgers}/${second.id}`)).to.deep.equal(second);
      ok(await change(first, { metadata: { taxId: 'l-1', more: true } }), 200);
      const renamed = ok(await change(first, { name: 'Uno', metadata: { taxId: 'l-3' } }), 200);
      expect(renamed.json()).to.deep.include({
        name: 'Uno',
        metadata: { taxId: 'l-3', more: true },
      });
      expect((await client.get(`${ledgers}/${first.id}`)).text).to.equal(renamed.text);
      ok(await change(second, { metadata: { taxId: 'l-1' } }), 200);
      taken(await change(first, { metadata: { taxId: 'l-1' } }));
      ok(await change(second, { metadata: null }), 200); // All of them.
      ok(await change(first, { metadata: { taxId: 'l-1' } }), 200);
      ok(await client.delete(`${ledgers}/${first.id}`), 204);
      ok(await change(second, { metadata: { taxId: 'l-1' } }), 200);
    });

    it('have one winner when many want one at once', async () => {
      await unique('ledger');
      const all = await Promise.all(
        ['A', 'B', 'C', 'D'].map((name) => createLedger(client, org, { name })),
      );
      for (const taxId of ['race', 'again']) {
        const answers = await Promise.all([
          ...all.map((ledger, n) =>
            change(ledger, { ...(n === 0 && { name: taxId }), metadata: { taxId } }),
          ),
          named(`New ${taxId}`, taxId), // A name of its own: it may win, and its name is taken then.
        ]);
        const won = answers.filter(({ status }) => status < 300);
        expect(won, answers.map(({ text }) => text).join('\n')).to.have.length(1);
        for (const answer of answers) if (answer !== won[0]) taken(answer);
      }
    });

    it('hold for what was there before, and are not promised where two share one', async () => {
      const first = ok(await named('One', 'b-0')).json() as Ledger;
      ok(await change(first, { metadata: { taxId: 'b-1' } }), 200);
      const second = ok(await named('Two', 'b-1')).json() as Ledger;
      expectProblem(await create('ledger'), 409, 'LDG-0132', { locations: ['metadataKey'] });
      ok(await change(second, { metadata: { taxId: 'b-2' } }), 200);
      await unique('ledger');
      for (const value of ['b-1', 'b-2']) taken(await named('Three', value));
      ok(await named('Three', 'b-0'));
    });
  });

  it('are refused for organizations, each of which is alone in its journal', async () => {
    const problem = expectProblem(await create('organization'), 400, 'LDG-0047', {
      locations: ['unique'],
    });
    expect(problem.detail).to.include('values are compared within an organization');
  });
}
