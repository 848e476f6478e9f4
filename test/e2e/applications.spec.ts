import { expect } from 'chai';
import { accessOfBlock } from '#test/support/access.ts';
import { tracesIn } from '#test/support/byte-search.ts';
import { expectProblem } from './problems.ts';

type Application = Readonly<{
  id: string;
  name: string;
  description: string;
  clientId: string;
  clientSecret: string;
  createdAt: string;
}>;

describe('applications', function () {
  this.timeout(60_000);
  const { ask, restart, server } = accessOfBlock();

  it('show their secret once, of which no file has more than a hash', async () => {
    const body = { name: 'plugin-fees', description: 'Charges fees' };
    const answer = await ask('POST', '/v1/applications', body);
    expect(answer.status, answer.text).to.equal(201);
    const made = answer.json() as Application;
    const { id, clientId, clientSecret, createdAt } = made;
    expect(made).to.deep.equal({ id, ...body, clientId, clientSecret, createdAt });
    expect(clientSecret).to.match(/^[0-9a-f]{64}$/);
    const masked = { ...made, clientSecret: '********' };
    expect((await ask('GET', `/v1/applications/${id}`)).json()).to.deep.equal(masked);
    const listed = (await ask('GET', '/v1/applications')).json();
    expect(listed).to.deep.equal({ items: [masked], limit: 10, page: 1, total: 1 });
    expect(tracesIn(server().dataDir, { secret: clientSecret })).to.deep.equal([]);
  });

  it('show their secret later where an operator exposes it, if they were created so', async () => {
    const hidden = (await ask('POST', '/v1/applications', { name: 'companion' })).json();
    await restart({ ACCESS_EXPOSE_CLIENT_SECRET: 'true' });
    const created = await ask('POST', '/v1/applications', { name: 'streaming' });
    const made = created.json() as Application;
    const path = `/v1/applications/${made.id}`;
    const secretAt = async (at: string) =>
      ((await ask('GET', at)).json() as Application).clientSecret;
    expect(await secretAt(path))
      .to.equal(made.clientSecret)
      .and.match(/^[0-9a-f]{64}$/);
    expect(await secretAt(`/v1/applications/${(hidden as Application).id}`)).to.equal('********');
    const { items } = (await ask('GET', '/v1/applications')).json() as { items: Application[] };
    expect(items.map(({ clientSecret }) => clientSecret)).to.include(made.clientSecret);
    await restart();
    expect(await secretAt(path), 'without the setting').to.equal('********');
    for (const { id } of [made, hidden as Application]) {
      expect((await ask('DELETE', `/v1/applications/${id}`)).status).to.equal(204);
    }
    const { dataDir } = server();
    expect(tracesIn(dataDir, { secret: made.clientSecret })).to.deep.equal([]);
  });

  it('have the name of a product, one each', async () => {
    const body = { name: 'routing' };
    expect((await ask('POST', '/v1/applications', body)).status).to.equal(201);
    expectProblem(await ask('POST', '/v1/applications', body), 409, 'IDE-1007');
    const unknown = expectProblem(
      await ask('POST', '/v1/applications', { name: 'somebody' }),
      400,
      'IDE-0012',
    );
    for (const product of ['quipu', 'plugin-crm', 'plugin-identity', 'companion', 'streaming']) {
      expect(unknown.detail).to.contain(product);
    }
  });

  it('are gone when they are deleted, and their name is free', async () => {
    const made = (await ask('POST', '/v1/applications', { name: 'quipu' })).json() as Application;
    const path = `/v1/applications/${made.id}`;
    expect((await ask('DELETE', path)).status).to.equal(204);
    expectProblem(await ask('GET', path), 404, 'IDE-1001');
    expectProblem(await ask('DELETE', path), 404, 'IDE-1001');
    const again = await ask('POST', '/v1/applications', { name: 'quipu' });
    expect(again.status).to.equal(201);
    expect((again.json() as Application).clientId).to.not.equal(made.clientId);
  });
});
