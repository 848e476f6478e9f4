import { describeDifference, type Difference } from '#src/verify/difference.ts';
import type { KeptHashes } from '#src/verify/kept-hashes.ts';
import type { Summary } from '#src/verify/journal.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { createLogVerifier } from '#src/verify/log.ts';
import { print, type ProgressDisplay } from './output.ts';
import { isDifference, type SourceItem, type EventSource } from './reads.ts';

export type Verification = Readonly<{
  difference: Difference | undefined;
  events: number;
  journals: readonly Summary[];
}>;

type Options = Readonly<{
  /** Receives the events that were found sound, in their order. */
  also?: (sound: readonly SourceItem[]) => Promise<void> | undefined;
  /** Hashes from an earlier verification to compare with. */
  kept?: KeptHashes;
}>;

/** Checks a source to its end or its first difference. */
export async function verifySource(
  source: EventSource,
  progress: ProgressDisplay,
  { also = () => undefined, kept }: Options = {},
): Promise<Verification> {
  const verifier = createLogVerifier(audit, kept);
  let events = 0;
  let difference: Difference | undefined;
  for await (const reads of source) {
    const sound: SourceItem[] = [];
    for (const read of reads) {
      difference = isDifference(read) ? read : verifier.take(read.journal, read.event);
      if (difference !== undefined) break;
      const { event, journal } = read as SourceItem;
      sound.push({ journal: verifier.nameOf(journal), event });
    }
    events += sound.length;
    await also(sound);
    if (difference !== undefined) break;
    progress.at(events);
  }
  progress.end();
  difference ??= verifier.end();
  return { difference, events, journals: verifier.summaries() };
}

/** Prints the difference, if there is one, and then its consequence. */
export function printDifference({ difference }: Verification, consequence = ''): boolean {
  if (difference === undefined) return false;
  print(`Different: ${describeDifference(difference)}`);
  if (consequence !== '') print(consequence);
  return true;
}
