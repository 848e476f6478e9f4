import { resumeGroup } from '#commands/ledger/processes/finish-group.ts';
import { UNDECIDED_MS } from '#commands/ledger/processes/steps.ts';
import type { IdSource } from '#src/kernel/decider.ts';
import { parseInstant, type Micros } from '#src/kernel/instant.ts';
import { ownerOf } from '#src/kernel/journal-name.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import type { Idempotency } from '#src/journal/batch.ts';
import type { Journals } from '#src/journal/journals.ts';
import { createSteps } from '#src/journal/steps.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';

export type GroupSources = Readonly<{
  index: Pick<JournalIndex, 'list'>;
  store: Pick<EventStore, 'read' | 'last'>;
  clock: Clock;
  ids: IdSource;
  scheduler: Pick<Scheduler, 'sleep' | 'elapsedMs'>;
}>;

/**
 * Finishes groups that nobody works on any more: what was decided is done, what was not is given up. Those that
 * something happened to in the last 30 s are left to the process that works on them, unless that was before `alone`,
 * since when there is no other process. One that cannot be finished does not stop the others. Errors: AggregateError of all of those.
 */
export async function resumeGroups(
  journals: Pick<Journals, 'submit'>,
  sources: GroupSources,
  alone: Micros | undefined,
): Promise<void> {
  const { index, store, clock, ids, scheduler } = sources;
  const errors: unknown[] = [];
  for (const { journal } of await index.list('open')) {
    if (!journal.startsWith('group-')) continue;
    try {
      const [first] = await store.read(journal, 0, 1);
      const last = await store.last(journal);
      if (first === undefined || last === undefined) throw new Error(`${journal} is empty`);
      const { recordedAt } = JSON.parse(last.metadata) as EventMetadata;
      const at = parseInstant(recordedAt);
      const isOld = clock.now() - at >= UNDECIDED_MS * 1000;
      if (!isOld && (alone === undefined || at >= alone)) continue;
      const { actor, tenantId, requestId, ...more } = JSON.parse(first.metadata) as EventMetadata;
      const caller = { context: { actor, tenantId, requestId }, key: keyIn(more) };
      await resumeGroup(createSteps(journals, caller, { ids, scheduler }), ownerOf(journal));
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('; '));
}

/** The key of the request that opened the group; it is freed when the group is given up. */
function keyIn({
  idempotencyKey: key,
  requestHash,
  replyVersion,
}: Partial<EventMetadata>): Idempotency | undefined {
  if (key === undefined || requestHash === undefined || replyVersion === undefined)
    return undefined;
  return { key, requestHash, replyVersion };
}
