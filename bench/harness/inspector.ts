import type { Server } from './product.ts';

/** Bytes that live after a full collection, in the main thread: JavaScript heap and buffers behind it. */
export type LiveHeap = Readonly<{ used: number; buffers: number }>;

/** Flag with which a server is started so that its heap can be measured from outside. */
export const INSPECTABLE = '--inspect=127.0.0.1:0';

/**
 * Collects garbage in the server and measures what is left. Without the collection a heap figure says more
 * about when the collector last ran than about what the program keeps.
 */
export async function liveHeap(server: Server, address: string): Promise<LiveHeap> {
  const socket = new WebSocket(address);
  await opened(socket, server);
  try {
    await call(socket, 'HeapProfiler.collectGarbage');
    await call(socket, 'HeapProfiler.collectGarbage');
    const usage = await call(socket, 'Runtime.getHeapUsage');
    return { used: usage['usedSize'] ?? 0, buffers: usage['backingStorageSize'] ?? 0 };
  } finally {
    socket.close();
  }
}

/** Where the server's inspector listens; it says so when it starts. */
export function inspectorOf(server: Server): string {
  const address = /ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]+/.exec(server.output())?.[0];
  if (address === undefined) throw new Error('The server was not started inspectable.');
  return address;
}

async function opened(socket: WebSocket, server: Server): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  socket.addEventListener('open', () => resolve(undefined), { once: true });
  socket.addEventListener('error', () => reject(new Error(`No inspector in ${server.pid}`)), {
    once: true,
  });
  await promise;
}

type Reply = Readonly<{ id?: number; result?: Readonly<Record<string, number>> }>;

let lastCall = 0;

async function call(socket: WebSocket, method: string): Promise<Readonly<Record<string, number>>> {
  lastCall += 1;
  const id = lastCall;
  const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, number>>>();
  const listen = ({ data }: MessageEvent): void => {
    const reply = JSON.parse(String(data)) as Reply;
    if (reply.id === id) resolve(reply.result ?? {});
  };
  socket.addEventListener('message', listen);
  const timer = setTimeout(() => reject(new Error(`${method} took too long`)), CALL_MS);
  socket.send(JSON.stringify({ id, method }));
  const result = await promise;
  clearTimeout(timer);
  socket.removeEventListener('message', listen);
  return result;
}

const CALL_MS = 120_000;
