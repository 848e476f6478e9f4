import { openEmbeddedJournalIndex } from '#src/adapters/embedded/journal-index.ts';
import type { LoggedBodies } from '#src/adapters/embedded/logged-bodies.ts';
import type { EmbeddedLog } from '#src/adapters/embedded/log.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import { anchorHash } from '#src/ports/anchor.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { Projection } from '#src/ports/projection.ts';
import { consumerOf } from '#src/runtime/collection-consumer.ts';
import type { Consumer } from '#src/runtime/consumer.ts';
import { IndexConsumer } from '#src/runtime/index-consumer.ts';
import { LoggedEvent } from '#src/runtime/logged-event.ts';

/** The collections and the index to rebuild, each up to the position that the kept one has reached. */
export type Wanted = Readonly<{
  collections: readonly Readonly<{ projection: Projection; upTo: Position }>[];
  index: Position;
}>;

/** A log, and the bodies that read models beside it do not keep. */
export type RefoldSource = Readonly<{ log: EmbeddedLog; bodies: LoggedBodies }>;

/** Builds read models and the index from the start of a log into a folder. Errors: those of an event that cannot be applied. */
export async function refold(
  { log, bodies }: RefoldSource,
  dir: string,
  { collections, index: indexUpTo }: Wanted,
  onProgress: (events: number, of: number) => void,
): Promise<void> {
  const writer = openEmbeddedReadStoreWriter(dir, { bodies });
  const index = openEmbeddedJournalIndex(dir, log.logId);
  try {
    await writer.open(
      log.logId,
      collections.map(({ projection }) => projection.collection),
    );
    const folding: [Consumer, Position][] = collections.map(({ projection, upTo }) => {
      return [consumerOf(projection, writer, { checkpoint: START, shadow: false }), upTo];
    });
    folding.push([new IndexConsumer(index, indexTable, START), indexUpTo]);

    const end = folding.map(([, upTo]) => upTo).reduce((a, b) => (a < b ? b : a));
    let events = 0;
    for (let at = START; at < end;) {
      const stored = await log.readAll(at, BATCH);
      const batch = stored.map((event) => new LoggedEvent(event));
      for (const [consumer, upTo] of folding) await fold(consumer, batch, upTo);
      const last = stored.at(-1);
      if (last === undefined) throw new Error(`The log ends before position ${end}`);
      at = last.position;
      events += stored.length;
      onProgress(events, Number(end)); // Positions of a data folder count events.
    }
  } finally {
    await Promise.all([writer.close(), index.close()]);
  }
}

async function fold(
  consumer: Consumer,
  batch: readonly LoggedEvent[],
  upTo: Position,
): Promise<void> {
  let last: LoggedEvent | undefined;
  for (const event of batch) {
    if (event.position > upTo) break;
    if (consumer.types?.has(event.type) !== false) consumer.take(event);
    last = event;
  }
  if (last !== undefined) {
    await consumer.flush(last.position, anchorHash(last.stored));
  }
}

const BATCH = 2000;
