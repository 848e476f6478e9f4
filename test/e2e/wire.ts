import { connect, type Socket } from 'node:net';

/** One connection that speaks just enough HTTP for a load of equal requests: one at a time, kept open. */
export type Wire = Readonly<{
  /** Sends the bytes of a whole request; answers status line, headers and body as they came. */
  ask: (request: string) => Promise<WireAnswer>;
  close: () => void;
}>;

export type WireAnswer = Readonly<{ status: number; head: string; text: string }>;

export async function wireTo(port: number): Promise<Wire> {
  const socket: Socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let waiting: PromiseWithResolvers<WireAnswer> | undefined;
  let heard: Buffer = Buffer.alloc(0);

  socket.on('data', (chunk: Buffer) => {
    heard = heard.length === 0 ? chunk : Buffer.concat([heard, chunk]);
    const end = heard.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = heard.toString('latin1', 0, end);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1]);
    if (heard.length < end + 4 + length) return;
    const text = heard.toString('utf8', end + 4, end + 4 + length);
    heard = heard.subarray(end + 4 + length);
    waiting?.resolve({ status: Number(head.slice(9, 12)), head, text });
  });
  const lost = (error?: Error) => waiting?.reject(error ?? new Error('The connection was closed'));
  socket.on('error', lost);
  socket.on('close', () => lost());
  await new Promise<void>((resolve) => socket.once('connect', resolve));

  return {
    ask(request) {
      waiting = Promise.withResolvers<WireAnswer>();
      socket.write(request);
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}
