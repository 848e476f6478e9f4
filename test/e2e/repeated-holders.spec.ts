import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { eventsOf, serverOfBlock } from '#test/support/server.ts';
import { createOrganization, got, made, type List } from './books.ts';
import { expectProblem } from './problems.ts';

/** Contract registry-and-fees, "Key fallback": equal requests without a key are retries for a while. */
describe('holders with IDEMPOTENCY_BODY_HASH_SECONDS', function () {
  this.timeout(60_000);

  const server = serverOfBlock({ env: { IDEMPOTENCY_BODY_HASH_SECONDS: '300' } });
  const client = clientOf(server);
  after(() => client.close());

  const newHolders = async (): Promise<string> =>
    `/v2/organizations/${(await createOrganization(client)).id}/holders`;
  const ana = { type: 'NATURAL_PERSON', name: 'Ana', document: '1', metadata: { tier: 'gold' } };
  const reordered = (body: object) => Object.fromEntries(Object.entries(body).reverse());
  const replayed = ({ headers }: { headers: object }) =>
    (headers as Record<string, unknown>)['x-idempotency-replayed'];

  it('are created once by equal requests, also at once and in another form', async () => {
    const at = await newHolders();
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.post(at, ana)));
    answers.push(await client.post(at, reordered(ana)));
    answers.push(await client.post(at.replace('/v2', '/v1'), ana));
    const [, , , org = ''] = at.split('/');
    answers.push(await client.post('/v1/holders', ana, { 'X-Organization-Id': org }));
    for (const answer of answers) {
      expect(answer.status, answer.text).to.equal(201);
      expect(answer.text).to.equal(answers[0]?.text);
    }
    expect(answers.map(replayed).sort()).to.deep.equal([
      'false',
      ...answers.slice(1).map(() => 'true'),
    ]);
    expect((await got<List<object>>(client, at)).items).to.have.length(2);
  });

  it('are refused with the document of another request', async () => {
    const at = await newHolders();
    await made(client, at, ana);
    for (const other of [{ name: 'Eva' }, { metadata: {} }, { externalId: 'x' }]) {
      expectProblem(await client.post(at, { ...ana, ...other }), 409, 'CRM-0010');
    }
  });

  it('are not those of a request with a key, nor of one after them', async () => {
    const at = await newHolders();
    await made(client, at, ana, { 'X-Idempotency': 'first' });
    expectProblem(await client.post(at, ana), 409, 'CRM-0010');
    await made(client, at, { ...ana, document: '2' });
    const keyed = await client.post(at, { ...ana, document: '2' }, { 'X-Idempotency': 'later' });
    expectProblem(keyed, 409, 'CRM-0010');
  });

  it('are the same as created, though changed or deleted since; after an erasure, new ones', async () => {
    const at = await newHolders();
    const first = await client.post(at, ana);
    const { id } = first.json() as { id: string };
    expect((await client.patch(`${at}/${id}`, { name: 'Eva' })).status).to.equal(200);
    expect((await client.post(at, ana)).text).to.equal(first.text);
    expect((await client.delete(`${at}/${id}`)).status).to.equal(204);
    expect((await client.post(at, ana)).text).to.equal(first.text);
    expect((await client.delete(`${at}/${id}?hard_delete=true`)).status).to.equal(204);
    const next = await client.post(at, ana);
    expect([next.status, replayed(next)]).to.deep.equal([201, 'false']);
    expect(next.text).not.to.include(id);
  });

  it('leave no key and no hash of the person in the log', async () => {
    const at = await newHolders();
    await made(client, at, ana);
    await made(client, at, ana);
    const [, , , org = ''] = at.split('/');
    const events = await eventsOf(server(), `registry-${org}`);
    expect(events.map(({ type }) => type)).to.deep.equal([
      'EncryptionProvisioned',
      'HolderCreated',
    ]);
    for (const { metadata } of events) {
      expect(metadata).not.to.match(/idempotencyKey|requestHash/);
    }
  });
});
