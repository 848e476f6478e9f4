import { connect, type TLSSocket } from 'node:tls';
import { batchPerTurn } from '#src/adapters/threads/batch-per-turn.ts';
import { PendingCalls } from '#src/adapters/threads/pending-calls.ts';
import { Ambiguous } from '#src/ports/errors.ts';
import { NotSent, PeerLost, type Peer } from '#src/ports/peers.ts';
import { BEAT, FRAME_BYTES_MAX, framesOf, onMessages } from './frames.ts';
import { messageText, valueOf, type NumberedMessage } from './messages.ts';
import { PSK_IDENTITY, PSK_TLS } from './psk.ts';

export type PeerAddress = Readonly<{ host: string; port: number }>;

type LinkOptions = Readonly<{
  address: PeerAddress;
  /** The process that must answer there; an address may have a new owner. */
  id: string;
  key: Uint8Array;
  /** Called when the link becomes ready, and when it accepts nothing more. */
  onChange: () => void;
  /** The time without a sign of life after which the peer counts as lost, in milliseconds. */
  silenceMs?: number;
  answerWithinMs?: number;
}>;

/** A connection to a peer, from the attempt to connect until it is lost. It does not reconnect. */
export class PeerLink implements Peer {
  readonly #socket: TLSSocket;
  readonly #options: LinkOptions;
  readonly #calls: PendingCalls<number, undefined, unknown>;
  readonly #send: (text: string) => void;
  readonly #beating: NodeJS.Timeout;
  #number = 0;
  #state: 'connecting' | 'ready' | 'leaving' | 'lost' = 'connecting';
  #heardMs = performance.now();
  #beatMs = performance.now();

  constructor(options: LinkOptions) {
    const { address, key, answerWithinMs = ANSWER_WITHIN_MS } = options;
    this.#options = options;
    const late = (): Error => new Ambiguous(`A peer did not answer in ${answerWithinMs} ms`);
    this.#calls = new PendingCalls({ withinMs: answerWithinMs, late });
    this.#socket = connect({
      ...address,
      ...PSK_TLS,
      pskCallback: () => ({ psk: key, identity: PSK_IDENTITY }),
      checkServerIdentity: () => undefined, // The key is the identity.
    });
    this.#socket.on('data', () => (this.#heardMs = performance.now()));
    onMessages(this.#socket, (message) => {
      this.#take(message);
    });
    this.#socket.on('close', () => {
      this.#lose();
    });
    this.#send = batchPerTurn((texts) => {
      for (const frame of framesOf(texts)) this.#socket.write(frame);
    }, setImmediate);
    this.#beating = setInterval(() => {
      this.#beat();
    }, BEAT_MS).unref();
  }

  /** It can be asked. */
  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** It accepts no more questions, but still answers, and then ends the connection. */
  get isLeaving(): boolean {
    return this.#state === 'leaving';
  }

  get isLost(): boolean {
    return this.#state === 'lost';
  }

  async ask(question: object): Promise<unknown> {
    if (this.#state !== 'ready') throw new NotSent('The peer is not connected');
    const text = messageText((this.#number += 1), question);
    if (text.length > QUESTION_LENGTH_MAX) throw new NotSent('The question is too long');
    const isBusy =
      this.#calls.size >= PENDING_MAX || this.#socket.writableLength > BUFFERED_BYTES_MAX;
    if (isBusy) throw new NotSent('Too much waits for the peer', true);
    this.#send(text);
    return this.#calls.add(this.#number, undefined);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(message: unknown): void {
    if (Array.isArray(message)) {
      for (const answer of message as NumberedMessage[]) {
        this.#calls.take(answer[0])?.resolve(valueOf(answer));
      }
      return;
    }
    const { id, leaving } = message as { id?: string; leaving?: true };
    if (id !== this.#options.id) throw new Error('Another process has the address');
    this.#state = leaving ? 'leaving' : 'ready';
    this.#options.onChange();
  }

  /** Gives the peer up after a silence. A pause of this process itself, which also delays the timer, does not count. */
  #beat(): void {
    const nowMs = performance.now();
    if (nowMs - this.#beatMs > 2 * BEAT_MS) this.#heardMs = nowMs;
    this.#beatMs = nowMs;
    const { silenceMs = SILENCE_MS } = this.#options;
    if (nowMs - this.#heardMs > silenceMs) this.#socket.destroy();
    else if (this.#state !== 'connecting') this.#socket.write(BEAT);
  }

  #lose(): void {
    clearInterval(this.#beating);
    this.#state = 'lost';
    this.#calls.rejectAll(() => new PeerLost('The connection to a peer was lost'));
    this.#options.onChange();
  }
}

const BEAT_MS = 200;
const SILENCE_MS = 1000;
/** Longer than the owner lets a command wait. */
const ANSWER_WITHIN_MS = 8000;
/** A character takes up to three bytes. */
const QUESTION_LENGTH_MAX = FRAME_BYTES_MAX / 4;
const PENDING_MAX = 16_384;
const BUFFERED_BYTES_MAX = 32 * 1024 * 1024;
