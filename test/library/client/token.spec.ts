import { expect } from 'chai';
import { createClient, isProblem } from '#src/library/client.ts';
import { accessOfBlock } from '#test/support/access.ts';
import { caught } from '#test/support/caught.ts';

describe('the token of a client', () => {
  const access = accessOfBlock();
  const url = () => `http://127.0.0.1:${access.server().port}`;
  const sign = (claims: object) => access.sign({ permissions: ['*:*:*'], ...claims });
  const expired = () => sign({ exp: Math.floor(Date.now() / 1000) - 3600 });
  const organization = { body: { legalName: 'Andes Bank', legalDocument: '123' } };

  it('is sent with every request', async () => {
    const client = createClient({ url: url(), token: await sign({}) });
    const { id } = await client.post('/v1/organizations', organization);
    expect(await client.count('/v1/organizations/metrics/count')).to.equal(1);
    const path = { organization_id: id };
    expect((await client.get('/v1/organizations/{organization_id}', { path })).id).to.equal(id);
  });

  it('is fetched once, and again when the server no longer accepts it', async () => {
    const tokens = [await expired(), await sign({})];
    let fetched = 0;
    const token = async (): Promise<string> => tokens[fetched++] ?? '';
    const client = createClient({ url: url(), token });
    const creations = Array.from({ length: 5 }, () =>
      client.post('/v1/organizations', organization),
    );
    const ids = new Set((await Promise.all(creations)).map(({ id }) => id));
    expect(ids.size).to.equal(5);
    expect(fetched).to.equal(2);
  });

  it('is fetched again after a count, whose refusal has no body', async () => {
    const tokens = [await expired(), await sign({})];
    const client = createClient({ url: url(), token: () => tokens.shift() ?? '' });
    expect(await client.count('/v1/organizations/metrics/count')).to.be.above(0);
  });

  it('is fetched again once for each request', async () => {
    let fetched = 0;
    const token = async (): Promise<string> => {
      fetched += 1;
      return expired();
    };
    const client = createClient({ url: url(), token });
    const error = await caught(client.get('/v1/organizations'));
    expect(isProblem(error, 'LDG-0042')).to.equal(true);
    expect(fetched).to.equal(2);
  });

  it('that is a text is refused when it has expired', async () => {
    const client = createClient({ url: url(), token: await expired() });
    const error = await caught(client.get('/v1/organizations'));
    expect(isProblem(error, 'LDG-0042')).to.equal(true);
  });

  it('may fail to be fetched, and is fetched for the next request', async () => {
    const fresh = await sign({});
    let isDown = true;
    const token = async (): Promise<string> => {
      if (isDown) throw new Error('The issuer is down');
      return fresh;
    };
    const client = createClient({ url: url(), token });
    const error = await caught(client.get('/v1/organizations'));
    expect(error).to.be.instanceOf(Error).with.property('message', 'The issuer is down');
    isDown = false;
    expect((await client.get('/v1/organizations')).items).to.be.an('array');
  });
});
