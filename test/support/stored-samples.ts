import type { DomainEvent } from '#src/kernel/decider.ts';
import { storedData } from '#src/kernel/event-data.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { GENESIS, seal } from '#src/journal/chain.ts';
import { idOf } from './ledger-samples.ts';
import { NOW } from './stamps.ts';

/** What the log holds of an event, without its place. */
export type Stored = Readonly<{ type: string; data: string; metadata: string; hash: string }>;

/** Metadata as the writer writes it, without the hash. */
export const metadataOf = (
  prevHash: string,
  changes: Partial<EventMetadata> = {},
): Omit<EventMetadata, 'hash'> => ({
  $correlationId: 'correlation-1',
  $causationId: 'request-1',
  schemaVersion: 1,
  recordedAt: NOW,
  actor: { type: 'anonymous', id: 'anonymous' },
  tenantId: 'default',
  requestId: idOf('request'),
  ...changes,
  prevHash,
});

/** Events as a journal stores them, each chained to the one before. */
export function storedOf(
  events: readonly DomainEvent[],
  changes: Partial<EventMetadata> = {},
): Stored[] {
  let prevHash = GENESIS;
  return events.map((event) => {
    const { type } = event;
    const { data, schemaVersion } = storedData(event);
    const sealed = seal(type, data, metadataOf(prevHash, { schemaVersion, ...changes }));
    prevHash = sealed.hash;
    return { type, data, ...sealed };
  });
}
