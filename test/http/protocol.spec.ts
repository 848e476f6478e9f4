import { expect } from 'chai';
import type { Uuid } from '#src/kernel/ids.ts';
import { encodeToken } from '#src/http/headers.ts';
import { httpServer } from '#src/http/server.ts';
import { tableOf } from '#src/http/route-table.ts';
import { rawConnection } from '#test/support/raw-connection.ts';
import { until } from '#test/support/until.ts';
import {
  ACC,
  accountsPath,
  call,
  LED,
  ORG,
  raw,
  sampleRoutes,
  startSample,
  transfersPath,
  type Sample,
} from './sample.ts';

const transfer =
  '{"send":{"asset":"BRL","value":"1","source":{"from":[{"accountAlias":"@a","amount":' +
  '{"asset":"BRL","value":"1"}}]},"distribute":{"to":[{"accountAlias":"@b","amount":' +
  '{"asset":"BRL","value":"1"}}]}}}';

describe('paths', () => {
  let sample: Sample;
  before(async () => (sample = await startSample()));
  after(() => sample.server.close());
  const get = (path: string) => call(sample, 'GET', path);
  const codeOf = async (path: string) => (await get(path)).json['code'];

  it('end in a slash or not, and spell their literals in any case', async () => {
    for (const path of [`${accountsPath}/`, accountsPath.replace('accounts', 'Accounts')]) {
      expect((await get(path)).status, path).to.equal(200);
    }
    const shouted = `/V1/ORGANIZATIONS/${ORG.toUpperCase()}/ledgers/${LED}/accounts/${ACC}`;
    expect((await get(shouted)).json).to.have.property('organization_id', ORG);
    expect((await get(`${accountsPath}/alias/MiXed`)).json).to.have.property('alias', 'MiXed');
  });

  it('without a route, or with an empty segment, are not found', async () => {
    for (const path of [
      '/',
      '//',
      '/v1',
      '/nowhere',
      `/v1//organizations`,
      `${accountsPath}//`,
      '/%2F',
      '/v3/organizations',
      '/v1/organizations%2F',
    ]) {
      expect(await codeOf(path), path).to.equal('LDG-0484');
    }
  });

  it('never take a literal for an id', async () => {
    expect(await codeOf(`${accountsPath}/metrics`)).to.equal('LDG-0484');
    expect(await codeOf(`${accountsPath}/alias`)).to.equal('LDG-0484');
    expect((await get(`${accountsPath}/metrics/count`)).status).to.equal(405);
  });

  it('carry UUIDs where they name ids', async () => {
    const { status, json } = await get(`/v1/organizations/12/ledgers/${LED}/accounts`);
    expect([status, json['code']]).to.deep.equal([400, 'LDG-0065']);
    expect(json['errors']).to.deep.equal([
      { location: 'path.organization_id', message: 'must be a UUID', value: '12' },
    ]);
    expect(await codeOf(`${accountsPath}/%00`)).to.equal('LDG-0065');
  });

  it('decode what is percent-encoded in text, slashes too', async () => {
    expect((await get(`${accountsPath}/alias/%40external%2FBRL`)).json).to.have.property(
      'alias',
      '@external/BRL',
    );
    expect((await get(`${accountsPath}/alias/@me`)).json).to.have.property('alias', '@me');
    for (const garbage of ['%', '%zz', '%ff', '%c3%28', '%00']) {
      expect(await codeOf(`${accountsPath}/alias/${garbage}`), garbage).to.equal('LDG-0065');
    }
  });

  it('answer another method with 405 and what they allow', async () => {
    const { status, json, headers } = await call(sample, 'PUT', accountsPath, '{}');
    expect([status, json['code'], headers['allow']]).to.deep.equal([
      405,
      'LDG-0485',
      'POST, GET, HEAD',
    ]);
  });

  it('serve v1 and v2 alike where a route is in both', async () => {
    const { json } = await call(sample, 'POST', accountsPath.replace('v1', 'v2'), '{"name":"a"}');
    expect(json).to.have.property('version', 2);
  });
});

describe('HEAD', () => {
  let sample: Sample;
  before(async () => (sample = await startSample()));
  after(() => sample.server.close());

  it('answers like GET, without the body', async () => {
    const path = `${accountsPath}/${ACC}`;
    const [head, get] = [await call(sample, 'HEAD', path), await call(sample, 'GET', path)];
    expect([head.status, head.text]).to.deep.equal([200, '']);
    expect(head.headers['content-length']).to.equal(get.headers['content-length']);
  });

  it('answers counts in a header', async () => {
    const { status, headers } = await call(sample, 'HEAD', `${accountsPath}/metrics/count`);
    expect(status).to.equal(204);
    expect(headers).to.include({ 'x-total-count': '42', 'content-length': '0' });
  });

  it('answers errors with the status alone', async () => {
    const { status, text, headers } = await call(sample, 'HEAD', '/nowhere');
    expect([status, text, headers['content-type']]).to.deep.equal([404, '', undefined]);
  });
});

describe('headers', () => {
  let sample: Sample;
  before(async () => (sample = await startSample()));
  after(() => sample.server.close());

  it('echo a request id that can be echoed, and mint one otherwise', async () => {
    const idFor = async (id: string) =>
      (await call(sample, 'GET', '/health', undefined, { 'X-Request-Id': id })).headers[
        'x-request-id'
      ];
    expect(await idFor('trace-1')).to.equal('trace-1');
    for (const bad of ['', 'a b', 'x'.repeat(129), 'é'])
      expect(await idFor(bad)).to.match(/^0197f3a0-/);
    const { headers } = await call(sample, 'GET', '/nowhere', undefined, { 'X-Request-Id': 'abc' });
    expect(headers['x-request-id']).to.equal('abc');
  });

  it('bring the context of the request to the handler', async () => {
    const { json } = await call(sample, 'POST', accountsPath, '{"name":"a"}', {
      'X-Request-Id': 'r1',
      'X-Correlation-ID': 'c1',
      'X-API-Version': 'v1',
      Authorization: 'whatever',
    });
    expect(json['context']).to.deep.equal({
      actor: { type: 'anonymous', id: 'anonymous' },
      tenantId: 'default',
      requestId: 'r1',
      correlationId: 'c1',
    });
  });

  it('carry an idempotency key and its life', async () => {
    const keyFor = async (headers: Record<string, string>) =>
      (await call(sample, 'POST', transfersPath, transfer, headers)).json['idempotency'];
    expect(await keyFor({})).to.equal(undefined);
    expect(await keyFor({ 'X-Idempotency': '' })).to.equal(undefined);
    expect(await keyFor({ 'X-Idempotency': 'k1' })).to.deep.equal({ key: 'k1' });
    expect(await keyFor({ 'Idempotency-Key': 'k2' })).to.deep.equal({ key: 'k2' });
    expect(await keyFor({ 'Idempotency-Key': 'k2', 'X-Idempotency': 'k1' })).to.deep.equal({
      key: 'k1',
    });
    expect(await keyFor({ 'X-Idempotency': 'k', 'X-TTL': '60' })).to.deep.equal({
      key: 'k',
      ttlSeconds: 60,
    });
    for (const ttl of ['0', '-1', '1.5', 'x']) {
      expect(await keyFor({ 'X-Idempotency': 'k', 'X-TTL': ttl })).to.deep.equal({ key: 'k' });
    }
  });

  it('refuse a key that is too long or not visible ASCII', async () => {
    for (const key of ['a b', 'é', 'x'.repeat(1025)]) {
      const { status, json } = await call(sample, 'POST', transfersPath, transfer, {
        'X-Idempotency': key,
      });
      expect([status, json['code']]).to.deep.equal([400, 'LDG-0047']);
      expect(json['errors']).to.have.nested.property('[0].location', 'header.X-Idempotency');
    }
  });

  it('say on a write what was written and whether it was replayed', async () => {
    const { headers } = await call(sample, 'POST', transfersPath, transfer);
    expect(headers['x-consistency-token']).to.equal(encodeToken({ journal: 1 }));
    expect(headers['x-idempotency-replayed']).to.equal('false');
  });

  it('take a consistency token on a read, and only one of ours', async () => {
    const read = (token: string, method = 'GET') =>
      call(sample, method, accountsPath, undefined, { 'X-Consistency-Token': token });
    const { json } = await read(encodeToken({ 'ledger-1': 5 }));
    expect(json)
      .to.have.nested.property('items[0].consistencyToken')
      .that.deep.equals({ 'ledger-1': 5 });
    const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const bad of [
      '%',
      'abc',
      text([1]),
      text({ a: -1 }),
      text({ a: '1' }),
      text(null),
      'x'.repeat(5000),
    ]) {
      expect((await read(bad)).json['code'], bad.slice(0, 20)).to.equal('LDG-0082');
    }
    expect((await read('bad', 'HEAD')).status).to.equal(400);
    const { status } = await call(sample, 'POST', accountsPath, '{"name":"a"}', {
      'X-Consistency-Token': '%',
    });
    expect(status).to.equal(201);
  });
});

describe('web pages', () => {
  const origins = (sample: Sample, origin: string) =>
    call(sample, 'GET', '/health', undefined, { Origin: origin });

  it('of this machine may read answers by default, others not', async () => {
    const sample = await startSample();
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1', 'https://[::1]:1']) {
      const { headers } = await origins(sample, origin);
      expect(headers['access-control-allow-origin']).to.equal(origin);
    }
    for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'null']) {
      const { headers } = await origins(sample, origin);
      expect(headers['access-control-allow-origin']).to.equal(undefined);
      expect(headers['vary']).to.equal('Origin');
    }
    await sample.server.close();
  });

  it('may be all, or those listed', async () => {
    const all = await startSample({ allowedOrigins: '*' });
    expect(
      (await origins(all, 'https://a.example')).headers['access-control-allow-origin'],
    ).to.equal('*');
    await all.server.close();
    const some = await startSample({ allowedOrigins: ['https://a.example'] });
    expect(
      (await origins(some, 'https://a.example')).headers['access-control-allow-origin'],
    ).to.equal('https://a.example');
    expect(
      (await origins(some, 'http://localhost')).headers['access-control-allow-origin'],
    ).to.equal(undefined);
    await some.server.close();
  });

  it('get errors they can read', async () => {
    const sample = await startSample({ allowedOrigins: '*' });
    const { headers } = await call(sample, 'GET', '/nowhere', undefined, { Origin: 'https://a' });
    expect(headers['access-control-allow-origin']).to.equal('*');
    await sample.server.close();
  });

  it('get their preflight', async () => {
    const sample = await startSample({ allowedOrigins: '*' });
    const { status, headers } = await call(sample, 'OPTIONS', accountsPath, undefined, {
      Origin: 'https://a.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type,x-idempotency',
    });
    expect(status).to.equal(204);
    expect(headers).to.include({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,POST,HEAD,PUT,DELETE,PATCH',
      'access-control-allow-headers': 'content-type,x-idempotency',
    });
    const plain = await call(sample, 'OPTIONS', accountsPath);
    expect([plain.status, plain.headers['allow']]).to.deep.equal([204, 'POST, GET, HEAD, OPTIONS']);
    expect((await call(sample, 'OPTIONS', '/nowhere')).status).to.equal(404);
    await sample.server.close();
  });
});

describe('errors', () => {
  let sample: Sample;
  before(
    async () =>
      (sample = await startSample({ codes: { errorDocsBaseUrl: 'https://docs.example/errors' } })),
  );
  after(() => sample.server.close());
  const fail = (how: string) => call(sample, 'GET', `/v1/failures/${how}`);

  it('carry the bare number as their code where an operator wants it so', async () => {
    const codes = {
      errorDocsBaseUrl: 'https://docs.example/errors',
      errorCodeStyle: 'bare',
    } as const;
    const bare = await startSample({ codes });
    const { json } = await call(bare, 'GET', '/v1/failures/funds');
    expect(json).to.include({
      type: 'https://docs.example/errors/0018',
      code: '0018',
      legacyCode: '0018',
    });
    await bare.server.close();
  });

  it('are problem documents with all members', async () => {
    const { status, json, headers } = await fail('funds');
    expect(status).to.equal(422);
    expect(headers['content-type']).to.equal('application/problem+json');
    const { instance, ...rest } = json;
    expect(instance).to.match(/^urn:uuid:[0-9a-f-]{36}$/);
    expect(rest).to.deep.equal({
      type: 'https://docs.example/errors/LDG-0018',
      title: 'Insufficient funds',
      status: 422,
      detail: 'Source account has insufficient funds.',
      code: 'LDG-0018',
      message: 'Source account has insufficient funds.',
      legacyCode: '0018',
      entityType: 'Failure',
    });
  });

  it('name the kind an operation addresses, also of what is absent', async () => {
    const { status, json } = await call(sample, 'GET', `${accountsPath}/0${ACC.slice(1)}`);
    expect([status, json['code'], json['entityType']]).to.deep.equal([404, 'LDG-0007', 'Account']);
  });

  it('of a store are 503 with Retry-After', async () => {
    for (const how of ['unavailable', 'ambiguous', 'budget']) {
      const { status, json, headers, text } = await fail(how);
      expect([status, json['code'], headers['retry-after']]).to.deep.equal([503, 'LDG-0501', '1']);
      expect(text).not.to.include('ECONNREFUSED');
    }
    expect((await fail('budget')).json['detail']).to.include('more than 2 s');
  });

  it('nobody foresaw are 500 without their cause, which goes to the log', async () => {
    const { status, json, text, headers } = await fail('defect');
    expect([status, json['code']]).to.deep.equal([500, 'LDG-0046']);
    expect(text).not.to.include('secret');
    expect(sample.log).to.have.length(1);
    expect(sample.log[0]).to.include({ level: 'error', requestId: headers['x-request-id'] });
    expect(String(sample.log[0]?.['cause'])).to.include('secret of the house');
  });
});

describe('probes', () => {
  let sample: Sample;
  before(async () => (sample = await startSample()));
  after(() => sample.server.close());

  it('tell that the process lives', async () => {
    const { status, text, headers } = await call(sample, 'GET', '/health');
    expect([status, text]).to.deep.equal([200, 'healthy']);
    expect(headers['content-type']).to.match(/^text\/plain/);
  });

  it('tell whether it is ready', async () => {
    expect((await call(sample, 'GET', '/readyz')).json).to.deep.equal({
      status: 'healthy',
      checks: { log: { status: 'up', latency_ms: 0.1 } },
      version: 'v4.0.0',
      deployment_mode: 'embedded',
    });
  });

  it('tell the version', async () => {
    expect((await call(sample, 'GET', '/version')).json).to.deep.equal({
      version: 'v4.0.0',
      programVersion: '1.2.3',
      commit: 'abc',
      buildTime: 'today',
      dirty: false,
      requestDate: '2025-06-15T15:06:40.000000Z',
    });
  });

  it('count requests by operation and status', async () => {
    await call(sample, 'GET', `${accountsPath}/${ACC}`);
    await call(sample, 'GET', '/nowhere');
    const { text } = await call(sample, 'GET', '/metrics');
    expect(text).to.match(
      /http_request_duration_seconds_count\{operation="retrieveAccount",status="200"\} 1/,
    );
    expect(text).to.match(/operation="none",status="404"/);
    expect(text).to.include('process_resident_memory_bytes');
  });

  it('describe the API', async () => {
    const { json } = await call(sample, 'GET', '/openapi.json');
    expect(json['openapi']).to.equal('3.1.0');
    expect(json).to.have.nested.property('info.version', '4.0.0');
  });
});

describe('hostile connections', () => {
  let sample: Sample;
  before(async () => {
    sample = await startSample();
  });
  after(() => sample.server.close());

  it('that do not speak HTTP get a problem document', async () => {
    const answer = await raw(sample, 'HELLO\r\n\r\n');
    expect(answer).to.match(/^HTTP\/1.1 400 Bad Request/);
    expect(answer).to.include('application/problem+json').and.include('LDG-0094');
    const hostless = await raw(sample, 'GET /health HTTP/1.1\r\n\r\n');
    expect(hostless)
      .to.match(/^HTTP\/1.1 400 /)
      .and.include('LDG-0094');
  });

  it('that expect what nobody knows are served all the same', async () => {
    const request =
      'GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: much\r\nConnection: close\r\n\r\n';
    expect(await raw(sample, request)).to.match(/^HTTP\/1.1 200 /);
  });

  it('that send too many header bytes get 431', async () => {
    const answer = await raw(
      sample,
      `GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    );
    expect(answer).to.match(/^HTTP\/1.1 431 /);
    expect(answer).to.include('LDG-0497');
  });

  it('that never finish their headers or body are cut off', async () => {
    const hasty = await startSample({
      timeouts: { headersMs: 300, requestMs: 600, checkMs: 50 },
    });
    expect(await raw(hasty, 'GET /health HTTP/1.1\r\nHost: localhost\r\n')).to.match(
      /^HTTP\/1.1 408 /,
    );
    const head = `POST ${accountsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    expect(await raw(hasty, `${head}Content-Length: 100\r\n\r\n{"name"`)).to.match(
      /^HTTP\/1.1 408 /,
    );
    await hasty.server.close();
  });

  it('that smuggle a second length are refused', async () => {
    const head = `POST ${accountsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n`;
    expect(await raw(sample, `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)).to.match(
      /^HTTP\/1.1 400 /,
    );
    expect(await raw(sample, `${head}Content-Length: 6\r\n\r\nhello`)).to.match(/^HTTP\/1.1 400 /);
  });

  it('that break off leave no trace and no defect', async () => {
    const head = `POST ${accountsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    await raw(sample, `${head}Content-Length: 100\r\n\r\n{"name"`, 50);
    expect((await call(sample, 'GET', '/health')).status).to.equal(200);
    expect(sample.log).to.deep.equal([]);
  });

  it('with a target that is a whole URL are served', async () => {
    const answer = await raw(
      sample,
      'GET http://127.0.0.1/health HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n',
    );
    expect(answer).to.match(/^HTTP\/1.1 200 /);
    const star = await raw(
      sample,
      'GET * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    expect(star).to.match(/^HTTP\/1.1 404 /);
  });
});

describe('long answers', () => {
  it('are written piece by piece', async () => {
    const sample = await startSample();
    const { text, headers } = await call(sample, 'GET', '/v1/journal');
    expect(text.trim().split('\n')).to.have.length(1000);
    expect(headers).to.include({
      'content-type': 'application/x-ndjson',
      'transfer-encoding': 'chunked',
    });
    await sample.server.close();
  });
});

describe('closing', () => {
  it('finishes accepted requests, ends idle connections and accepts no more', async () => {
    let release: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const [first] = sampleRoutes;
    let accepted = false;
    const slow = {
      ...first!,
      method: 'get' as const,
      path: '/slow',
      operationId: 'slow',
      body: undefined,
      handle: () => {
        accepted = true;
        return gate.then(() => ({ status: 200, body: '{}' }));
      },
    };
    const sample = await startSample({ routes: [slow] });
    const pending = call(sample, 'GET', '/slow', undefined, { Connection: 'keep-alive' });
    const idle = rawConnection(sample.port, 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => accepted && idle.received() !== '', 5000, 'both requests');
    const closed = sample.server.close();
    await idle.closed;
    expect(idle.received()).to.match(/^HTTP\/1.1 200/);
    const late = await call(sample, 'GET', '/health').then(
      () => 'served',
      () => 'refused',
    );
    expect(late).to.equal('refused');
    release!();
    const { status, headers } = await pending;
    expect([status, headers['connection']]).to.deep.equal([200, 'close']);
    await closed;
  });

  it('cuts off what does not end in time', async () => {
    const never = new Promise<never>(() => {});
    const [first] = sampleRoutes;
    const stuck = {
      ...first!,
      method: 'get' as const,
      path: '/stuck',
      operationId: 'stuck',
      body: undefined,
      handle: () => never,
    };
    const sample = await startSample({ routes: [stuck], timeouts: { closeMs: 100 } });
    const pending = call(sample, 'GET', '/stuck').then(
      () => 'answered',
      () => 'cut',
    );
    await call(sample, 'GET', '/health');
    await sample.server.close();
    expect(await pending).to.equal('cut');
  });

  it('leaves a port that is taken to the caller', async () => {
    const sample = await startSample();
    const other = httpServer({
      routes: [],
      services: {} as never,
      ids: { next: () => 'x' as Uuid } as never,
      clock: {} as never,
      about: {} as never,
      bounds: { limitMax: 1 },
      allowedOrigins: '*',
      allowedHosts: 'any',
      memoryLimitBytes: 1,
      connectionsMax: 1,
    });
    const error: unknown = await other.listen(sample.port, '127.0.0.1').catch((e: unknown) => e);
    expect(error).to.have.property('code', 'EADDRINUSE');
    await sample.server.close();
  });
});

describe('route table', () => {
  it('refuses two operations of one id, or one method and path', () => {
    const [first] = sampleRoutes;
    expect(() => tableOf([first!, { ...first!, path: '/v1/x' }])).to.throw(
      'Two operations are createAccount',
    );
    expect(() => tableOf([first!, { ...first!, operationId: 'other' }])).to.throw(
      'Two routes for POST',
    );
  });

  it('refuses an operation that would need no permission', () => {
    const [first] = sampleRoutes;
    const { permission } = first!;
    for (const lacking of [
      { ...permission, action: '' },
      { ...permission, action: 'read' },
      { ...permission, resource: '' },
      { ...permission, resource: '*' },
      { ...permission, namespace: '' },
    ]) {
      expect(() => tableOf([{ ...first!, permission: lacking }])).to.throw(
        'createAccount needs no permission',
      );
    }
  });
});
