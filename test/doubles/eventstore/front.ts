import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Faults } from './faults.ts';

/** Accepts the connections, so that they can be broken and refused. */
export class Front {
  readonly #server: Server;
  readonly #sockets = new Map<string, Socket>();
  readonly #take: (socket: Socket) => void;
  readonly #faults: Faults;
  #port = 0;

  constructor(take: (socket: Socket) => void, faults: Faults) {
    this.#take = take;
    this.#faults = faults;
    faults.on((blow) => {
      if (blow === 'drop connections') this.#dropAll();
    });
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  get port(): number {
    return this.#port;
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Breaks one connection, by the address of its other end. */
  drop(peer: string): void {
    this.#sockets.get(peer)?.resetAndDestroy();
  }

  #dropAll(): void {
    for (const socket of this.#sockets.values()) socket.resetAndDestroy();
  }

  close(): void {
    this.#server.close();
    this.#dropAll();
  }

  #accept(socket: Socket): void {
    if (!this.#faults.now.accepting) {
      socket.resetAndDestroy();
      return;
    }
    socket.setNoDelay(true);
    const peer = `${socket.remoteAddress ?? ''}:${String(socket.remotePort)}`;
    this.#sockets.set(peer, socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(peer));
    this.#take(socket);
  }
}
