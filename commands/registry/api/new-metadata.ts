import type { Metadata } from '#src/events/shared.ts';

/** Reads the metadata of a new record, in which a key with null counts as absent. */
export function withValues(
  metadata: Readonly<Record<string, Metadata[string] | null>>,
): Readonly<{ metadata?: Metadata }> {
  const kept = Object.entries(metadata).filter(([, value]) => value !== null);
  return kept.length === 0 ? {} : { metadata: Object.fromEntries(kept) as Metadata };
}
