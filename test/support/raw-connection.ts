import { connect, type Socket } from 'node:net';

/** A TCP connection that sends what a test writes, whether or not that is HTTP. */
export type RawConnection = Readonly<{
  socket: Socket;
  /** All that came back so far. */
  received: () => string;
  /** Resolves with all that came back once the server has closed the connection, or broken it. */
  closed: Promise<string>;
}>;

/** `allowHalfOpen` keeps our own side open after the server's end, as a client that does not care would. */
export function rawConnection(
  port: number,
  bytes: string | Buffer = '',
  { allowHalfOpen = false } = {},
): RawConnection {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => (received += text));
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on('error', () => undefined); // It closes then.
  socket.on('close', () => resolve(received));
  if (bytes.length > 0) socket.write(bytes);
  return { socket, received: () => received, closed: promise };
}

/** The status codes in what came back, in their order. */
export const statusesIn = (received: string): number[] =>
  Array.from(received.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status));
