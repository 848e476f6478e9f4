import type { LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect } from 'chai';
import { HTTP, type CloudEvent } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { createAddressGuard, type ResolveName } from '#src/adapters/network/address-guard.ts';
import { readRanges } from '#src/adapters/network/address-ranges.ts';
import { openWebhookTarget } from '#src/adapters/webhook/delivery-target.ts';
import { signaturesOf } from '#src/adapters/webhook/signature.ts';
import { rememberSecrets } from '#src/adapters/webhook/secret-cache.ts';
import { formatInstant, type Instant, type Micros } from '#src/kernel/instant.ts';
import type { SigningSecrets } from '#src/kernel/signing-secret.ts';
import type { Subscription, WebhookTarget } from '#src/kernel/subscription.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { DeliveryOutcome, DeliveryTarget } from '#src/ports/delivery-target.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import { certificate } from '#test/support/certificate.ts';
import { messageTo, recordsOf, subscriptionTo } from '#test/support/deliveries.ts';
import { until } from '#test/support/until.ts';

const CURRENT = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
const PREVIOUS = 'whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=';
const SECRETS: SigningSecrets = {
  tenantId: 'default',
  current: { secret: CURRENT, since: '2026-01-01T00:00:00.000000Z' as Instant },
};
const DAY_MS = 86_400_000;

type Received = Readonly<{ headers: IncomingMessage['headers']; body: string; url: string }>;

describe('webhook target', function () {
  this.timeout(20_000);
  let target: DeliveryTarget;
  let secrets: SigningSecrets | undefined;
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const received: Received[] = [];

  /** Resolves every name to this machine. */
  const toLoopback: ResolveName = (_, callback) => {
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const opened = (resolve = toLoopback, cidrs = ['127.0.0.0/8', '::1']): DeliveryTarget =>
    openWebhookTarget({
      guard: createAddressGuard(readRanges(cidrs, []), resolve),
      secretsOf: async () => secrets,
    });

  async function listening(server: Server): Promise<number> {
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  /** A receiver that stores what it gets, then answers. */
  const receiver = async (answer: (response: ServerResponse) => void): Promise<string> => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        received.push({ headers: request.headers, body, url: request.url ?? '' });
        answer(response);
      });
    });
    return `http://127.0.0.1:${await listening(server)}/hooks?a=1`;
  };
  const answering = (status: number, headers: Record<string, string> = {}, body = '') =>
    receiver((response) => response.writeHead(status, headers).end(body));
  /** A peer below HTTP: gets the first bytes of each connection. */
  const rawReceiver = async (answer: (socket: Socket) => void): Promise<string> => {
    const server = createTcpServer((socket) => {
      socket.once('data', () => {
        answer(socket);
      });
    });
    return `http://127.0.0.1:${await listening(server)}/`;
  };

  const sent = (
    url: string,
    {
      subscription = {},
      webhook = {},
      record = recordsOf(1)[0]!,
      atMs = Date.now(),
      signal = new AbortController().signal,
      over = target,
    }: Readonly<{
      subscription?: Partial<Subscription>;
      webhook?: Partial<WebhookTarget>;
      record?: OutgoingRecord;
      atMs?: number;
      signal?: AbortSignal;
      over?: DeliveryTarget;
    }> = {},
  ): Promise<DeliveryOutcome> => {
    const webhookTarget = { kind: 'webhook', url, timeoutMs: 5000, ...webhook } as const;
    return over.send(messageTo(subscriptionTo(webhookTarget, subscription), record, atMs), signal);
  };

  beforeEach(() => {
    secrets = SECRETS;
    received.length = 0;
    target = opened();
  });
  afterEach(async () => {
    await target.close();
    for (const socket of sockets) socket.destroy();
    await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
  });

  describe('sends', () => {
    it('a structured event, whose attributes are those of the record', async () => {
      const url = await answering(204);
      const [record] = recordsOf(1);
      expect(await sent(url)).to.deep.equal({ is: 'delivered', statusCode: 204 });

      const { headers, body } = received[0]!;
      expect(received[0]?.url).to.equal('/hooks?a=1');
      expect(headers['content-type']).to.equal('application/cloudevents+json; charset=utf-8');
      expect(Object.keys(headers).filter((name) => name.startsWith('ce-'))).to.deep.equal([]);
      const { data, ...attributes } = JSON.parse(body) as Record<string, unknown>;
      expect(data).to.deep.equal(JSON.parse(record!.value));
      const asHeaders = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, value]);
      expect(Object.fromEntries(asHeaders)).to.deep.equal(record!.headers);
    });

    it('a binary event: attributes as headers, the payload as the body', async () => {
      const url = await answering(200);
      const [record] = recordsOf(1);
      await sent(url, { subscription: { format: 'binary' } });
      const { headers, body } = received[0]!;
      expect(body).to.equal(record!.value);
      expect(headers).to.include({ ...record!.headers, 'content-type': 'application/json' });
    });

    it('what the SDK parses and an independent library verifies, in both formats', async () => {
      const url = await answering(200);
      const verifier = new Webhook(CURRENT);
      const records = Array.from({ length: 20 }, (_, n) => recordsOf(n + 1)).flat();
      for (const format of ['structured', 'binary'] as const) {
        for (const record of records) {
          const { is } = await sent(url, { subscription: { format }, record });
          expect(is).to.equal('delivered');
        }
      }
      expect(received).to.have.length(2 * records.length);
      for (const [n, { headers, body }] of received.entries()) {
        verifier.verify(body, headers as Record<string, string>);
        const event = HTTP.toEvent({ headers, body }) as CloudEvent<unknown>;
        expect(event.validate()).to.equal(true);
        const record = records[n % records.length]!;
        expect(event.data).to.deep.equal(JSON.parse(record.value));
        expect(event.id).to.equal(record.headers['ce-id']).and.to.equal(headers['webhook-id']);
        expect(event.type).to.equal(record.headers['ce-type']);
      }
    });

    it('values that headers cannot hold percent-encoded, as the HTTP binding asks for', async () => {
      const url = await answering(200);
      const [{ headers, ...record }] = recordsOf(1) as [OutgoingRecord];
      const odd = { ...headers, 'ce-subject': 'Zoë "x" 100% €😀' };
      await sent(url, { subscription: { format: 'binary' }, record: { ...record, headers: odd } });
      const subject = String(received[0]?.headers['ce-subject']);
      expect(subject).to.match(/^[!-~]+$/);
      expect(decodeURIComponent(subject)).to.equal('Zoë "x" 100% €😀');
    });

    it('the trace of an event as it is', async () => {
      const url = await answering(200);
      const [{ headers, ...record }] = recordsOf(1) as [OutgoingRecord];
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      const traced = { ...headers, traceparent, tracestate: 'rojo=00f0 67%"x",congo=t61' };
      await sent(url, {
        subscription: { format: 'binary' },
        record: { ...record, headers: traced },
      });
      const { traceparent: parent, tracestate } = received[0]?.headers ?? {};
      expect({ ...traced, traceparent: parent, tracestate }).to.deep.equal(traced);
      received.length = 0;
      const broken = { ...traced, tracestate: 'a=é\n' };
      await sent(url, {
        subscription: { format: 'binary' },
        record: { ...record, headers: broken },
      });
      expect(received[0]?.headers['tracestate']).to.equal('a=%C3%A9%0A');
    });

    it('over the connection of the message before', async () => {
      const url = await answering(200, {}, 'ok');
      await sent(url);
      const [first] = sockets;
      await sent(url);
      await sent(url);
      expect([...sockets]).to.deep.equal([first]);
    });

    it('again at once when the connection of the message before had been closed', async () => {
      let connections = 0;
      const server = createTcpServer((socket) => {
        connections += 1;
        let requests = 0;
        socket.on('data', (bytes) => {
          if (!bytes.toString('latin1').startsWith('POST')) return;
          requests += 1;
          if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
          else socket.resetAndDestroy();
        });
      });
      const url = `http://127.0.0.1:${await listening(server)}/`;
      const message = { record: { ...recordsOf(1)[0]!, value: '{}' } };
      expect(await sent(url, message)).to.include({ is: 'delivered' });
      expect(await sent(url, message)).to.include({ is: 'delivered' });
      expect(connections).to.equal(2);
    });
  });

  describe('signs', () => {
    it('as the test vector of the contract', () => {
      const id = '0190a1c0-0000-7000-8000-000000000001';
      expect(signaturesOf(id, 1_767_614_400, Buffer.from('{"a":1}'), [CURRENT])).to.equal(
        'v1,+6vAKNGMKYSXeKRmAxNwdd6wZ/rkw7P73J9ksp92xxo=',
      );
    });

    it('each attempt with its own time over the same body', async () => {
      const url = await answering(500);
      const atMs = Date.now();
      await sent(url, { atMs });
      await sent(url, { atMs: atMs + 5000 });
      const [one, two] = received as [Received, Received];
      expect(one.body).to.equal(two.body);
      expect(one.headers['webhook-id']).to.equal(two.headers['webhook-id']);
      const [first, second] = [one, two].map(({ headers }) => Number(headers['webhook-timestamp']));
      expect(second! - first!).to.equal(5);
      expect(first).to.equal(Math.floor(atMs / 1000));
    });

    it('with both secrets for a day after a rotation, then with one', async () => {
      const url = await answering(200);
      const untilMs = Date.now() + 60_000;
      secrets = {
        ...SECRETS,
        previous: { secret: PREVIOUS, until: formatInstant((untilMs * 1000) as Micros) },
      };
      await sent(url, { atMs: untilMs - 1 });
      await sent(url, { atMs: untilMs });

      const [during, after] = received.map(({ headers, body }) => ({
        body,
        headers: headers as Record<string, string>,
        count: String(headers['webhook-signature']).split(' ').length,
      }));
      expect([during?.count, after?.count]).to.deep.equal([2, 1]);
      for (const secret of [CURRENT, PREVIOUS]) {
        new Webhook(secret).verify(during!.body, during!.headers);
      }
      new Webhook(CURRENT).verify(after!.body, after!.headers);
      expect(() => new Webhook(PREVIOUS).verify(after!.body, after!.headers)).to.throw();
    });

    it('nothing that was altered', async () => {
      const url = await answering(200);
      await sent(url);
      const { headers, body } = received[0]! as { headers: Record<string, string>; body: string };
      const verifier = new Webhook(CURRENT);
      expect(() => verifier.verify(`${body} `, headers)).to.throw();
      expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'x' })).to.throw();
    });

    it('not without a secret: nothing is sent', async () => {
      const url = await answering(200);
      secrets = undefined;
      expect(await sent(url)).to.deep.equal({ is: 'failed', errorClass: 'auth_error' });
      expect(received).to.deep.equal([]);
    });

    it('with what it read up to five seconds ago', async () => {
      let nowMs = 0;
      let reads = 0;
      let answer: () => Promise<SigningSecrets | undefined> = async () => SECRETS;
      const secretsOf = rememberSecrets(
        () => {
          reads += 1;
          return answer();
        },
        () => nowMs,
      );
      await Promise.all([secretsOf('a'), secretsOf('a')]);
      nowMs = 4999;
      expect(await secretsOf('a')).to.equal(SECRETS);
      expect(reads).to.equal(1);
      nowMs = 5000;
      await secretsOf('a');
      expect(reads).to.equal(2);

      answer = () => Promise.reject(new Unavailable('away'));
      const fault = await secretsOf('b').catch((error: unknown) => error);
      expect(fault).to.be.instanceOf(Unavailable);
      answer = async () => undefined;
      expect(await secretsOf('b')).to.equal(undefined);
      answer = async () => SECRETS;
      expect(await secretsOf('b')).to.equal(SECRETS);
    });
  });

  describe('lets headers of the subscription', () => {
    it('pass', async () => {
      const url = await answering(200);
      await sent(url, { webhook: { headers: { Authorization: 'Bearer x', 'X-Team': 'core' } } });
      expect(received[0]?.headers).to.include({ authorization: 'Bearer x', 'x-team': 'core' });
    });

    it('override none of its own', async () => {
      const own = ['Host', 'Content-Type', 'content-length', 'Webhook-Id', 'WEBHOOK-SIGNATURE']
        .concat('webhook-timestamp', 'ce-id', 'CE-Type', 'Transfer-Encoding', 'Connection')
        .concat('Expect', 'Upgrade', 'TE', 'Trailer', 'Keep-Alive', 'Proxy-Authorization');
      const headers = Object.fromEntries(own.map((name) => [name, 'forged']));
      for (const format of ['structured', 'binary'] as const) {
        const url = await answering(200);
        const outcome = await sent(url, { webhook: { headers }, subscription: { format } });
        expect(outcome).to.include({ is: 'delivered' });
      }
      expect(received).to.have.length(2);
      expect(JSON.stringify(received)).to.not.include('forged');
    });

    it('not break the request apart', async () => {
      const url = await answering(200);
      const unsent = { is: 'failed', errorClass: 'serialization_error' };
      for (const value of ['x\r\nX-Injected: 1', 'x\nY', 'x\0', '€']) {
        const outcome = await sent(url, { webhook: { headers: { 'x-a': value } } });
        expect(outcome, JSON.stringify(value)).to.deep.equal(unsent);
      }
      expect(await sent(url, { webhook: { headers: { 'x a\r\n': '1' } } })).to.deep.equal(unsent);
      expect(received).to.deep.equal([]);
    });
  });

  describe('reports', () => {
    for (const status of [200, 201, 202, 204, 299]) {
      it(`${status} as delivered`, async () => {
        const outcome = await sent(await answering(status));
        expect(outcome).to.deep.equal({ is: 'delivered', statusCode: status });
      });
    }

    it('410 as gone', async () => {
      expect(await sent(await answering(410))).to.deep.equal({ is: 'gone', statusCode: 410 });
    });

    for (const statusCode of [300, 400, 401, 404, 408, 418, 422, 425, 429, 500, 502, 503]) {
      it(`${statusCode} as failed`, async () => {
        const outcome = await sent(await answering(statusCode, {}, 'why'));
        const expected = { is: 'failed', errorClass: 'http_status', statusCode, body: 'why' };
        expect(outcome).to.deep.equal(expected);
      });
    }

    it('how long a receiver asks to wait', async () => {
      const atMs = Date.parse('2026-01-05T12:00:00.500Z');
      const waits = async (status: number, retryAfter: string) => {
        const url = await answering(status, { 'retry-after': retryAfter });
        const outcome = await sent(url, { atMs });
        return 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;
      };
      expect(await waits(429, '120')).to.equal(120_000);
      expect(await waits(503, '0')).to.equal(0);
      expect(await waits(503, 'Mon, 05 Jan 2026 12:01:00 GMT')).to.equal(59_500);
      expect(await waits(429, 'Mon, 05 Jan 2026 11:00:00 GMT')).to.equal(0);
      expect(await waits(429, '9999999999')).to.equal(DAY_MS);
      expect(await waits(429, 'Fri, 31 Dec 2100 00:00:00 GMT')).to.equal(DAY_MS);
      const odd = ['soon', '-1', '1.5', '1e9', '2026-01-05', 'Xxx, 99 Yyy 2026 99:99:99 GMT'];
      for (const given of odd) expect(await waits(429, given), given).to.equal(undefined);
      expect(await waits(500, '120')).to.equal(undefined);
    });

    it('redirects as failed, without following them', async () => {
      const internal = await answering(200);
      for (const status of [301, 302, 303, 307, 308]) {
        for (const location of [internal, 'http://169.254.169.254/latest/meta-data/']) {
          const outcome = await sent(await answering(status, { location }));
          expect(outcome).to.include({ is: 'failed', statusCode: status });
        }
      }
      expect(received).to.have.length(10); // The internal one got nothing.
    });

    it('the first KiB of a body, and reads no more of it', async () => {
      let written = 0;
      let closed = false;
      const url = await receiver((response) => {
        response.writeHead(500);
        const write = (): void => {
          do written += 65_536;
          while (!closed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', write);
        response.on('close', () => (closed = true));
        write();
      });
      const outcome = await sent(url);
      expect(outcome).to.include({ is: 'failed', statusCode: 500, body: 'x'.repeat(1024) });
      await until(() => closed, 5000, 'the connection is closed');
      expect(written).to.be.below(16 * 1_048_576);
    });

    it('a body as text, without a character that was cut', async () => {
      const url = await answering(500, {}, `${'x'.repeat(1023)}€`);
      expect(await sent(url)).to.include({ body: 'x'.repeat(1023) });
    });

    it('the status although the body is slow', async () => {
      const slow = (status: number) =>
        receiver((response) => response.writeHead(status, { 'content-length': '10' }).write('abc'));
      expect(await sent(await slow(200))).to.deep.equal({ is: 'delivered', statusCode: 200 });
      expect(await sent(await slow(500))).to.include({ statusCode: 500, body: 'abc' });
    });

    it('the status although the connection breaks in the body', async () => {
      const broken = await rawReceiver((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', () => {
          setTimeout(() => socket.resetAndDestroy(), 50); // A reset may overtake what was written.
        });
      });
      expect(await sent(broken)).to.deep.equal({ is: 'delivered', statusCode: 200 });
    });

    it('the status that follows provisional ones', async () => {
      const url = await rawReceiver((socket) => {
        socket.write(
          'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n',
        );
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
      expect(await sent(url)).to.deep.equal({ is: 'delivered', statusCode: 200 });
    });

    it('a switch of protocols as failed', async () => {
      const url = await rawReceiver((socket) => {
        socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello');
      });
      expect(await sent(url)).to.include({ is: 'failed', statusCode: 101 });
    });

    const timedOut = { is: 'failed', errorClass: 'network_timeout' };
    const endless = (first: string, next: string) => (socket: Socket) => {
      socket.write(first);
      const timer = setInterval(() => socket.write(next), 20);
      socket.on('close', () => {
        clearInterval(timer);
      });
    };
    const provisional = 'HTTP/1.1 102 Processing\r\n\r\n';
    const silent = {
      'nothing at all': () => {},
      'provisional responses without an end': endless(provisional, provisional),
      'one byte of the header at a time': endless('HTTP/1.1 200 OK\r\nX-Slow: ', 'x'),
    };
    for (const [title, answer] of Object.entries(silent)) {
      it(`a timeout after ${title}, and closes the connection`, async () => {
        const url = await rawReceiver(answer);
        const from = performance.now();
        expect(await sent(url, { webhook: { timeoutMs: 300 } })).to.deep.equal(timedOut);
        expect(performance.now() - from).to.be.within(250, 2000);
        await until(() => sockets.size === 0, 2000, 'no connection is left');
      });
    }

    it('a timeout if the name server does not answer', async () => {
      const over = opened(() => {});
      const webhook = { timeoutMs: 200 };
      expect(await sent('https://hooks.example.com/', { over, webhook })).to.deep.equal(timedOut);
      await over.close();
    });

    const broken = { is: 'failed', errorClass: 'connection_error' };
    it('a reset connection', async () => {
      const url = await rawReceiver((socket) => socket.resetAndDestroy());
      expect(await sent(url)).to.deep.equal(broken);
    });

    it('a connection that is closed without a response', async () => {
      expect(await sent(await rawReceiver((socket) => socket.end()))).to.deep.equal(broken);
    });

    it('a refused connection', async () => {
      const server = createTcpServer();
      const port = await listening(server);
      await new Promise((done) => server.close(done));
      expect(await sent(`http://127.0.0.1:${port}/`)).to.deep.equal(broken);
    });

    it('what is not HTTP, and headers without an end', async () => {
      const answers = ['SSH-2.0-x\r\n', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1_000_000)}`];
      for (const answer of answers) {
        const url = await rawReceiver((socket) => socket.write(answer));
        expect(await sent(url)).to.deep.equal(broken);
      }
    });

    it('a name without an address', async () => {
      const over = opened((_, callback) => {
        callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), []);
      });
      expect(await sent('https://nowhere.example.com/', { over })).to.deep.equal(broken);
      await over.close();
    });

    it('a value that is not JSON', async () => {
      const record = { ...recordsOf(1)[0]!, value: '{"a":1},"b":{}' };
      for (const format of ['structured', 'binary'] as const) {
        const outcome = await sent(await answering(200), { record, subscription: { format } });
        expect(outcome).to.deep.equal({ is: 'failed', errorClass: 'serialization_error' });
      }
      expect(received).to.deep.equal([]);
    });

    it('a secret store that cannot be reached as canceled', async () => {
      const over = openWebhookTarget({
        guard: createAddressGuard(readRanges(['127.0.0.1'], [])),
        secretsOf: () => Promise.reject(new Unavailable('away')),
      });
      const outcome = await sent(await answering(200), { over });
      expect(outcome).to.deep.equal({ is: 'failed', errorClass: 'context_canceled' });
      await over.close();
    });
  });

  describe('over TLS', () => {
    const secured = (): Promise<number> =>
      listening(createTlsServer(certificate, (_, response) => response.writeHead(200).end()));
    const system = getCACertificates('default');
    const trusted = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      setDefaultCACertificates([...system, certificate.cert]);
      try {
        return await work();
      } finally {
        setDefaultCACertificates(system);
      }
    };
    const refused = { is: 'failed', errorClass: 'tls_error' };

    it('delivers to a receiver with a valid certificate', async () => {
      const port = await secured();
      const outcome = await trusted(() => sent(`https://hooks.example.com:${port}/`));
      expect(outcome).to.deep.equal({ is: 'delivered', statusCode: 200 });
    });

    it('refuses a self-signed certificate, also where verification is turned off', async () => {
      const port = await secured();
      await withEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, async () => {
        expect(await sent(`https://hooks.example.com:${port}/`)).to.deep.equal(refused);
      });
    });

    it('refuses a certificate of another name', async () => {
      const port = await secured();
      for (const host of ['other.example.com', '127.0.0.1']) {
        const outcome = await trusted(() => sent(`https://${host}:${port}/`));
        expect(outcome).to.deep.equal(refused);
      }
    });

    it('refuses a peer that speaks no TLS', async () => {
      const url = await rawReceiver((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      expect(await sent(url.replace('http:', 'https:'))).to.deep.equal(refused);
    });
  });

  describe('refuses', () => {
    const refused = { is: 'failed', errorClass: 'address_refused' };
    const guarded = [
      'http://169.254.169.254/latest/meta-data/',
      'https://[fd00:ec2::254]/',
      'http://10.0.0.1/',
      'https://[::ffff:10.0.0.1]/',
      'https://0.0.0.0/',
      'http://8.8.8.8/', // Public, but not encrypted.
      'https://user:password@127.0.0.1/',
      'https://0x7f.1/',
      'https://2130706433/',
      'ftp://127.0.0.1/',
      'not a url',
    ];
    for (const url of guarded) {
      it(url, async () => {
        expect(await sent(url)).to.deep.equal(refused);
      });
    }

    it('loopback, unless the operator allows it', async () => {
      const url = await answering(200);
      const over = opened(toLoopback, []);
      expect(await sent(url, { over })).to.deep.equal(refused);
      expect(await sent(url.replace('127.0.0.1', 'localhost'), { over })).to.deep.equal(refused);
      expect(received).to.deep.equal([]);
      await over.close();
    });

    it('a name whose addresses became internal, at the next connection', async () => {
      const answers: LookupAddress[][] = [
        [{ address: '127.0.0.1', family: 4 }],
        [
          { address: '127.0.0.1', family: 4 },
          { address: '10.0.0.1', family: 4 },
        ],
      ];
      let asked = 0;
      const over = opened((_, callback) => {
        callback(null, answers[asked]!);
        asked += 1;
      });
      const url = (await answering(200, { connection: 'close' })).replace('127.0.0.1', 'x.example');
      expect(await sent(url, { over })).to.include({ is: 'delivered' });
      expect(await sent(url, { over })).to.deep.equal(refused);
      expect(asked).to.equal(2);
      await over.close();
    });
  });

  it('keeps no cookies', async () => {
    const url = await answering(200, { 'set-cookie': 'a=b' });
    await sent(url);
    await sent(url);
    expect(received[1]?.headers).to.not.have.property('cookie');
  });

  it('stops with the reason of an aborted signal', async () => {
    const url = await rawReceiver(() => {});
    const abort = new AbortController();
    const reason = new Error('stopped');
    const stopped = () => sent(url, { signal: abort.signal }).catch((error: unknown) => error);
    setTimeout(() => {
      abort.abort(reason);
    }, 50);
    expect(await stopped()).to.equal(reason);
    expect(await stopped()).to.equal(reason);
    await until(() => sockets.size === 0, 2000, 'no connection is left');
  });

  it('ends what is in flight when it is closed', async () => {
    const url = await rawReceiver(() => {});
    const sending = sent(url);
    await until(() => sockets.size === 1, 2000, 'it is connected');
    await target.close();
    expect(await sending).to.deep.equal({ is: 'failed', errorClass: 'context_canceled' });
    expect(await sent(url)).to.deep.equal({ is: 'failed', errorClass: 'context_canceled' });
    await until(() => sockets.size === 0, 2000, 'no connection is left');
  });
});

async function withEnvironment(
  changes: Readonly<Record<string, string>>,
  work: () => Promise<void>,
): Promise<void> {
  const before = { ...process.env };
  Object.assign(process.env, changes);
  try {
    await work();
  } finally {
    for (const name of Object.keys(changes)) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
  }
}
