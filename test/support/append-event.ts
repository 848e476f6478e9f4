import { systemIds } from '#src/adapters/system.ts';
import { storedData } from '#src/kernel/event-data.ts';
import { hashOf } from '#src/kernel/event-hash.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { formatInstant, parseInstant, type Micros } from '#src/kernel/instant.ts';
import { seal } from '#src/journal/chain.ts';
import { storesOf } from './stores.ts';

/** Puts an event at the end of a journal, as its writer would have. */
export async function appendEvent(
  dataDir: string,
  stream: string,
  type: string,
  image: object,
): Promise<void> {
  const last = (await storesOf(dataDir).events(stream)).at(-1);
  if (last === undefined) throw new Error(`${stream} is empty`);
  const { hash: _, ...metadata } = JSON.parse(last.metadata) as EventMetadata;
  const stored = storedData({ type, data: image });
  const id = systemIds().next();
  const recordedAt = formatInstant((parseInstant(metadata.recordedAt) + 1) as Micros);
  const link = { eventId: id, recordedAt, prevHash: hashOf(last.metadata) };
  const sealed = seal(type, stored.data, {
    ...{ ...metadata, schemaVersion: stored.schemaVersion },
    ...link,
  });
  const event = { id, type, data: stored.data, metadata: sealed.metadata };
  await storesOf(dataDir).append(stream, event, last.revision);
}
