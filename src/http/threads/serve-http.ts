import type { Server } from 'node:http';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { boundConnections } from '#src/http/connections.ts';
import { closed, createHttpServer, listening, type ServerRules } from '#src/http/http-server.ts';
import type { Ids } from '#src/ports/ids.ts';
import { silentLog } from '#src/ports/log.ts';
import { QueueReader, QueueWriter, type Frame } from './frame-queue.ts';
import { Handover, type HandoverContext } from './handover.ts';
import {
  WAKE,
  type HttpThreadData,
  type ListenRequest,
  type ThreadAnswer,
  type ThreadOrder,
} from './protocol.ts';

/** Serves connections in the calling thread, and hands their requests over to the main thread. */
export function serveHttp(ids: Pick<Ids, 'next'>): void {
  if (parentPort === null) throw new Error('Connections are served by a worker thread');
  const thread = new ConnectionThread(workerData as HttpThreadData, parentPort, ids);
  parentPort.on('message', (message: ThreadOrder) => {
    if (message === WAKE) thread.read();
    else if (message === 'close') void thread.close();
    else void thread.listen(message);
  });
}

class ConnectionThread implements HandoverContext {
  private readonly port: MessagePort;
  private readonly rules: ServerRules;
  private readonly reader: QueueReader;
  private readonly writer: QueueWriter;
  private readonly servers: Server[] = [];
  private readonly handovers: (Handover | undefined)[] = [];
  private readonly freeSlots: number[] = [];
  private serial = 0;
  /** Requests of this turn, which are handed over at its end with what has arrived of their bodies by then. */
  private fresh: Handover[] = [];
  private flushes = false;
  readonly unsent = new Set<Handover>();
  private readonly checking: NodeJS.Timeout;

  constructor(data: HttpThreadData, port: MessagePort, ids: Pick<Ids, 'next'>) {
    const { timeouts, connectionsMax, connections } = data;
    const problems = { ...data.codes, ids, log: silentLog }; // Refusals alone, of which the log says nothing.
    this.port = port;
    this.rules = {
      ...{ timeouts, problems },
      bound: boundConnections(connectionsMax, problems, connections),
    };
    const wake = (): void => this.say(WAKE);
    this.reader = new QueueReader(data.toThread, wake);
    this.writer = new QueueWriter(data.toMain, wake);
    this.checking = setInterval(() => {
      for (const handover of this.unsent) handover.check();
    }, timeouts.checkMs).unref();
    this.read();
  }

  async listen({ listener, port, host, isShared }: ListenRequest): Promise<void> {
    const server = createHttpServer((request, response, connection) => {
      const slot = this.freeSlots.pop() ?? this.handovers.length;
      const place = { slot, serial: (this.serial = (this.serial + 1) | 0), listener };
      const handover = new Handover(place, request, response, connection, this);
      this.handovers[slot] = handover;
      this.fresh.push(handover);
      this.flushSoon();
    }, this.rules);
    try {
      const address = await listening(server, { port, host, reusePort: isShared });
      this.servers.push(server);
      this.say({ address });
    } catch (error) {
      this.say({ error: error as Error });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => closed(server, this.rules.timeouts.closeMs)));
    clearInterval(this.checking);
    this.writer.flush();
    this.port.close();
  }

  readonly read = (): void => {
    const isMore = this.reader.read((frame) => {
      const handover = this.handovers[frame.slot];
      if (handover?.serial === frame.serial) handover.obey(frame); // Else its connection is closed.
    });
    if (isMore) setImmediate(this.read);
  };

  /** Waits for the main thread if it is far behind: clients wait then, too. */
  write = (frame: Frame, isQuiet = false): void => {
    while (!this.writer.write(frame)) this.writer.waitForRoom();
    if (!isQuiet) this.flushSoon();
  };

  free = ({ slot }: Handover): void => {
    this.handovers[slot] = undefined;
    this.freeSlots.push(slot);
  };

  /** Hands over, after everything that has arrived on the sockets, and wakes the main thread once. */
  private flushSoon(): void {
    if (this.flushes) return;
    this.flushes = true;
    setImmediate(() => {
      this.flushes = false;
      const { fresh } = this;
      this.fresh = [];
      for (const handover of fresh) handover.announce();
      this.writer.flush();
    });
  }

  private say(answer: ThreadAnswer): void {
    this.port.postMessage(answer);
  }
}
