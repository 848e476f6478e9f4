import { expect } from 'chai';
import { createClient, isProblem, QuipuProblem, type Client } from '#src/library/client.ts';
import { sharedServer } from '#test/support/server.ts';
import { caught } from '#test/support/caught.ts';
import { available, LEDGER, newLedger, pay, transfer, type LedgerPath } from './ledger.ts';

describe('the client', () => {
  const server = sharedServer();
  let client: Client;
  let path: LedgerPath;
  before(async () => {
    client = createClient({ url: `http://127.0.0.1:${server().port}/` });
    path = await newLedger(client, ['@alice', '@bob'], { '@alice': '500' });
  });

  it('sends what an operation takes and returns what it responds with', async () => {
    const transaction = await pay(client, path, transfer('@alice', '@bob', '120.04'));
    expect(transaction.amount).to.equal('120.04');
    const id = { ...path, transaction_id: transaction.id };
    const read = await client.get(`${LEDGER}/transactions/{transaction_id}`, { path: id });
    expect(read).to.deep.include({ id: transaction.id, amount: '120.04' });
    const body = { description: 'Lunch' };
    const changed = await client.patch(`${LEDGER}/transactions/{transaction_id}`, {
      path: id,
      body,
    });
    expect(changed.description).to.equal('Lunch');
    expect(await available(client, path, '@bob')).to.equal('120.04');
  });

  it('returns nothing where a response has no body', async () => {
    const { id } = await client.post(`${LEDGER}/segments`, { path, body: { name: 'Youth' } });
    const segment = { path: { ...path, segment_id: id } };
    const { data } = await client.request('delete', `${LEDGER}/segments/{segment_id}`, segment);
    expect(data).to.equal(undefined);
  });

  it('counts', async () => {
    expect(await client.count(`${LEDGER}/accounts/metrics/count`, { path })).to.equal(3);
  });

  it('throws a problem with its code, its detail and every finding', async () => {
    const error = await caught(pay(client, path, transfer('@bob', '@alice', '5000')));
    expect(error).to.be.instanceOf(QuipuProblem);
    expect(error).to.include({ status: 422, code: 'LDG-0018' });
    expect(isProblem(error, 'LDG-0037', 'LDG-0018')).to.equal(true);
    expect(isProblem(error, 'LDG-0037')).to.equal(false);

    const invalid = { name: '', type: 'currency', code: 'BRL' } as const;
    const finding = await caught(client.post(`${LEDGER}/assets`, { path, body: invalid }));
    expect(finding).to.be.instanceOf(QuipuProblem);
    const { errors, requestId, message, detail } = finding as QuipuProblem;
    expect(errors.map(({ location }) => location)).to.include('name');
    expect(requestId).to.be.a('string');
    expect(message).to.contain(detail);
  });

  it('throws a problem without a code where the response has no document', async () => {
    const nobody = { ...path, ledger_id: path.organization_id };
    const error = await caught(client.count(`${LEDGER}/accounts/metrics/count`, { path: nobody }));
    expect(error).to.include({ status: 404, code: '' });
  });

  it('refuses a path with a missing part before it sends anything', async () => {
    const error = await caught(
      client.get('/v1/organizations/{organization_id}', { path: { organization_id: '' } }),
    );
    expect(error).to.be.instanceOf(TypeError);
  });

  describe('goes through lists', () => {
    const items = async <Item>(list: AsyncIterable<Item>): Promise<Item[]> => Array.fromAsync(list);

    it('by page', async () => {
      for (const limit of [1, 2, 3, 100]) {
        const accounts = await items(
          client.items(`${LEDGER}/accounts`, { path, query: { limit } }),
        );
        const aliases = accounts.map(({ alias }) => alias);
        expect(aliases, `${limit} a page`).to.deep.equal(['@external/BRL', '@alice', '@bob']);
      }
    });

    it('by cursor', async () => {
      const paid = [];
      for (let n = 1; n <= 7; n += 1) {
        paid.push((await pay(client, path, transfer('@alice', '@bob', String(n)))).id);
      }
      const query = { limit: 3, sort_order: 'desc' } as const;
      const found = await items(client.items(`${LEDGER}/transactions`, { path, query }));
      expect(found.slice(0, 7).map(({ id }) => id)).to.deep.equal(paid.toReversed());
      expect(new Set(found.map(({ id }) => id)).size).to.equal(found.length);
    });

    it('with either style of paging', async () => {
      for (const name of ['Savings', 'Checking', 'Deposit', 'Escrow']) {
        const body = { name, keyValue: name.toLowerCase() };
        await client.post(`${LEDGER}/account-types`, { path, body });
      }
      for (const query of [{ limit: 2 }, { limit: 2, page: 1 }]) {
        const found = await items(client.items(`${LEDGER}/account-types`, { path, query }));
        expect(found.map(({ name }) => name)).to.deep.equal([
          ...['Savings', 'Checking', 'Deposit', 'Escrow'],
        ]);
      }
    });

    it('with filters', async () => {
      const today = new Date().toISOString().slice(0, 10);
      const body = { name: 'Gold', metadata: { tier: 'a b', region: 'é&=' } };
      await client.post(`${LEDGER}/portfolios`, { path, body: { ...body, entityId: '1' } });
      await client.post(`${LEDGER}/portfolios`, { path, body: { name: 'Tin', entityId: '2' } });
      const query = {
        metadata: { 'metadata.tier': 'a b', 'metadata.region': 'é&=' },
        dates: { start_date: today, end_date: today },
      };
      const found = await items(client.items(`${LEDGER}/portfolios`, { path, query }));
      expect(found.map(({ name }) => name)).to.deep.equal(['Gold']);
    });

    it('and reads no further page than it needs', async () => {
      let requests = 0;
      const counting = createClient({
        url: `http://127.0.0.1:${server().port}`,
        fetch: (...sent) => {
          requests += 1;
          return fetch(...sent);
        },
      });
      const query = { limit: 1 };
      for await (const { alias } of counting.items(`${LEDGER}/accounts`, { path, query })) {
        if (alias === '@alice') break;
      }
      expect(requests).to.equal(2);
    });
  });

  it('yields lines as values', async () => {
    const types = [];
    for await (const event of client.lines(`${LEDGER}/journal`, { path })) types.push(event.type);
    expect(types.slice(0, 3)).to.deep.equal(['LedgerOpened', 'AssetCreated', 'AccountOpened']);
  });

  it('returns a response for its headers', async () => {
    const sent = {
      path,
      headers: { 'X-Idempotency': 'invoice-1', 'X-Request-Id': 'mine' },
      body: transfer('@alice', '@bob', '1'),
    };
    const first = await client.request('post', `${LEDGER}/transactions/json`, sent);
    const second = await client.request('post', `${LEDGER}/transactions/json`, sent);
    expect(second.data).to.deep.equal(first.data);
    expect(second.response.headers.get('X-Idempotency-Replayed')).to.equal('true');
    expect(second.response.headers.get('X-Request-Id')).to.equal('mine');
  });

  it('takes amounts as texts only, and checks paths, members and options', () => {
    const check = (): void => {
      const body = transfer('@alice', '@bob', '1');
      // @ts-expect-error: a number may have lost digits already.
      void pay(client, path, { send: { ...body.send, value: 1 } });
      // @ts-expect-error: there is no such path.
      void client.get('/v1/organization');
      // @ts-expect-error: the path has two parameters.
      void client.get(`${LEDGER}/assets`, { path: { organization_id: 'a' } });
      // @ts-expect-error: the body is required.
      void client.post('/v1/organizations');
      // @ts-expect-error: it has another member.
      void client.post('/v1/organizations', { body: { legalName: 'A', legalDocumen: '1' } });
      // @ts-expect-error: there is no such filter.
      void client.get('/v1/organizations', { query: { color: 'red' } });
      // @ts-expect-error: a creation is not a list.
      void client.items(`${LEDGER}/transactions/json`, { path });
      // @ts-expect-error: the organization is in a header.
      void client.get('/v1/holders');
      void client.get('/v1/holders', { headers: { 'X-Organization-Id': path.organization_id } });
    };
    expect(check).to.be.a('function');
  });
});
