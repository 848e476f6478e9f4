import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can be broken: what befalls it befalls everyone who goes by it. */
export type Proxy = Readonly<{
  port: number;
  /** Connections there are break, and new ones are refused. */
  cut(): void;
  /** Connections stay, new ones are taken, and nothing comes through. */
  hang(): void;
  /** All is well for whoever connects from now on. */
  heal(): void;
  /** Breaks the connections there are, once. */
  shake(): void;
  close(): Promise<void>;
}>;

export async function openProxy(host: string, port: number): Promise<Proxy> {
  let mode: 'open' | 'cut' | 'hang' = 'open';
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const shake = () => {
    for (const socket of sockets) socket.destroy();
  };

  const server = createServer((near) => {
    keep(near);
    if (mode === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(port, host);
    keep(far);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (data) => {
        if (mode !== 'hang') to.write(data);
      });
      from.on('close', () => to.destroy());
    };
    pass(near, far);
    pass(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      mode = 'cut';
      shake();
    },
    hang() {
      mode = 'hang';
    },
    heal() {
      mode = 'open';
      shake(); // What hung lost bytes.
    },
    shake,
    async close() {
      shake();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
