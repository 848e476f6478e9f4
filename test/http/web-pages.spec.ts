import { expect } from 'chai';
import { HostCheck } from '#src/http/allowed-hosts.ts';
import { accountsPath, ACC, call, raw, startSample, transfersPath, type Sample } from './sample.ts';

const BLOCK = `${accountsPath}/${ACC}/block`;
const EVIL = 'https://evil.example';

describe('a request of a web page', () => {
  let sample: Sample;
  before(async () => (sample = await startSample()));
  after(() => sample.server.close());

  const post = (path: string, headers: Record<string, string>, body?: string) =>
    call(sample, 'POST', path, body, headers);

  it('that changes something is refused for an origin that is not allowed', async () => {
    for (const origin of [EVIL, 'null', 'http://localhost.evil.example', 'file://', '']) {
      const { status, json, headers } = await post(BLOCK, { Origin: origin });
      expect([status, json['code']], origin).to.deep.equal([403, 'LDG-0541']);
      expect(headers['access-control-allow-origin']).to.equal(undefined);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status } = await call(sample, method, `${accountsPath}/${ACC}`, undefined, {
        Origin: EVIL,
      });
      expect(status, method).to.equal(403);
    }
    const text = await post(transfersPath, { Origin: EVIL, 'Content-Type': 'text/plain' }, 'x');
    expect(text.status).to.equal(403);
  });

  it('is served for an origin of this machine, and for every program without one', async () => {
    for (const headers of [
      { Origin: 'http://localhost:5173' },
      { Origin: 'http://127.0.0.1' },
      {},
    ]) {
      expect((await post(BLOCK, headers)).status).to.equal(200);
    }
  });

  it('without an origin is refused when the browser says that another site sent it', async () => {
    for (const site of ['cross-site', 'same-site']) {
      expect((await post(BLOCK, { 'Sec-Fetch-Site': site })).status, site).to.equal(403);
    }
    for (const site of ['same-origin', 'none']) {
      expect((await post(BLOCK, { 'Sec-Fetch-Site': site })).status, site).to.equal(200);
    }
  });

  it('with two origins is refused', async () => {
    const answer = await raw(
      sample,
      `POST ${BLOCK} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: ${EVIL}\r\n` +
        'Content-Length: 0\r\nConnection: close\r\n\r\n',
    );
    expect(answer).to.match(/^HTTP\/1.1 403 /);
  });

  it('that only reads is served, and its page does not see the answer', async () => {
    const { status, headers } = await call(sample, 'GET', accountsPath, undefined, {
      Origin: EVIL,
      'Sec-Fetch-Site': 'cross-site',
    });
    expect([status, headers['access-control-allow-origin']]).to.deep.equal([200, undefined]);
  });

  it('is served for any origin where all are allowed', async () => {
    const open = await startSample({ allowedOrigins: '*' });
    expect((await call(open, 'POST', BLOCK, undefined, { Origin: EVIL })).status).to.equal(200);
    const site = { 'Sec-Fetch-Site': 'cross-site' };
    expect((await call(open, 'POST', BLOCK, undefined, site)).status).to.equal(200);
    await open.server.close();
  });
});

describe('the host of a request', () => {
  let sample: Sample;
  before(async () => (sample = await startSample({ allowedHosts: ['ledger.example'] })));
  after(() => sample.server.close());

  const get = (host: string, path = '/health') =>
    call(sample, 'GET', path, undefined, { Host: host });

  it('is a name of this machine or one that is configured', async () => {
    for (const host of [
      ...['localhost', 'localhost:3000', 'LOCALHOST', 'api.localhost:1', 'localhost.'],
      ...['127.0.0.1:80', '127.9.9.9', '[::1]', '[::1]:3000', 'Ledger.Example:443'],
    ]) {
      expect((await get(host)).status, host).to.equal(200);
    }
  });

  it('is otherwise refused before routing, also for probes, pages and preflights', async () => {
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '10.0.0.1',
      '127.0.0.1.evil.com',
    ]) {
      for (const path of ['/health', '/docs', '/nothing', accountsPath]) {
        const { status, json } = await get(host, path);
        expect([status, json['code']], `${host}${path}`).to.deep.equal([421, 'LDG-0540']);
      }
    }
    const preflight = await call(sample, 'OPTIONS', accountsPath, undefined, {
      Host: 'evil.example',
      'Access-Control-Request-Method': 'POST',
    });
    expect(preflight.status).to.equal(421);
  });

  it('is one, and well-formed', async () => {
    const twice = 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n';
    expect(await raw(sample, `${twice}Connection: close\r\n\r\n`)).to.match(/^HTTP\/1.1 400 /);
    for (const host of ['a@localhost', 'localhost/x', 'localhost:99x', 'local host', '::1']) {
      const { status, json } = await get(host);
      expect([status, json['code']], host).to.deep.equal([400, 'LDG-0094']);
    }
  });

  it('is the authority of the target where that has one', async () => {
    const send = (target: string, host: string) =>
      raw(sample, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await send('http://localhost/health', 'evil.example')).to.match(/^HTTP\/1.1 200 /);
    expect(await send('http://evil.example/health', 'localhost')).to.match(/^HTTP\/1.1 421 /);
    expect(await send('http://localhost@evil.example/health', 'localhost')).to.match(
      /^HTTP\/1.1 4(00|21) /,
    );
  });

  it('is any where other machines reach the server', () => {
    expect(new HostCheck('any').judge('whatever.example:1')).to.equal('served');
    expect(new HostCheck([]).judge('whatever.example:1')).to.equal('other');
  });
});

describe('every reply', () => {
  let sample: Sample;
  before(async () => (sample = await startSample()));
  after(() => sample.server.close());

  const expected = {
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };

  it('is not guessed, run, framed or kept by browsers', async () => {
    const calls: [method: string, path: string, status: number, body?: string][] = [
      ['GET', '/health', 200],
      ['GET', '/metrics', 200],
      ['GET', '/openapi.json', 200],
      ['GET', '/nothing', 404],
      ['PUT', accountsPath, 405],
      ['GET', accountsPath, 200],
      ['HEAD', accountsPath, 200],
      ['HEAD', '/nothing', 404],
      ['OPTIONS', accountsPath, 204],
      ['POST', accountsPath, 201, '{"name":"a"}'],
      ['POST', accountsPath, 400, '{'],
      ['HEAD', `${accountsPath}/metrics/count`, 204],
      ['GET', '/v1/journal', 200],
    ];
    for (const [method, path, status, body] of calls) {
      const reply = await call(sample, method, path, body);
      expect(reply.status, `${method} ${path}`).to.equal(status);
      expect(reply.headers, `${method} ${path}`).to.include(expected);
    }
    const broken = await raw(sample, 'HELLO\r\n\r\n');
    for (const [name, value] of Object.entries(expected)) {
      expect(broken.toLowerCase()).to.contain(`\r\n${name}: ${value}\r\n`);
    }
  });

  it('has each header once, also where it has its own', async () => {
    const { headers } = await call(sample, 'GET', '/docs');
    expect(headers['content-security-policy']).to.match(
      /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'$/,
    );
    expect(headers).to.include({ 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer' });
    const request = 'GET /docs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const [head = ''] = (await raw(sample, request)).split('\r\n\r\n');
    const names = head.split('\r\n').map((line) => line.toLowerCase().split(':')[0]);
    expect(names).to.deep.equal([...new Set(names)]);
  });

  it('does not ask for TLS, which only the proxy in front can promise', async () => {
    const { headers } = await call(sample, 'GET', '/docs');
    expect(headers).not.to.have.property('strict-transport-security');
  });
});
