import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { sharedServer } from '#test/support/server.ts';

type Manifest = Readonly<{
  version: string;
  publisher: Readonly<Record<string, unknown>>;
  events: readonly Readonly<{ key: string; dataSchema: string }>[];
}>;

describe('streaming manifests', () => {
  const client = clientOf(sharedServer());
  after(() => client.close());

  for (const [path, serviceName, count] of [
    ['/v1/streaming/manifest', 'ledger', 35 + 7 + 7 + 14],
    ['/api/v1/streaming/manifest', 'lending', 3],
    ['/v1/streaming/events', 'reporting', 1],
    ['/system/matching/streaming/manifest', 'matching', 1],
    ['/system/companion/streaming/manifest', 'companion', 12],
  ] as const) {
    it(`${path} tells what ${serviceName} publishes, with streaming off too`, async () => {
      const { status, headers, json } = await client.get(path);
      expect(status).to.equal(200);
      expect(headers).to.include({
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      const { version, publisher, events } = json() as Manifest;
      expect(version).to.equal('1.1.0');
      expect(publisher).to.include({ serviceName, routePath: path, outboxSupported: true });
      expect(events).to.have.length(count);
    });
  }

  it('refuse a producer that does not exist, and every method but GET and HEAD', async () => {
    const unknown = await client.get('/system/nobody/streaming/manifest');
    expect(unknown.status).to.equal(404);
    expect(unknown.json()).to.include({ code: 'LDG-0484' });
    const path = '/v1/streaming/manifest';
    expect((await client.send({ method: 'HEAD', path })).status).to.equal(200);
    expect((await client.post(path, {})).status).to.equal(405);
  });

  it('name the schema of every payload, which is served as well', async () => {
    const { events } = (await client.get('/v1/streaming/manifest')).json() as Manifest;
    for (const { key, dataSchema } of events) {
      const schema = (await client.get(dataSchema)).json();
      expect(schema, key).to.include({ title: key, $id: dataSchema, type: 'object' });
    }
    const unknown = await client.get('/v1/streaming/schemas/account.created/9.0.0');
    expect(unknown.status).to.equal(404);
  });
});
