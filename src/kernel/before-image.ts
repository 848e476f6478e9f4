import type { Facts, Needs } from './decider.ts';
import type { Revision } from './ids.ts';

/** Requests the last events of records, which are their before-images. */
export function needsBeforeImages(
  facts: Facts,
  ...revisions: readonly Revision[]
): Needs | undefined {
  const missing = revisions.filter((revision) => facts.event(revision) === undefined);
  return missing.length === 0 ? undefined : { events: missing };
}

/** Returns a record as the event at the revision left it; `member` is where the event's data has it. */
export function imageAt(member: string, revision: Revision, facts: Facts): object {
  const data = facts.event(revision)?.data as Readonly<Record<string, object>> | undefined;
  const image = data?.[member];
  if (image === undefined) throw new Error(`No image of the ${member} at revision ${revision}`);
  return image;
}
