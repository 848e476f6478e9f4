import { createServer, type AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { newConnectionCount } from '#src/http/connections.ts';
import type { Exchange } from '#src/http/exchange.ts';
import { listening, type Timeouts } from '#src/http/http-server.ts';
import type { Listener, Serve } from '#src/http/listener.ts';
import type { ProblemCodes } from '#src/http/problem.ts';
import {
  QueueReader,
  QueueWriter,
  newQueueMemory,
  type Frame,
  type ReadFrame,
} from './frame-queue.ts';
import {
  ToMain,
  WAKE,
  type HttpThreadData,
  type ListenRequest,
  type ThreadAnswer,
  type ReplyLine,
  type ThreadOrder,
} from './protocol.ts';
import { ThreadRequest } from './thread-request.ts';
import { ThreadResponse } from './thread-response.ts';

/** The threads that serve connections, and the file that each runs. */
export type HttpThreadSettings = Readonly<{ count: number; entryFile: URL }>;

type HttpThreadsOptions = HttpThreadSettings &
  Readonly<{
    timeouts: Timeouts;
    connectionsMax: number;
    codes: ProblemCodes;
    /** Called when a thread ended by itself: its connections are lost. */
    onFault: (error: Error) => void;
  }>;

/** HTTP threads receive and parse requests and send replies, so that the main thread has only to serve them. */
export type HttpThreads = Readonly<{
  /** Creates a listener whose requests are served in this thread. */
  listener: (serve: Serve) => Listener;
}>;

export function startHttpThreads(options: HttpThreadsOptions): HttpThreads {
  const connections = newConnectionCount();
  const served: Serve[] = [];
  const serve = (n: number): Serve => served[n]!;
  const threads = Array.from(
    { length: options.count },
    () => new HttpThread(options, connections, serve),
  );
  const isShared = threads.length > 1;
  let closing: Promise<unknown> | undefined;

  return {
    listener(serve) {
      const listener = served.push(serve) - 1;
      return {
        async listen(port, host) {
          const free = isShared ? await freeAddress(port, host) : { port };
          let address: AddressInfo | undefined;
          for (const thread of threads) {
            address = await thread.listen({ listener, port: free.port, host, isShared });
          }
          return address!;
        },
        async close() {
          closing ??= Promise.all(threads.map((thread) => thread.close()));
          await closing;
        },
      };
    },
  };
}

/**
 * Finds a free port, or makes sure that one is free. Threads share a port only with those that share it as well, among
 * which could be a program of the same user that was left running. Errors: as `listening`.
 */
async function freeAddress(port: number, host: string): Promise<AddressInfo> {
  const server = createServer();
  const address = await listening(server, { port, host });
  await new Promise((resolve) => server.close(resolve));
  return address;
}

class HttpThread implements ReplyLine {
  private readonly worker: Worker;
  private readonly reader: QueueReader;
  private readonly writer: QueueWriter;
  private readonly serve: (listener: number) => Serve;
  /** The exchanges in progress; the last one stays until its place is used again. */
  private readonly exchanges: (ThreadExchange | undefined)[] = [];
  /** Frames that have no room in the queue, oldest first. */
  private waiting: Frame[] = [];
  private flushes = false;
  private listening: PromiseWithResolvers<AddressInfo> | undefined;
  private isClosing = false;
  private readonly ended = Promise.withResolvers<undefined>();
  private readonly closeMs: number;

  constructor(
    { entryFile, onFault, ...options }: HttpThreadsOptions,
    connections: HttpThreadData['connections'],
    serve: (listener: number) => Serve,
  ) {
    const { timeouts, connectionsMax, codes } = options;
    const queues = { toMain: newQueueMemory(), toThread: newQueueMemory() };
    const workerData: HttpThreadData = { ...queues, connections, connectionsMax, timeouts, codes };
    this.closeMs = timeouts.closeMs;
    this.serve = serve;
    const worker = new Worker(entryFile, { workerData, name: 'http' });
    const wake = (): void => this.post(WAKE);
    this.worker = worker;
    this.reader = new QueueReader(queues.toMain, wake);
    this.writer = new QueueWriter(queues.toThread, wake);
    let cause: unknown;
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => {
      this.ended.resolve(undefined);
      if (this.isClosing) return;
      const error = new Error('An HTTP thread ended', { cause });
      if (this.listening === undefined) onFault(error);
      else this.listening.reject(error);
    });
    worker.on('message', (answer: ThreadAnswer) => {
      if (answer === WAKE) this.wake();
      else if ('error' in answer) this.listening?.reject(answer.error);
      else this.listening?.resolve(answer.address);
    });
    this.read();
  }

  async listen(request: ListenRequest): Promise<AddressInfo> {
    const { promise } = (this.listening = Promise.withResolvers());
    this.post(request);
    try {
      return await promise;
    } finally {
      this.listening = undefined;
    }
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.post('close');
    const terminating = setTimeout(() => void this.worker.terminate(), this.closeMs + GRACE_MS);
    await this.ended.promise;
    clearTimeout(terminating);
  }

  write(frame: Frame): void {
    if (this.waiting.length > 0 || !this.writer.write(frame)) this.waiting.push(frame);
    if (this.flushes) return;
    this.flushes = true;
    setImmediate(this.flush); // After everything else of this turn, since each wake-up costs 4 to 8 µs.
  }

  private readonly flush = (): void => {
    this.flushes = false;
    this.writer.flush();
    if (this.waiting.length > 0) this.sendWaiting();
  };

  /** Sends what has room, and waits for more. */
  private sendWaiting(): void {
    do {
      let sent = 0;
      while (sent < this.waiting.length && this.writer.write(this.waiting[sent]!)) sent += 1;
      if (sent > 0) this.waiting = this.waiting.slice(sent);
    } while (this.waiting.length > 0 && !this.writer.askForRoom());
    this.writer.flush();
  }

  private wake(): void {
    this.read();
    if (this.waiting.length > 0) this.sendWaiting();
  }

  private readonly read = (): void => {
    if (this.reader.read(this.take)) setImmediate(this.read);
  };

  private readonly take = (frame: ReadFrame): void => {
    if (frame.kind === ToMain.request) {
      this.takeRequest(frame);
      return;
    }
    const exchange = this.exchanges[frame.slot];
    if (exchange?.response.serial !== frame.serial) return;
    const { request, response } = exchange;
    switch (frame.kind) {
      case ToMain.body:
        if (frame.bodyLength > 0) request.push(frame.body());
        if (frame.a === 1) request.endBody();
        break;
      case ToMain.sent:
        response.sent(frame.a, frame.b);
        if (response.writableLength > 0) exchange.exchange.watchUnsent();
        break;
      case ToMain.finished:
        response.finished();
        request.dropUnread();
        break;
      case ToMain.aborted:
        request.close();
        response.aborted();
        break;
      case ToMain.idle:
        request.becameIdle();
        break;
      default:
        throw new Error(`An HTTP thread sent a frame of kind ${frame.kind}`);
    }
    if (response.isDone && (request.complete || request.isClosed)) {
      this.exchanges[frame.slot] = undefined;
    }
  };

  private takeRequest(frame: ReadFrame): void {
    const { slot } = frame;
    const response = new ThreadResponse(slot, frame.serial, this);
    const body = { bytes: frame.body(), isWhole: frame.b === 1 };
    const request = new ThreadRequest(frame.text, body, response, this);
    const exchange = this.serve(frame.a)(request, response, request);
    this.exchanges[slot] = { request, response, exchange };
  }

  private post(order: ThreadOrder): void {
    this.worker.postMessage(order);
  }
}

type ThreadExchange = Readonly<{
  request: ThreadRequest;
  response: ThreadResponse;
  exchange: Exchange;
}>;

/** A thread may take this much longer to end than its connections. */
const GRACE_MS = 1000;
