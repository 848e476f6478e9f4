import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { freePort } from '#test/support/free-port.ts';
import { removeFolder, startServer, stopServer, type Server } from '#test/support/server.ts';
import { attributeOf, openTraceCollector } from '#test/support/trace-collector.ts';
import { until } from '#test/support/until.ts';
import { made, openBook, posted, transfer, type Book } from './books.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const sent = (traceId: string, flags = '01') => `00-${traceId}-${PARENT_ID}-${flags}`;

describe('spans', function () {
  this.timeout(60_000);
  let collector: Awaited<ReturnType<typeof openTraceCollector>>;
  let receiver: HttpServer;
  let server: Server;
  let book: Book;
  const client = clientOf(() => server);
  const transfers = () => `${book.at}/transactions/json`;
  const body = (value: string) => transfer('@alice', '@bob', value);
  const received: unknown[] = [];

  before(async () => {
    collector = await openTraceCollector();
    receiver = createServer((request, response) => {
      received.push(request.headers['traceparent']);
      request.resume().on('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    server = await startServer({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
        OTEL_SERVICE_NAME: 'bank',
        ...{ STREAMING_ENABLED: 'true', STREAMING_CLOUDEVENTS_SOURCE: 'quipu.ledger' },
        DELIVERY_ALLOWED_CIDRS: '127.0.0.0/8',
      },
    });
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '500' } });
    await made(client, '/v1/subscriptions', {
      name: 'Traced',
      target: { kind: 'webhook', url: `http://127.0.0.1:${port}/` },
      format: 'binary',
      filters: { types: ['transaction.posted'] },
    });
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
    receiver.closeAllConnections();
    receiver.close();
    collector.close();
  });

  const spansOf = (traceId: string) =>
    collector.spans.filter(({ span }) => span.traceId === traceId);
  const namesOf = (traceId: string) => spansOf(traceId).map(({ span }) => span.name);

  it('show the request, its decision, append and projection, and what is published', async () => {
    const trace = { traceparent: sent(TRACE_ID), tracestate: 'rojo=1' };
    const reply = await client.post(transfers(), body('1'), { ...trace, 'X-Request-Id': 'r1' });
    expect(reply.status, reply.text).to.equal(201);
    const route = 'POST /v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions/json';
    /** Without the requests that were asked to come again, as on a busy machine. */
    const spans = () =>
      spansOf(TRACE_ID).filter(
        ({ span }) =>
          span.name !== route || Number(attributeOf(span, 'http.response.status_code')) === 201,
      );
    await until(() => spans().length >= 5, 20_000, 'five spans');
    const all = spans();
    const byName = new Map(all.map((one) => [one.span.name, one]));
    expect(all.map(({ role, span }) => `${String(role)}: ${span.name}`).sort()).to.deep.equal(
      [
        `api: ${route}`,
        'api: append',
        'api: decide',
        'delivery: publish',
        'projector: project',
      ].sort(),
    );
    const { span: request } = byName.get(route)!;
    expect(request).to.include({ parentSpanId: PARENT_ID, traceState: 'rojo=1', kind: 2 });
    expect(attributeOf(request, 'quipu.request_id')).to.equal('r1');
    expect(Number(attributeOf(request, 'http.response.status_code'))).to.equal(201);
    expect(attributeOf(request, 'http.route')).to.equal(route.slice('POST '.length));
    const context = `00-${TRACE_ID}-${request.spanId}-01`;
    expect(reply.headers).to.include({ traceparent: context, tracestate: 'rojo=1' });
    expect(received).to.deep.equal([context]);
    for (const { span, service } of all) {
      expect(service).to.equal('bank');
      const fromNanos = BigInt(span.startTimeUnixNano);
      expect(fromNanos >= BigInt(request.startTimeUnixNano) - 5_000_000n, span.name).to.equal(true);
      expect(BigInt(span.endTimeUnixNano) >= fromNanos, span.name).to.equal(true);
      if (span !== request) expect(span.parentSpanId, span.name).to.equal(request.spanId);
    }
    expect(collector.headers[0]).to.include({ 'x-key': 'a b' });
  });

  it('begin a trace where the client has none, and follow one that is not sampled without a span', async () => {
    const { headers } = await client.post(transfers(), body('1'));
    const [, traceId = ''] =
      /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(String(headers['traceparent'])) ?? [];
    await until(() => spansOf(traceId).length >= 5, 20_000, 'five spans of a new trace');
    const silent = 'a'.repeat(32);
    const unsampled = await client.post(transfers(), body('1'), {
      traceparent: sent(silent, '00'),
    });
    expect(unsampled.headers['traceparent']).to.match(new RegExp(`^00-${silent}-[0-9a-f]{16}-00$`));
    const last = 'b'.repeat(32);
    await client.post(transfers(), body('1'), { traceparent: sent(last) });
    await until(() => spansOf(last).length >= 5, 20_000, 'five spans of a later trace');
    expect(namesOf(silent)).to.deep.equal([]);
  });

  it('show a refusal without events, and no probe', async () => {
    const traceId = 'c'.repeat(32);
    const refused = await client.post(transfers(), body('9999'), { traceparent: sent(traceId) });
    expect(refused.status).to.equal(422);
    await client.get('/health', { traceparent: sent('d'.repeat(32)) });
    await until(() => spansOf(traceId).length >= 2, 20_000, 'two spans');
    const decision = spansOf(traceId).find(({ span }) => span.name === 'decide');
    expect(decision?.span.status.code).to.equal(2);
    expect(namesOf(traceId)).to.have.length(2);
    expect(namesOf('d'.repeat(32))).to.deep.equal([]);
  });

  it('hold nothing up when the collector is not there, and the log says so', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` };
    const alone = await startServer({ env });
    const other = clientOf(() => alone);
    const at = await openBook(other, { accounts: ['@bob'], funds: { '@alice': '500' } });
    await posted(other, at.at, body('1'));
    const warned = () => alone.output().includes('Spans cannot be exported');
    await until(warned, 20_000, 'a warning');
    other.close();
    expect(await stopServer(alone)).to.equal(0);
    removeFolder(alone.dataDir);
  });

  it('load nothing without a collector', async () => {
    // The API alone is loaded by the library of the metrics.
    const tell =
      'import { registerHooks } from "node:module"; registerHooks({ resolve(name, context, next) {' +
      ' if (/opentelemetry.(sdk|exporter)/.test(name)) console.error("LOADED " + name); return next(name, context); } });';
    const hook = `--import=data:text/javascript,${encodeURIComponent(tell)}`;
    for (const [env, isLoaded] of [
      [{}, false],
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }, true],
    ] as const) {
      const bare = await startServer({ env: { ...env, NODE_OPTIONS: hook } });
      expect(await stopServer(bare)).to.equal(0);
      removeFolder(bare.dataDir);
      expect(bare.output().includes('LOADED')).to.equal(isLoaded);
    }
  });
});
