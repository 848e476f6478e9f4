import { audit } from '#src/bootstrap/audit.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { START, type Position, type StoredEvent } from '#src/ports/event-store.ts';
import { describeDifference } from '#src/verify/difference.ts';
import { createLogVerifier } from '#src/verify/log.ts';
import type { MemoryLog } from '#test/doubles/memory/log.ts';

/** An event with its texts parsed. */
export type Recorded = Readonly<{
  stored: StoredEvent;
  metadata: EventMetadata;
  data: Readonly<Record<string, unknown>>;
}>;

type Stream = {
  readonly events: Recorded[];
  /** Every use of every idempotency key, in order. */
  readonly keys: Map<string, Recorded[]>;
};

/** Reads the log as it grows and has every event checked by the product's own auditor. */
export class LogOracle {
  readonly #log: MemoryLog;
  readonly #take: (event: Recorded) => void;
  readonly #verifier = createLogVerifier(audit);
  readonly #streams = new Map<string, Stream>();
  #position: Position = START;

  constructor(log: MemoryLog, take: (event: Recorded) => void) {
    this.#log = log;
    this.#take = take;
  }

  /** Takes the events that are new. Throws at the first that is wrong. */
  follow(): void {
    for (const stored of this.#log.readAll(this.#position, 10_000)) {
      const difference = this.#verifier.take(stored.stream, stored);
      if (difference !== undefined) throw new Error(describeDifference(difference));
      const event: Recorded = {
        stored,
        metadata: JSON.parse(stored.metadata) as EventMetadata,
        data: parseData(stored.data) as Record<string, unknown>,
      };
      this.#take(event);
      this.#add(event);
      this.#position = stored.position;
    }
  }

  /** Throws when there are events that the auditor has no rules for. */
  end(): void {
    for (const { journal, unknown } of this.#verifier.summaries()) {
      assertThat(
        unknown.size === 0,
        `${journal} has unknown events: ${[...unknown.keys()].join()}`,
      );
    }
  }

  /** The last revision of a journal; -1 when it does not exist. */
  headOf(journal: string): number {
    return this.eventsOf(journal).length - 1;
  }

  eventAt(journal: string, revision: number): Recorded | undefined {
    return this.eventsOf(journal)[revision];
  }

  eventsOf(journal: string): readonly Recorded[] {
    return this.#streams.get(journal)?.events ?? [];
  }

  usesOf(journal: string, key: string): readonly Recorded[] {
    return this.#streams.get(journal)?.keys.get(key) ?? [];
  }

  *keys(): Iterable<Readonly<{ journal: string; key: string; uses: readonly Recorded[] }>> {
    for (const [journal, { keys }] of this.#streams) {
      for (const [key, uses] of keys) yield { journal, key, uses };
    }
  }

  journals(): readonly string[] {
    return [...this.#streams.keys()];
  }

  #add(event: Recorded): void {
    const { stream: name } = event.stored;
    const { idempotencyKey: key } = event.metadata;
    const stream = this.#streams.get(name) ?? { events: [], keys: new Map<string, Recorded[]>() };
    this.#streams.set(name, stream);
    stream.events.push(event);
    if (key !== undefined) stream.keys.set(key, [...(stream.keys.get(key) ?? []), event]);
  }
}

export function assertThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
