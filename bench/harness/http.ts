import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export type HttpAnswer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}>;

export type HttpRequest = Readonly<{
  method: 'GET' | 'POST';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}>;

/** One request, for setting up and checking; the measured ones go through the load generator. */
export async function ask(port: number, asked: HttpRequest): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const { method, path, body } = asked;
  const typed = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const headers = { ...typed, ...asked.headers };
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.once('error', reject);
    answer.once('end', () => {
      const text = Buffer.concat(chunks).toString();
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
    });
  });
  sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error(`No answer to ${method} ${path}`)));
  sent.once('error', reject);
  sent.end(body);
  return promise;
}

/** The same until the server is no longer too busy for it, or not yet there; bounded. */
export async function askUntil(
  port: number,
  wanted: number,
  asked: HttpRequest,
  { everyMs = 100, limitMs = 120_000 } = {},
): Promise<HttpAnswer> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const said = await ask(port, asked).catch((error: unknown) => String(error));
    if (typeof said !== 'string' && said.status === wanted) return said;
    const away = typeof said === 'string' || said.status === 429 || said.status === 503;
    if (!away || performance.now() > deadline) {
      const what = typeof said === 'string' ? said : `${said.status} ${said.text.slice(0, 500)}`;
      throw new Error(`${asked.method} ${asked.path} answered ${what}, not ${wanted}`);
    }
    await sleep(everyMs);
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
const TIMEOUT_MS = 60_000;
