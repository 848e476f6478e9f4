import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Blow, Faults, Switches } from './faults.ts';

/** What is POSTed as JSON: switches to set, or a blow. */
export type Fault = Readonly<Partial<Switches>> | Readonly<{ blow: Blow }>;

/** The fault switches over HTTP, on loopback. Answers once a fault is in force. */
export async function openControl(
  faults: Faults,
  port: number,
): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method === 'POST') {
        const fault = JSON.parse(body) as Fault;
        if ('blow' in fault) faults.strike(fault.blow);
        else faults.set(fault);
      }
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(faults.now));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}
