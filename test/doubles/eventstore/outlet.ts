import type { ServerWritableStream, StatusObject } from '@grpc/grpc-js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';

/** A message, or one that is encoded already. */
export type Served = ReadResp | Buffer;

/** The way back to a reader, no faster than it takes. */
export class Outlet {
  readonly #call: ServerWritableStream<ReadReq, Served>;
  readonly #gone = Promise.withResolvers<undefined>();
  #isGone = false;

  constructor(call: ServerWritableStream<ReadReq, Served>) {
    this.#call = call;
    const leave = (): void => {
      this.#isGone = true;
      this.#gone.resolve(undefined);
    };
    call.on('cancelled', leave);
    call.on('error', leave);
    call.on('close', leave);
  }

  /** Resolves when nobody reads any more. */
  get gone(): Promise<unknown> {
    return this.#gone.promise;
  }
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Resolves when there is room for more: true; or nobody reads any more: false. */
  async write(message: Served): Promise<boolean> {
    if (this.#isGone) return false;
    if (!this.#call.write(message)) {
      const drained = new Promise<void>((resolve) => this.#call.once('drain', resolve));
      await Promise.race([drained, this.gone]);
    }
    return !this.#isGone;
  }

  fail(error: Partial<StatusObject>): void {
    if (!this.#isGone) this.#call.emit('error', error);
  }

  end(): void {
    if (!this.#isGone) this.#call.end();
  }
}
