import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A fault that a client may meet: the connection breaks before the request was carried out, after it, or within its response;
 * or the server sends a status, before or after it carried the request out.
 */
export type Fault =
  | 'lost-request'
  | 'lost-response'
  | 'half-response'
  | Readonly<{ status: number; retryAfter?: string; carriedOut?: boolean }>;

export type SeenRequest = Readonly<{
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  atMs: number;
}>;

export type MisbehavingServer = Readonly<{
  url: string;
  seen: SeenRequest[];
  /** Decides on each request; undefined carries it out as usual. */
  behave: (fault: (request: SeenRequest) => Fault | undefined) => void;
  stop: () => Promise<void>;
}>;

/** A real HTTP server in front of a real one, for all tests of the block it is called in. */
export function misbehavingServerOfBlock(
  behind: () => Readonly<{ port: number }>,
): () => MisbehavingServer {
  let server: MisbehavingServer | undefined;
  before(async () => {
    server = await startMisbehavingServer(behind);
  });
  beforeEach(() => {
    server?.behave(() => undefined);
    server?.seen.splice(0);
  });
  after(() => server?.stop());
  return () => server!;
}

async function startMisbehavingServer(
  behind: () => Readonly<{ port: number }>,
): Promise<MisbehavingServer> {
  const seen: SeenRequest[] = [];
  let decide: (request: SeenRequest) => Fault | undefined = () => undefined;

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', () => response.destroy());
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming;
      const body = Buffer.concat(chunks).toString();
      const one = { method, path, headers, body, atMs: performance.now() };
      seen.push(one);
      const fault = decide(one);
      const isHidden = typeof fault === 'object' && fault.carriedOut !== true;
      if (fault === 'lost-request') response.destroy();
      else if (isHidden) refuse(response, fault);
      else forward(one, behind().port, response, fault);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    behave: (fault) => (decide = fault),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function forward(
  { method, path, headers, body }: SeenRequest,
  port: number,
  response: ServerResponse,
  fault: Fault | undefined,
): void {
  const { host: _, connection: _own, ...kept } = headers;
  const to = { host: '127.0.0.1', port, method, path, headers: kept };
  const sending = request(to, (reply) => {
    const chunks: Buffer[] = [];
    reply.on('data', (chunk: Buffer) => chunks.push(chunk));
    reply.on('error', () => response.destroy());
    reply.on('end', () => {
      const bytes = Buffer.concat(chunks);
      if (fault === 'lost-response') response.destroy();
      else if (typeof fault === 'object') refuse(response, fault);
      else {
        response.writeHead(reply.statusCode ?? 0, reply.headers);
        if (fault === undefined) response.end(bytes);
        else response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      }
    });
  });
  sending.on('error', () => response.destroy());
  sending.end(body);
}

function refuse(response: ServerResponse, { status, retryAfter }: Exclude<Fault, string>): void {
  response.writeHead(status, retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
  response.end();
}
