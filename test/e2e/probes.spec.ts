import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { routes } from '#src/bootstrap/routes.ts';
import { commitOf } from '#src/bootstrap/checkout.ts';
import { clientOf } from '#test/support/client.ts';
import { serverOfBlock } from '#test/support/server.ts';
import { PROFILE } from '#test/support/stores.ts';
import { until } from '#test/support/until.ts';
import { got, mediaType, openBook, posted, transfer } from './books.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const { version: packageVersion } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
) as { version: string };

describe('probes', () => {
  const client = clientOf(serverOfBlock());
  after(() => client.close());

  it('/health says that the process is there', async () => {
    const answer = await client.get('/health');
    expect(answer).to.include({ status: 200, text: 'healthy' });
    expect(mediaType(answer)).to.equal('text/plain');
  });

  it('/readyz says how each store is, once the read models have caught up', async () => {
    const isReady = async () => (await client.get('/readyz')).status === 200;
    await until(isReady, 30_000, 'the server is ready for reads');
    const ready = await got<{
      status: string;
      checks: Record<string, { status: string; latency_ms: number }>;
      version: string;
      deployment_mode: string;
    }>(client, '/readyz');
    expect(ready.status).to.equal('healthy');
    expect(ready.version).to.equal('v4.0.0');
    expect(ready.deployment_mode).to.equal(PROFILE);
    const { streaming, ...stores } = ready.checks;
    expect(streaming?.status, 'streaming is off').to.equal('skipped');
    expect(Object.keys(stores)).to.deep.equal(['event_store', 'read_store', 'projections']);
    for (const check of Object.values(stores)) {
      expect(check.status).to.equal('up');
      expect(check.latency_ms).to.be.a('number').that.is.at.least(0);
    }
  });

  it('/version says which program this is', async () => {
    const version = await got<Record<string, unknown>>(client, '/version');
    expect(version).to.have.all.keys(
      ...['version', 'programVersion', 'commit', 'buildTime', 'dirty', 'requestDate'],
    );
    expect(version['version'], 'of the API').to.equal('v4.0.0');
    expect(version['programVersion']).to.equal(packageVersion);
    expect(version['commit']).to.equal(commitOf(ROOT) ?? 'unknown');
    expect(version['dirty']).to.be.a('boolean');
    expect(Math.abs(Date.parse(String(version['requestDate'])) - Date.now())).to.be.below(60_000);
  });

  it('/metrics counts what was done, in the format of Prometheus', async () => {
    const book = await openBook(client, { accounts: ['@alice'] });
    await posted(client, book.at, transfer('@external/BRL', '@alice', '1'));
    const answer = await client.get('/metrics');
    expect(answer.status).to.equal(200);
    expect(mediaType(answer)).to.equal('text/plain');
    expect(answer.text).to.match(/^# HELP \S+/m);
    expect(answer.text).to.match(/^# TYPE \S+ (counter|gauge|histogram|summary)$/m);
    expect(answer.text).to.match(/^\S*http\S*\{[^}]*\} \d/m);
    expect(answer.text).not.to.contain(book.ledger); // An id per line would never end.
  });

  describe('/openapi.json', () => {
    type Described = Readonly<{
      openapi: string;
      info: { version: string; title: string };
      tags: readonly { name: string }[];
      paths: Record<string, Record<string, Operation>>;
      components: { securitySchemes: Record<string, unknown>; schemas: Record<string, unknown> };
    }>;
    type Operation = Readonly<{
      operationId: string;
      tags: readonly string[];
      parameters?: readonly unknown[];
      requestBody?: unknown;
      responses: Record<string, unknown>;
    }>;
    let described: Described;
    before(async () => {
      described = await got<Described>(client, '/openapi.json');
    });

    it('is OpenAPI 3.1 of version 4.0.0, with bearer tokens', () => {
      expect(described.openapi).to.match(/^3\.1\./);
      expect(described.info.version).to.equal('4.0.0');
      const [scheme, ...others] = Object.values(described.components.securitySchemes);
      expect(scheme).to.include({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
      expect(others).to.deep.equal([]);
    });

    it('describes every operation of the table: success, refusals, parameters, body', () => {
      for (const route of routes) {
        const operation = described.paths[route.path]?.[route.method];
        expect(operation?.operationId, route.path).to.equal(route.operationId);
        expect(operation?.tags).to.deep.equal([route.tag]);
        const responses = Object.keys(operation?.responses ?? {});
        expect(responses).to.include.members(Object.keys(route.replies));
        expect(operation?.requestBody !== undefined).to.equal(route.body !== undefined);
        const own = JSON.stringify(operation?.parameters ?? []);
        const shared = own.matchAll(/"#\/components\/schemas\/(\w+)"/g);
        const schemas = [...shared].map(([, name = '']) => described.components.schemas[name]);
        const parameters = own + JSON.stringify(schemas);
        for (const [, name = ''] of route.path.matchAll(/\{(\w+)\}/g)) {
          expect(parameters).to.contain(`"${name}"`);
        }
        for (const name of Object.keys(route.filters)) expect(parameters).to.contain(`"${name}"`);
      }
    });

    it('has no operation twice, and knows every tag it uses', () => {
      const operations = Object.values(described.paths).flatMap((path) => Object.values(path));
      const ids = operations.map(({ operationId }) => operationId);
      expect(new Set(ids)).to.have.lengthOf(ids.length);
      const tags = described.tags.map(({ name }) => name);
      expect(tags).to.include.members(operations.flatMap((operation) => [...operation.tags]));
    });

    it('points only to what it holds', () => {
      const pointers = JSON.stringify(described).matchAll(/"\$ref":"#\/([^"]+)"/g);
      for (const [, pointer = ''] of pointers) {
        const target = pointer
          .split('/')
          .reduce<unknown>(
            (at, name) => (at as Record<string, unknown> | undefined)?.[name],
            described,
          );
        expect(target, pointer).to.be.an('object');
      }
    });
  });
});
