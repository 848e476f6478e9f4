import { randomUUID } from 'node:crypto';
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect, type ChannelModel, type ConsumeMessage } from 'amqplib';

/** Where a RabbitMQ is; without one these suites are pending, or fail where it must be there. */
export const AMQP_URL = process.env['AMQP_URL'] ?? '';

/** `describe` where there is a RabbitMQ. */
export function describeOnRabbit(title: string, suite: () => void): void {
  if (AMQP_URL !== '') {
    describe(title, function () {
      this.timeout(180_000);
      suite();
    });
  } else if (process.env['REQUIRE_ENGINES'] === '1') {
    it(title, () => {
      throw new Error('AMQP_URL is not set');
    });
  } else {
    describe.skip(title, suite);
  }
}

/** An exchange nobody else has, with what operations would have made of it: queues, and a consumer. */
export async function newExchange() {
  const exchange = `test-${randomUUID().slice(0, 8)}`;
  const connection: ChannelModel = await connect(AMQP_URL);
  const channel = await connection.createChannel();
  for (const name of [exchange, `${exchange}.dlx`]) {
    await channel.assertExchange(name, 'topic', { durable: true });
  }
  return {
    exchange,
    channel,
    /** A queue for a pattern of event keys; `received` is filled as messages come. */
    async queue(pattern: string, of = exchange, settings: object = {}) {
      const received: ConsumeMessage[] = [];
      const { queue } = await channel.assertQueue('', { exclusive: true, ...settings });
      await channel.bindQueue(queue, of, pattern);
      const receive = () =>
        channel.consume(queue, (message) => message && received.push(message), { noAck: true });
      return { queue, received, receive };
    },
    async remove() {
      await channel.deleteExchange(exchange);
      await channel.deleteExchange(`${exchange}.dlx`);
      await connection.close();
    },
  };
}

/** A way to the broker that can be cut; it listens at an address of this machine. */
export async function cuttable(url: string, listensAt = '127.0.0.1') {
  const broker = new URL(url);
  const sockets = new Set<Socket>();
  let passes = true;
  const server = createServer((near) => {
    if (!passes) {
      near.destroy();
      return;
    }
    const far = connectTcp(Number(broker.port), broker.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, listensAt, resolve));
  const through = new URL(url);
  through.host = `${listensAt}:${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    cut() {
      passes = false;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      passes = true;
    },
    async close() {
      this.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Waits for a condition. */
export async function until(holds: () => boolean, withinMs = 30_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('It does not come to that');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
