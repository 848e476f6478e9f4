import { expect } from 'chai';
import type { OutgoingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { clientOf, type Answer } from '#test/support/client.ts';
import { cpuMsOf } from '#test/support/cpu.ts';
import { keys } from '#test/support/metadata-samples.ts';
import { eventCount, sharedServer } from '#test/support/server.ts';
import { until } from '#test/support/until.ts';
import {
  createAccount,
  got,
  NOBODY,
  openBook,
  ORGANIZATIONS,
  transfer,
  type Account,
  type Book,
} from './books.ts';
import { fullRecords, type FullRecord } from './full-records.ts';
import { expectProblem } from './problems.ts';

/** Nothing in here may be answered with a 5xx, and nothing may be appended. */
describe('hostile input', () => {
  const server = sharedServer();
  const client = clientOf(server);
  after(() => client.close());

  let book: Book;
  let events = 0;
  before(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
    events = await eventCount(server());
  });
  afterEach(async () => {
    expect(await eventCount(server()), 'events').to.equal(events);
  });

  const organization = '"legalName":"A","legalDocument":"B"';
  const post = (body: string | Buffer, headers?: OutgoingHttpHeaders) =>
    client.post(ORGANIZATIONS, body, headers);

  describe('bodies', () => {
    const unreadable: readonly [what: string, body: string | Buffer][] = [
      ['nothing', ''],
      ['blanks', '  \n'],
      ['a word', 'hello'],
      ['a list', '[]'],
      ['a text', '"A"'],
      ['a number', '1'],
      ['half an object', '{"legalName":"A"'],
      ['two values', `{${organization}} {}`],
      ['a trailing comma', `{${organization},}`],
      ['single quotes', "{'legalName':'A'}"],
      ['a comment', `{${organization}/* */}`],
      ['NaN', `{${organization},"metadata":{"a":NaN}}`],
      ['a number with a leading zero', `{${organization},"metadata":{"a":01}}`],
      ['a member twice', `{${organization},"legalName":"C"}`],
      ['a member twice, once escaped', `{${organization},"legal\\u004eame":"C"}`],
      ['a member twice, deep inside', `{${organization},"metadata":{"a":1,"a":1}}`],
      ['__proto__', `{${organization},"__proto__":{"x":1}}`],
      ['__proto__ in metadata', `{${organization},"metadata":{"__proto__":1}}`],
      ['a lone surrogate', `{${organization},"doingBusinessAs":"\\ud800"}`],
      ['a raw control character', `{${organization},"doingBusinessAs":"a\nb"}`],
      ['bad UTF-8', Buffer.concat([Buffer.from(`{${organization},"x":"`), Buffer.from([0xff])])],
      [
        'overlong UTF-8',
        Buffer.concat([
          Buffer.from('{"legalName":"'),
          Buffer.from([0xc0, 0xaf]),
          Buffer.from('","legalDocument":"B"}'),
        ]),
      ],
      ['UTF-16', Buffer.from(`{${organization}}`, 'utf16le')],
    ];
    for (const [what, body] of unreadable) {
      it(`of ${what} are not readable`, async () => {
        expectProblem(await post(body), 400, 'LDG-0094', { entityType: null });
      });
    }

    it('of null count as empty', async () => {
      expectProblem(await post('null'), 400, 'LDG-0009', {
        locations: ['legalName', 'legalDocument'],
      });
    });

    it('with names of inherited members are unknown fields, no more', async () => {
      for (const name of ['constructor', 'toString', 'hasOwnProperty', 'prototype']) {
        const answer = await post(`{${organization},"${name}":{"a":1}}`);
        expectProblem(answer, 400, 'LDG-0053', { locations: [name] });
      }
    });

    it('with a NUL character name the place', async () => {
      const value = await post(`{${organization},"doingBusinessAs":"a\\u0000b"}`);
      expectProblem(value, 400, 'LDG-0047', { locations: ['doingBusinessAs'] });
      const key = await post(`{${organization},"metadata":{"a\\u0000":1}}`);
      expectProblem(key, 400, 'LDG-0047');
    });

    it('may be 10 levels deep and no deeper, by whatever brackets', async () => {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const nested = (levels: number) =>
          `{${organization},"x":${open.repeat(levels - 1)}1${close.repeat(levels - 1)}}`;
        expectProblem(await post(nested(10)), 400, 'LDG-0053');
        for (const levels of [11, 3000]) {
          expectProblem(await post(nested(levels)), 400, 'LDG-0144', { entityType: 'request' });
        }
      }
      expectProblem(await post('['.repeat(500_000)), 400, 'LDG-0144', { entityType: 'request' });
    });

    it('may hold 1 MiB and no more, with a length or in chunks', async () => {
      const padded = (bytes: number) => {
        const head = `{${organization},"x":"`;
        return `${head}${'x'.repeat(bytes - head.length - 2)}"}`;
      };
      expectProblem(await post(padded(1024 * 1024)), 400, 'LDG-0053');
      const large = padded(1024 * 1024 + 1);
      expectProblem(await post(large), 413, 'LDG-0143', { entityType: 'request' });
      const answer = await post(large, { 'Transfer-Encoding': 'chunked' });
      expectProblem(answer, 413, 'LDG-0143', { entityType: 'request' });
    });

    it('take thousands of unknown members and answer no more than is useful', async () => {
      const members = Array.from({ length: 20_000 }, (_, n) => `"m${n}":${n}`).join();
      const answer = await post(`{${members}}`);
      expectProblem(answer, 400, 'LDG-0053');
      expect(answer.text.length).to.be.below(100_000);
    });

    it('are repeated by a refusal no further than is useful', async () => {
      const long = 'a'.repeat(300_000);
      for (const body of [
        { [long]: 1 },
        { metadata: { [long]: 1 } },
        transfer(`@${long}`, '@bob', '1'),
        transfer(`@${long}`, `@${long}`, '1'),
      ]) {
        const { status, text } = await client.post(`${book.at}/transactions/json`, body);
        expect([400, 422]).to.include(status);
        expect(text.length).to.be.below(5000);
      }
    });

    it('with monstrous numbers are refused without work', async () => {
      const before = await cpuMsOf(client);
      for (const value of [
        '1e1000000',
        '1e-1000000',
        `1${'0'.repeat(900_000)}`,
        '9'.repeat(100_000),
      ]) {
        const amount = `{"asset":"BRL","value":${value}}`;
        const answer = await client.post(
          `${book.at}/transactions/json`,
          `{"send":{"asset":"BRL","value":${value},"source":{"from":[{"accountAlias":"@alice","amount":${amount}}]},` +
            `"distribute":{"to":[{"accountAlias":"@bob","amount":${amount}}]}}}`,
        );
        expect([400, 413, 422], answer.text.slice(0, 200)).to.include(answer.status);
      }
      expect((await cpuMsOf(client)) - before).to.be.below(3000);
    });
  });

  describe('metadata of a record', () => {
    let records: readonly FullRecord[] = [];
    before(async () => {
      records = await fullRecords(client, book);
      events = await eventCount(server());
    });

    it('stays as it is when more is merged into it than 100 keys', async () => {
      for (const { path, merge } of records) {
        for (const more of [keys(1, 100), { ...keys(2, 100), k0: null }, keys(100, 50)]) {
          const answer = await merge(more);
          const { detail } = expectProblem(answer, 400, 'LDG-0145', { entityType: 'request' });
          expect(detail).to.equal('The merged metadata has more than 100 keys.');
        }
        expect((await merge({ ...keys(100), unheard: null })).status, path).to.equal(400); // 101 are sent.
        expect((await merge(keys(100))).status, path).to.equal(200); // As they are.
      }
    });
  });

  describe('media types', () => {
    const body = `{${organization}}`;
    const refused: readonly (string | undefined)[] = [
      undefined,
      '',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/problem+json',
      'application',
    ];
    for (const type of refused) {
      it(`${String(type)} is refused on a body`, async () => {
        const headers = type === undefined ? {} : { 'Content-Type': type };
        const answer = await client.send({ method: 'POST', path: ORGANIZATIONS, headers, body });
        expectProblem(answer, 400, 'LDG-0094', { entityType: null });
      });
    }

    it('a content encoding we do not know is refused', async () => {
      const answer = await post(Buffer.from([1, 2, 3]), { 'Content-Encoding': 'gzip' });
      expect([400, 415]).to.include(answer.status);
    });

    it('bodyless requests need none, and a body on a GET does no harm', async () => {
      const path = `${book.at}/accounts`;
      expect((await client.send({ method: 'GET', path })).status).to.equal(200);
      expect((await client.send({ method: 'GET', path, body: 'nonsense' })).status).to.equal(200);
    });
  });

  describe('paths', () => {
    const status = async (path: string) => (await client.get(path)).status;

    it('take a trailing slash and any letter case in what is literal', async () => {
      expect(await status(`/V1/Organizations/${book.org}/LEDGERS/${book.ledger}/`)).to.equal(200);
      expect(await status(`${book.at}/Accounts/Alias/@alice/Balances/`)).to.equal(200);
      expectProblem(await client.get(`${book.at}/accounts/Alias/@ALICE`), 404, 'LDG-0085');
    });

    it('find the outside by an encoded alias', async () => {
      const alias = await got<Account>(client, `${book.at}/accounts/alias/%40external%2FBRL`);
      expect(alias.alias).to.equal('@external/BRL');
      const balances = `${book.at}/accounts/alias/%40external%2fBRL/balances`;
      expect(await status(balances)).to.equal(200);
    });

    for (const path of [
      '/',
      '/nothing',
      '/v1',
      '/v3/organizations',
      '/v1/organization',
      '//v1/organizations',
      '/v1//organizations',
      '/v1/organizations//',
      '/v1/organizations/%',
      '/v1/organizations/%zz/ledgers/x/y/z',
      '/v1/organizations/%ff%fe/nothing',
      '/v1/organizations/../organizations',
      '/v1/organizations/./x/y',
      '/v1/organizations%2f',
      '/%00',
      `/${'x'.repeat(6000)}`,
      '/constructor',
      '/__proto__',
    ]) {
      it(`${path.slice(0, 60)} leads nowhere`, async () => {
        const answer = await client.get(path);
        if (answer.status === 400) {
          expectProblem(answer, 400, 'LDG-0065'); // A parameter that cannot be decoded.
        } else {
          expectProblem(answer, 404, 'LDG-0484', { entityType: null });
        }
      });
    }

    it('do not take words that stand for something else as ids', async () => {
      const words = ['metrics', 'alias', 'external', 'block-exceptions'];
      for (const path of [
        ...words.map((word) => `${book.at}/accounts/${word}`),
        `${book.at}/transactions/inflow`,
        `${book.at}/assets/metrics`,
      ]) {
        expect(['LDG-0484', 'LDG-0485'], path).to.include(
          ((await client.get(path)).json() as { code: string }).code,
        );
      }
    });

    it('with ids that are none say which parameter', async () => {
      const at = `/v1/organizations/x/ledgers/%2e%2e/accounts/%20`;
      const answer = await client.get(at);
      expectProblem(answer, 400, 'LDG-0065', {
        locations: ['path.organization_id', 'path.ledger_id', 'path.account_id'],
      });
      for (const id of [
        '%',
        '%00',
        "'; DROP TABLE events; --",
        '0'.repeat(5000),
        'null',
        '[object Object]',
      ]) {
        const path = `${ORGANIZATIONS}/${id.startsWith('%') ? id : encodeURIComponent(id)}`;
        expectProblem(await client.get(path), 400, 'LDG-0065');
      }
    });

    it('with aliases that are none find nothing', async () => {
      for (const alias of [
        '%00',
        '%ff',
        '%f0%9f%98%80',
        'a'.repeat(5000),
        '%27%20OR%201=1',
        '..%2f..',
      ]) {
        const { status: found, text } = await client.get(`${book.at}/accounts/alias/${alias}`);
        expect([400, 404], text).to.include(found);
      }
    });
  });

  describe('methods', () => {
    it('that a path does not take are named with those it takes', async () => {
      const at = `${book.at}/accounts`;
      for (const [method, path, allowed] of [
        ['DELETE', ORGANIZATIONS, ['GET', 'HEAD', 'POST']],
        ['PUT', at, ['GET', 'HEAD', 'POST']],
        ['GET', `${book.at}/transactions/json`, ['POST']],
        ['POST', `${at}/alias/@alice`, ['GET', 'HEAD']],
        ['POST', '/health', ['GET', 'HEAD']],
      ] as const) {
        const answer = await client.send({ method, path });
        expectProblem(answer, 405, 'LDG-0485', { entityType: null });
        const allow = (answer.headers.allow ?? '').split(/,\s*/);
        expect(allow).to.include.members([...allowed]);
        expect(allow).not.to.include(method);
      }
    });

    it('that HTTP does not know, or nobody uses, do no harm', async () => {
      for (const method of ['TRACE', 'PROPFIND', 'LINK']) {
        const answer = await client.send({ method, path: ORGANIZATIONS });
        expectProblem(answer, 405, 'LDG-0485');
      }
      expectProblem(await client.send({ method: 'PUT', path: '/nothing' }), 404, 'LDG-0484');
    });

    it('HEAD is answered like GET, without body', async () => {
      for (const path of [
        `${book.at}/accounts`,
        `${book.at}/accounts/alias/@alice`,
        `${ORGANIZATIONS}/${NOBODY}`,
        `${ORGANIZATIONS}/x`,
        '/nothing',
        '/health',
        '/version',
      ]) {
        const get = await client.get(path);
        const head = await client.send({ method: 'HEAD', path });
        expect(head.status, path).to.equal(get.status);
        expect(head.text).to.equal('');
        if (get.status >= 400) continue; // Those carry the status only.
        expect(head.headers['content-type'], path).to.equal(get.headers['content-type']);
        expect(head.headers['content-length'], path).to.equal(get.headers['content-length']);
      }
    });
  });

  describe('headers', () => {
    it('too large altogether are refused with 431', async () => {
      const answer = await client.get(ORGANIZATIONS, { 'X-Large': 'x'.repeat(200_000) });
      expectProblem(answer, 431, 'LDG-0497');
    });

    it('keep a request id that is visible ASCII of up to 128, and replace any other', async () => {
      for (const id of ['a', '~'.repeat(128), '{"x":1}']) {
        const { headers } = await client.get('/health', { 'X-Request-Id': id });
        expect(headers['x-request-id']).to.equal(id);
      }
      for (const id of [undefined, '', 'a b', 'x'.repeat(129), 'é']) {
        const sent = id === undefined ? {} : { 'X-Request-Id': id };
        const { headers } = await client.get(ORGANIZATIONS, sent);
        expect(headers['x-request-id']).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      }
    });

    it('of a tracer or an older client are never refused', async () => {
      const answer = await client.get(ORGANIZATIONS, {
        'X-Correlation-ID': 'x'.repeat(5000),
        traceparent: 'nonsense',
        tracestate: 'é',
        'X-API-Version': 'v9',
        'X-Organization-Id': 'x',
        Accept: 'text/html',
        Authorization: 'Bearer nonsense',
        Cookie: 'a=b',
        'X-Idempotency': 'a b',
      });
      expect(answer.status).to.equal(200);
    });
  });

  describe('queries', () => {
    it('that are huge, broken or strange are refused or ignored', async () => {
      const text = 'x'.repeat(257);
      for (const query of [`legal_name=${text}`, `legal_document=${text}`, 'legal_name=%00']) {
        expectProblem(await client.get(`${ORGANIZATIONS}?${query}`), 400, 'LDG-0082');
      }
      for (const query of [
        '%',
        '%zz=%zz',
        '&&&==&',
        '=x',
        '__proto__=1',
        'constructor=1&toString=2',
        'limit[]=1',
        'limit[$gt]=1',
        'metadata.=x',
        'metadata.%00=x',
        "metadata.a'b=c",
        'metadata.a.b=c',
        `metadata.${'k'.repeat(4000)}=v`,
        'legal_name=%25_%27%22',
        'legal_name=%ff',
        `legal_name=${'😀'.repeat(256)}`,
        `unknown=${'x'.repeat(6000)}`,
        Array.from({ length: 500 }, (_, n) => `p${n}=1`).join('&'),
      ]) {
        const answer: Answer = await client.get(`${ORGANIZATIONS}?${encodeURI(decodable(query))}`);
        expect([200, 400], `${query}: ${answer.text}`).to.include(answer.status);
      }
    });

    it('take wildcards of other languages literally', async () => {
      const { items } = await got<{ items: unknown[] }>(
        client,
        `${ORGANIZATIONS}?legal_name=${encodeURIComponent('%')}`,
      );
      expect(items).to.deep.equal([]);
      const accounts = await got<{ items: unknown[] }>(client, `${book.at}/accounts?alias=_`);
      expect(accounts.items).to.deep.equal([]);
    });
  });

  describe('CORS', () => {
    const origin = 'http://localhost:5173';

    it('answers a preflight of a page on this machine', async () => {
      const answer = await client.send({
        method: 'OPTIONS',
        path: `${book.at}/transactions/json`,
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type,x-idempotency',
        },
      });
      expect(answer.status).to.equal(204);
      expect(answer.text).to.equal('');
      expect([origin, '*']).to.include(answer.headers['access-control-allow-origin']);
      const methods = answer.headers['access-control-allow-methods']?.split(/,\s*/);
      expect(methods).to.have.members(['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH']);
      expect(answer.headers['access-control-allow-headers']?.toLowerCase())
        .to.contain('content-type')
        .and.to.contain('x-idempotency');
    });

    it('marks answers to such a page, errors too, and no others', async () => {
      for (const path of [ORGANIZATIONS, '/nothing']) {
        const answer = await client.get(path, { Origin: origin });
        expect([origin, '*']).to.include(answer.headers['access-control-allow-origin']);
        const plain = await client.get(path);
        expect(plain.headers).not.to.have.property('access-control-allow-origin');
        const foreign = await client.get(path, { Origin: 'https://evil.example' });
        expect(foreign.headers).not.to.have.property('access-control-allow-origin');
      }
    });

    it('does not let foreign pages write', async () => {
      const preflight = await client.send({
        method: 'OPTIONS',
        path: `${book.at}/transactions/json`,
        headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
      });
      expect(preflight.headers).not.to.have.property('access-control-allow-origin');
    });
  });

  describe('connections', () => {
    /** What a server says to bytes that are not HTTP, until it closes. */
    const raw = (bytes: string): Promise<string> => {
      const { promise, resolve } = Promise.withResolvers<string>();
      const socket = connect(server().port, '127.0.0.1');
      let heard = '';
      socket.on('data', (chunk: Buffer) => {
        heard += chunk.toString();
        if (bytes.includes('Connection: close') && heard.includes('\r\n\r\n')) socket.end();
      });
      socket.on('close', () => resolve(heard));
      socket.on('error', () => resolve(heard));
      socket.setTimeout(30_000, () => socket.destroy());
      socket.write(bytes);
      return promise;
    };

    it('that do not speak HTTP are told so and closed', async () => {
      expect(await raw('hello\r\n\r\n')).to.match(/^(HTTP\/1\.1 400|$)/);
      expect(await raw('GET / HTTP/9.9\r\n\r\n')).to.match(/^(HTTP\/1\.1 (400|505)|$)/);
    });

    it('that send several requests ahead get the answers in their order', async () => {
      const request = (path: string, close = '') =>
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`;
      const paths = [`${book.at}/transactions`, '/nothing', `${book.at}/accounts`];
      const ahead = paths.map((path) => request(path)).join('');
      const socket = connect(server().port, '127.0.0.1');
      let heard = '';
      socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
      socket.write(ahead + request('/health', 'Connection: close\r\n'));
      await once(socket, 'close');
      const statuses = Array.from(heard.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
      expect(statuses).to.deep.equal(['200', '404', '200', '200']);
    });

    it('with two lengths or a doubtful framing are refused', async () => {
      const head = `POST ${ORGANIZATIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
      const both = `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
      expect(await raw(both)).to.match(/^HTTP\/1\.1 400/);
      const twice = `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`;
      expect(await raw(twice)).to.match(/^HTTP\/1\.1 400/);
    });

    it('that break off in the middle of a body leave nothing behind', async () => {
      const socket = connect(server().port, '127.0.0.1');
      const { promise, resolve } = Promise.withResolvers<undefined>();
      socket.on('close', () => resolve(undefined));
      socket.write(
        `POST ${ORGANIZATIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
          `Content-Length: 1000\r\n\r\n{${organization}`,
        () => socket.destroy(),
      );
      await promise;
      expect((await client.get('/health')).status).to.equal(200);
    });

    it('with a target in absolute form are served like any other', async () => {
      const heard = await raw(
        `GET http://127.0.0.1:${server().port}/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect(heard).not.to.match(/^HTTP\/1\.1 5/);
    });
  });

  it('leaves the server as well as it was', async () => {
    const isReady = async () => (await client.get('/readyz')).status === 200;
    await until(isReady, 30_000, 'the read models have caught up');
    const answer = await client.post(
      `${book.at}/transactions/json`,
      transfer('@alice', '@bob', '1'),
    );
    expect(answer.status).to.equal(201);
    await createAccount(client, book.at);
    events = await eventCount(server());
  });
});

/** What cannot be decoded goes out as it is. */
const decodable = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
