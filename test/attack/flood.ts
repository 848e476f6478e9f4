import { once } from 'node:events';
import type { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { rawConnection, statusesIn, type RawConnection } from '#test/support/raw-connection.ts';

/* A thread of its own, so that sending does not delay the clients beside it. */

export type Flood = Readonly<{
  port: number;
  connections: number;
  head: string;
  /** Sent by every connection after the head, which may announce more. */
  bodyBytes: number;
}>;

/** What the first reply on each connection was, as far as there is one. */
export type Flooded = Readonly<{ statuses: readonly (number | undefined)[]; sample: string }>;

const { port, connections, head, bodyBytes } = workerData as Flood;
const piece = Buffer.alloc(256 * 1024, ' ');

const flooded = await Promise.all(
  Array.from({ length: connections }, async () => {
    const connection = rawConnection(port, head);
    await sendAll(connection, bodyBytes);
    return connection;
  }),
);
await new Promise((resolve) => setTimeout(resolve, 500)); // The last replies may be under way.
const received = flooded.map((connection) => connection.received());
const told: Flooded = {
  statuses: received.map((text) => statusesIn(text)[0]),
  sample: received.find((text) => text !== '') ?? '',
};
parentPort?.postMessage(told);
await once(parentPort!, 'message'); // Until then the connections stay open.
for (const { socket } of flooded) socket.destroy();

/** Sends so many bytes as fast as the other side takes them, or until it ends the connection. */
async function sendAll({ socket }: RawConnection, bytes: number): Promise<void> {
  for (let left = bytes; left > 0 && !socket.destroyed; left -= piece.length) {
    const part = left < piece.length ? piece.subarray(0, left) : piece;
    if (!socket.write(part)) await goesOn(socket);
  }
}

function goesOn(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      socket.off('drain', go).off('close', go);
      resolve();
    };
    socket.on('drain', go).on('close', go);
  });
}
