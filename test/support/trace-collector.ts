import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP names its members, in JSON. */
export type CollectedSpan = Readonly<{
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: Readonly<{ code: number }>;
  attributes: readonly Readonly<{ key: string; value: Readonly<Record<string, unknown>> }>[];
}>;

export type CollectedRole = Readonly<{ role: unknown; service: unknown; span: CollectedSpan }>;

type Export = Readonly<{
  resourceSpans: readonly Readonly<{
    resource: Pick<CollectedSpan, 'attributes'>;
    scopeSpans: readonly Readonly<{ spans: readonly CollectedSpan[] }>[];
  }>[];
}>;

/** A collector double: takes what is exported over HTTP, and keeps it. */
export async function openTraceCollector() {
  const spans: CollectedRole[] = [];
  const headers: Readonly<Record<string, unknown>>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url !== '/v1/traces') {
        response.writeHead(404).end();
        return;
      }
      headers.push(request.headers);
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as Export;
      for (const { resource, scopeSpans } of resourceSpans) {
        const of = (name: string) => attributeOf(resource, name);
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          spans.push({ role: of('quipu.role'), service: of('service.name'), span });
        }
      }
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans: spans as readonly CollectedRole[],
    headers: headers as readonly Readonly<Record<string, unknown>>[],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const attributeOf = (
  { attributes }: Pick<CollectedSpan, 'attributes'>,
  name: string,
): unknown => Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];
