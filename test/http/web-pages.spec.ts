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
  it('keeps browsers from guessing its type', async () => {
    const sample = await startSample();
    const text = async (...[method, path, body]: [string, string, string?]) =>
      (await call(sample, method, path, body)).headers['x-content-type-options'];
    expect(await text('GET', '/health')).to.equal('nosniff');
    expect(await text('GET', '/docs')).to.equal('nosniff');
    expect(await text('GET', '/nothing')).to.equal('nosniff');
    expect(await text('POST', accountsPath, '{"name":"a"}')).to.equal('nosniff');
    expect(await text('HEAD', `${accountsPath}/metrics/count`)).to.equal('nosniff'); // A 204.
    expect(await text('GET', '/v1/journal')).to.equal('nosniff');
    expect(await raw(sample, 'HELLO\r\n\r\n')).to.contain('X-Content-Type-Options: nosniff');
    await sample.server.close();
  });
});
