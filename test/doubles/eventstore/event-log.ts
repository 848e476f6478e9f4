import { LogFile } from './log-file.ts';
import { HEAD_BYTES, writeRecord, type Trailer } from './record.ts';
import { eventBytes, idOf } from './wire.ts';

/** An event before it has a place. */
export type Proposed = Readonly<{
  id: string;
  type: string;
  contentType: string;
  data: Uint8Array;
  metadata: Uint8Array;
}>;

/** Where an event lies. Positions are bytes of the file: they grow, and never by one. */
export type Entry = Readonly<{
  position: number;
  length: number;
  stream: string;
  type: string;
  revision: number;
}>;

export type Stream = {
  events: Entry[];
  /** Events below this revision are gone for readers. */
  from: number;
  removed: 'deleted' | 'tombstoned' | undefined;
};

/** All events with their places in memory and their bytes in the file. */
export class EventLog {
  readonly #file: LogFile;
  readonly #streams: Map<string, Stream>;
  /** In the order of their positions; the last ones may not be durable yet. */
  readonly #all: Entry[];
  #durableCount: number;
  /** First ids of the appends on their way to the disk. */
  readonly #pending = new Set<string>();
  readonly #listeners = new Set<() => void>();

  private constructor(file: LogFile, streams: Map<string, Stream>, all: Entry[]) {
    this.#file = file;
    this.#streams = streams;
    this.#all = all;
    this.#durableCount = all.length;
  }

  static async open(dir: string): Promise<EventLog> {
    const streams = new Map<string, Stream>();
    const all: Entry[] = [];
    const file = await LogFile.open(dir, (trailer, at) => enter(streams, all, trailer, at));
    return new EventLog(file, streams, all);
  }

  stream(name: string): Stream | undefined {
    return this.#streams.get(name);
  }

  /** Every durable event, in order. */
  get count(): number {
    return this.#durableCount;
  }
  entry(n: number): Entry | undefined {
    return n < this.#durableCount ? this.#all[n] : undefined;
  }
  isDurable({ position }: Entry): boolean {
    return position < this.#file.durable;
  }

  /** Whether an append that begins with this event is on its way. */
  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  /** The number of the first durable event whose position is at least this. */
  numberAt(position: bigint): number {
    let [low, high] = [0, this.#durableCount];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (BigInt(this.#all[middle]?.position ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The events as they are served. */
  bytes({ position, length }: Entry): Buffer {
    return this.#file.read(position, length);
  }

  idOf(entry: Entry): string {
    return idOf(this.bytes(entry));
  }

  /** Writes events behind a stream's last one, whatever a caller expected; answers the last one when durable. */
  async append(
    stream: string,
    events: readonly Proposed[],
    removes?: Trailer['removes'],
  ): Promise<Entry> {
    const first = this.#streams.get(stream)?.events.length ?? 0;
    const at = this.#file.end;
    const created = Date.now();
    let position = at + HEAD_BYTES;
    const bytes = events.map((event, n) => {
      const encoded = eventBytes(event, { stream, revision: first + n, position, created });
      position += encoded.length;
      return encoded;
    });
    const trailer = {
      stream,
      first,
      events: events.map(({ id, type }, n) => ({ id, type, length: bytes[n]?.length ?? 0 })),
      ...(removes !== undefined && { removes }),
    };
    enter(this.#streams, this.#all, trailer, at);
    const last = this.#all.at(-1);
    if (last === undefined) throw new Error('A commit needs an event');
    const through = this.#all.length;
    const firstId = events[0]?.id ?? '';
    this.#pending.add(firstId);
    await this.#file.append(writeRecord(bytes, trailer));
    this.#pending.delete(firstId);
    this.#durableCount = Math.max(this.#durableCount, through);
    for (const listener of this.#listeners) listener();
    return last;
  }

  /** Told when there is more to read. */
  onGrown(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

function enter(
  streams: Map<string, Stream>,
  all: Entry[],
  { stream: name, first, events, removes }: Trailer,
  at: number,
): void {
  const stream = streams.get(name) ?? { events: [], from: 0, removed: undefined };
  streams.set(name, stream);
  stream.removed = undefined;
  let position = at + HEAD_BYTES;
  events.forEach(({ type, length }, n) => {
    const entry = { position, length, stream: name, type, revision: first + n };
    stream.events.push(entry);
    all.push(entry);
    position += length;
  });
  const removed = removes && streams.get(removes.stream);
  if (removes === undefined || removed === undefined) return;
  removed.removed = removes.how;
  removed.from = removed.events.length;
}
