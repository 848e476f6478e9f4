import { describeDifference, type Difference } from '#src/verify/difference.ts';
import type { Summary } from '#src/verify/journal.ts';
import { createLogVerifier } from '#src/verify/log.ts';
import { print, type Progress } from './output.ts';
import { isDifference, type Read, type Source } from './reads.ts';

export type Verified = Readonly<{
  difference: Difference | undefined;
  events: number;
  journals: readonly Summary[];
}>;

/** Checks a source to its end or its first difference; `also` gets what was found sound, as it comes. */
export async function verified(
  source: Source,
  progress: Progress,
  also: (sound: readonly Read[]) => Promise<void> | undefined = () => undefined,
): Promise<Verified> {
  const verifier = createLogVerifier();
  let events = 0;
  let difference: Difference | undefined;
  for await (const reads of source) {
    const sound: Read[] = [];
    for (const read of reads) {
      difference = isDifference(read) ? read : verifier.take(read.journal, read.event);
      if (difference !== undefined) break;
      const { event, journal } = read as Read;
      sound.push({ journal: verifier.nameOf(journal), event });
    }
    events += sound.length;
    await also(sound);
    if (difference !== undefined) break;
    progress.at(events);
  }
  progress.end();
  return { difference, events, journals: verifier.summaries() };
}

/** Names the difference, if there is one, and what follows from it. */
export function printDifference({ difference }: Verified, so = ''): boolean {
  if (difference === undefined) return false;
  print(`Different: ${describeDifference(difference)}`);
  if (so !== '') print(so);
  return true;
}
