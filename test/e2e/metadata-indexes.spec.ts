import { expect } from 'chai';
import { clientOf, type Answer } from '#test/support/client.ts';
import { serverOfBlock } from '#test/support/server.ts';
import { createAccount, got, openBook, type Account, type List } from './books.ts';
import { expectProblem } from './problems.ts';
import { uniqueValues } from './unique-values.ts';

const INDEXES = '/v1/settings/metadata-indexes';

type Index = Readonly<{
  indexName: string;
  entityName: string;
  metadataKey: string;
  unique: boolean;
  sparse: boolean;
}>;

describe('metadata indexes', () => {
  const server = serverOfBlock();
  const client = clientOf(server);
  after(() => client.close());

  const create = (entity: string, body: object): Promise<Answer> =>
    client.post(`${INDEXES}/entities/${entity}`, body);
  const drop = (entity: string, key: string): Promise<Answer> =>
    client.delete(`${INDEXES}/entities/${entity}/key/${key}`);
  const list = (query = '') => got<readonly Index[]>(client, `${INDEXES}${query}`);

  afterEach(async () => {
    for (const { entityName, metadataKey } of await list()) await drop(entityName, metadataKey);
    expect(await list()).to.deep.equal([]);
  });

  it('are created for one kind of records and one key', async () => {
    const answer = await create('account', { metadataKey: 'tier' });
    expect(answer.status, answer.text).to.equal(201);
    const index = {
      indexName: 'metadata.tier_1',
      entityName: 'account',
      metadataKey: 'tier',
      unique: false,
      sparse: true,
    };
    expect(answer.json()).to.deep.equal(index);
    expect(await list()).to.deep.equal([index]);
  });

  it('are listed bare, all or those of one kind, in the order of creation', async () => {
    for (const [entity, metadataKey] of [
      ['transaction', 'late'],
      ['account', 'tier'],
      ['transaction', 'Branch_2'],
    ] as const) {
      await create(entity, { metadataKey, sparse: false, unique: null });
    }
    const keys = async (query: string) => (await list(query)).map((index) => index.metadataKey);
    expect(await keys('')).to.deep.equal(['late', 'tier', 'Branch_2']);
    expect(await keys('?entity_name=transaction')).to.deep.equal(['late', 'Branch_2']);
    expect(await keys('?entity_name=operation_route')).to.deep.equal([]);
    expect(await keys('?entity_name=')).to.have.length(3);
    const wrong = await client.get(`${INDEXES}?entity_name=holder`);
    expectProblem(wrong, 400, 'LDG-0138', { locations: ['query.entity_name'] });
  });

  it('leave what filters find as it is: before, with and after them', async () => {
    const { at } = await openBook(client);
    const named = (alias: string, metadata: object) =>
      createAccount(client, at, { alias, metadata });
    await named('@gold', { tier: 'gold', n: 1 });
    await named('@silver', { tier: 'silver', n: 1 });
    const found = async (query: string) =>
      (await got<List<Account>>(client, `${at}/accounts?${query}`)).items.map(({ alias }) => alias);
    const expectAll = async (): Promise<void> => {
      expect(await found('metadata.tier=gold'))
        .to.include('@gold')
        .and.not.to.include('@silver');
      expect(await found('metadata.n=1&metadata.tier=silver')).to.deep.equal(['@silver']);
      expect(await found('metadata.tier=bronze')).to.deep.equal([]);
    };
    await expectAll();
    await create('account', { metadataKey: 'tier' });
    await expectAll();
    await named('@late', { tier: 'gold' });
    expect(await found('metadata.tier=gold')).to.deep.equal(['@gold', '@late']);
    const [first] = (await got<List<Account>>(client, `${at}/accounts?metadata.tier=gold`)).items;
    await client.patch(`${at}/accounts/${first?.id}`, { metadata: { tier: 'silver' } });
    expect(await found('metadata.tier=gold')).to.deep.equal(['@late']);
    expect(await found('metadata.tier=silver')).to.deep.equal(['@gold', '@silver']);
    expect(await found('metadata.tier=silver&limit=1&page=2')).to.deep.equal(['@silver']);
    expect(await found('metadata.tier=silver&sort_order=desc')).to.deep.equal(['@silver', '@gold']);
    await drop('account', 'tier');
    expect(await found('metadata.tier=silver')).to.deep.equal(['@gold', '@silver']);
  });

  it('are refused twice, and when there are 20 of a kind', async () => {
    for (let n = 0; n < 20; n += 1) {
      expect((await create('portfolio', { metadataKey: `k${n}` })).status).to.equal(201);
    }
    const said = { entityType: 'MetadataIndex' };
    expectProblem(await create('portfolio', { metadataKey: 'k7' }), 409, 'LDG-0132', said);
    expectProblem(await create('portfolio', { metadataKey: 'k20' }), 422, 'LDG-0135', said);
    expect((await drop('portfolio', 'k3')).status).to.equal(204);
    expect((await create('portfolio', { metadataKey: 'k20' })).status).to.equal(201);
  });

  it('are refused for what is no key of metadata', async () => {
    const at = { locations: ['metadataKey'] };
    for (const metadataKey of ['1st', 'a b', 'a.b', '_id', 'x'.repeat(101), 'é']) {
      expectProblem(await create('account', { metadataKey }), 400, 'LDG-0047', at);
    }
    expectProblem(await create('account', {}), 400, 'LDG-0009', at);
    expectProblem(await create('account', { metadataKey: '' }), 400, 'LDG-0009', at);
    expectProblem(await create('account', { metadataKey: 1 }), 400, 'LDG-0094', at);
    const more = await create('account', { metadataKey: 'a', entityName: 'asset' });
    expectProblem(more, 400, 'LDG-0053', { locations: ['entityName'] });
  });

  describe('that are unique', () => {
    uniqueValues(client);
  });

  it('are refused for records there are not', async () => {
    const at = { locations: ['path.entity_name'] };
    expectProblem(await create('holder', { metadataKey: 'a' }), 400, 'LDG-0138', at);
    expectProblem(await drop('Account', 'a'), 400, 'LDG-0138', at);
  });

  it('are dropped once, and never those of the store', async () => {
    await create('account', { metadataKey: 'tier' });
    const answer = await drop('account', 'tier');
    expect([answer.status, answer.text]).to.deep.equal([204, '']);
    const said = { entityType: 'MetadataIndex' };
    expectProblem(await drop('account', 'tier'), 404, 'LDG-0133', said);
    expectProblem(await drop('account', '_id_'), 422, 'LDG-0137', said);
  });

  it('are the same under /v2', async () => {
    const second = INDEXES.replace('/v1/', '/v2/');
    const answer = await client.post(`${second}/entities/asset`, { metadataKey: 'tier' });
    expect(answer.status, answer.text).to.equal(201);
    expect((await client.get(second)).json()).to.deep.equal(await list());
    expect((await client.delete(`${second}/entities/asset/key/tier`)).status).to.equal(204);
  });
});
