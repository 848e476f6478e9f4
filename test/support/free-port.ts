import { createServer } from 'node:net';

/**
 * A port on 127.0.0.1 that nobody else is going to take before whoever asks listens there, nor while it is away for a
 * moment: below those from which systems pick one for a connection, and from a block that is this process's own among
 * those that run side by side.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < BLOCK; tried += 1) {
    const port = FIRST + (process.pid % BLOCKS) * BLOCK + (next++ % BLOCK);
    if (await isFree(port)) return port;
  }
  throw new Error('All ports of this process are taken');
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

let next = 0;
const FIRST = 17_000;
const BLOCKS = 80;
const BLOCK = 100;
