import { connect, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';
import type { AddressGuard } from '#src/adapters/network/address-guard.ts';

/**
 * Opens sockets only to addresses that the guard allows: a broker names the other brokers of its cluster, and the driver
 * connects to whatever it names. `onBytes` reports what was received; a socket ends when it returns false.
 */
export const guardedSockets =
  (
    guard: AddressGuard,
    isEncrypted: boolean,
    onBytes: (bytes: number) => boolean,
  ): ISocketFactory =>
  ({ host, port, onConnect }) => {
    const socket = opened();
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on('data', (chunk: Buffer) => {
      if (!onBytes(chunk.length)) socket.destroy(new Error('The broker sends too much'));
    });
    return socket;

    function opened(): Socket {
      try {
        guard.checkHost(host, isEncrypted);
      } catch (error) {
        return new Socket().destroy(error as Error); // The driver listens for errors of the socket.
      }
      const options = { host, port, lookup: guard.lookupFor(isEncrypted) };
      if (!isEncrypted) return connect(options, onConnect);
      const servername = isIP(host) === 0 ? { servername: host } : {};
      return connectTls({ ...options, ...servername, rejectUnauthorized: true }, onConnect);
    }
  };

const KEEP_ALIVE_MS = 60_000;
