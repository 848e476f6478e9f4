import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate as afterTurn, setTimeout as sleep } from 'node:timers/promises';
import { createServer, type TLSSocket } from 'node:tls';
import { batchPerTurn } from '#src/adapters/threads/batch-per-turn.ts';
import type { AnswerPeer } from '#src/ports/peers.ts';
import { BEAT, frameOf, framesOf, onMessages } from './frames.ts';
import { messageText, valueOf, type NumberedMessage } from './messages.ts';
import { PSK_TLS } from './psk.ts';

/** Accepts the connections of peers. */
export type PeerListener = Readonly<{
  port: number;
  /** Tells peers to ask nothing more; what they asked is still answered. */
  leave(): void;
  /** Answers what was asked, for a moment at most, and ends all connections. */
  close(): Promise<void>;
}>;

type PeerListenerOptions = Readonly<{
  host: string;
  port: number;
  /** Identifies this process. */
  id: string;
  key: Uint8Array;
  answer: AnswerPeer;
}>;

/** Answers the questions of processes that have the shared key. Errors: those of listening. */
export async function listenForPeers({
  host,
  port,
  id,
  key,
  answer,
}: PeerListenerOptions): Promise<PeerListener> {
  const sockets = new Set<TLSSocket>();
  const pending = new Set<Promise<object>>();
  const counted: AnswerPeer = (question) => {
    const answering = answer(question).finally(() => pending.delete(answering));
    pending.add(answering);
    return answering;
  };
  let isLeaving = false;
  const greet = (socket: TLSSocket): void => {
    socket.write(frameOf(JSON.stringify({ id, ...(isLeaving && { leaving: true }) })));
  };
  const server = createServer(
    { ...PSK_TLS, pskCallback: () => key, handshakeTimeout: HANDSHAKE_MS },
    (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      serve(socket, counted);
      greet(socket);
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.on('tlsClientError', (_, socket) => socket.destroy()); // A stranger.
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    leave() {
      isLeaving = true;
      sockets.forEach(greet);
    },
    async close() {
      const answered = Promise.allSettled(pending).then(() => afterTurn());
      await Promise.race([answered, sleep(LAST_ANSWERS_MS, undefined, { ref: false })]);
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroySoon();
      await Promise.race([closed, sleep(LAST_ANSWERS_MS, undefined, { ref: false })]);
      for (const socket of sockets) socket.destroy(); // Its peer does not take its last answers.
      await closed;
    },
  };
}

function serve(socket: TLSSocket, answer: AnswerPeer): void {
  let pending = 0;
  const send = batchPerTurn<string>((texts) => {
    for (const frame of framesOf(texts)) if (socket.writable) socket.write(frame);
    settle();
  }, setImmediate);
  /** Reads on only while there is room for what the questions lead to. */
  const settle = (): void => {
    if (pending >= PENDING_MAX || socket.writableLength > BUFFERED_BYTES_MAX) socket.pause();
    else if (socket.isPaused()) socket.resume();
  };
  const respond = async (number: number, question: unknown): Promise<void> => {
    pending += 1;
    const found = await answer(question);
    pending -= 1;
    send(messageText(number, found));
  };
  const take = (message: unknown): void => {
    const questions = message as NumberedMessage[];
    if (questions.length === 0) socket.write(BEAT);
    for (const question of questions) {
      respond(question[0], valueOf(question)).catch(() => socket.destroy());
    }
  };
  onMessages(socket, take);
  socket
    .setTimeout(IDLE_MS, () => socket.destroy())
    .on('data', settle)
    .on('drain', settle);
}

const LAST_ANSWERS_MS = 2000;
const HANDSHAKE_MS = 3000;
const CONNECTIONS_MAX = 256;
/** Peers send a beat several times a second. */
const IDLE_MS = 5000;
const PENDING_MAX = 16_384;
const BUFFERED_BYTES_MAX = 64 * 1024 * 1024;
