import type { DomainEvent, IdSource } from '#src/kernel/decider.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { parseInstant, type Micros } from '#src/kernel/instant.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import { readTraceContext } from '#src/kernel/trace-context.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { EventStore, StoredEvent } from '#src/ports/event-store.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { IdempotencyKey } from './batch.ts';
import type { Journals } from './journals.ts';
import type { Begun, Process, ProcessServices } from './process.ts';
import { createSteps } from './steps.ts';

export type ResumePorts = Readonly<{
  index: Pick<JournalIndex, 'list' | 'find'>;
  store: Pick<EventStore, 'read' | 'last'>;
  clock: Clock;
  ids: IdSource;
  scheduler: Pick<Scheduler, 'sleep' | 'elapsedMs'>;
  components?: ProcessServices;
}>;

export type ResumeWhen = Readonly<{
  /**
   * The time since which no other process writes: every process last touched before it is abandoned, whatever its age.
   */
  aloneSince: Micros | undefined;
}>;

/**
 * Resumes abandoned processes; the journal index lists the open ones. A process that fails does not stop the others, and
 * kinds of processes do not wait for each other. Errors: AggregateError of all that failed.
 */
export async function resumeProcesses(
  processes: readonly Process[],
  journals: Pick<Journals, 'submit'>,
  ports: ResumePorts,
  when: ResumeWhen,
): Promise<void> {
  const byType = new Map(
    processes.flatMap((process) =>
      Object.keys(process.open.begins).map((type) => [type, process] as const),
    ),
  );
  const open = new Map<Process, StoredEvent[]>(processes.map((process) => [process, []]));
  const errors: unknown[] = [];
  const collecting = (work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => void errors.push(error));

  for (const { journal, key } of await ports.index.list('open')) {
    await collecting(async () => {
      const begun = await beginningOf(ports, journal, key);
      if (begun === undefined) return; // The process ended meanwhile.
      const process = byType.get(begun.type);
      if (process === undefined) throw new Error(`${journal} began nothing with ${begun.type}`);
      open.get(process)?.push(begun);
    });
  }
  await Promise.all(
    [...open].map(async ([process, begun]) => {
      for (const event of begun) {
        await collecting(() => resumeAbandoned(process, event, journals, ports, when));
      }
    }),
  );
  if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join('; '));
}

async function beginningOf(
  { index, store }: ResumePorts,
  journal: string,
  key: string,
): Promise<StoredEvent | undefined> {
  const revision = (await index.find(journal, 'open', [key])).get(key);
  if (revision === undefined) return undefined;
  const [begun] = await store.read(journal, revision, 1);
  if (begun === undefined) throw new Error(`${journal} lacks revision ${String(revision)}`);
  return begun;
}

async function resumeAbandoned(
  process: Process,
  indexed: StoredEvent,
  journals: Pick<Journals, 'submit'>,
  { store, clock, ids, scheduler, components = {} }: ResumePorts,
  { aloneSince }: ResumeWhen,
): Promise<void> {
  const { hasJournal, abandonedAfterMs } = process;
  const journal = indexed.stream as JournalName;
  const last = hasJournal ? await store.last(journal) : indexed;
  const touched = parseInstant(metadataOf(last ?? indexed).recordedAt);
  const isOld = clock.now() - touched >= abandonedAfterMs * 1000;
  if (!isOld && (aloneSince === undefined || touched >= aloneSince)) return;
  const [first = indexed] = hasJournal ? await store.read(journal, 0, 1) : [];
  const { actor, tenantId, requestId, ...more } = metadataOf(first);
  const trace = readTraceContext(more.traceparent, more.tracestate);
  const context = { actor, tenantId, requestId, ...(trace && { trace }) };
  const caller = { context, key: keyIn(more) };
  const event: DomainEvent = { type: first.type, data: parseData(first.data) };
  const begun = { journal, revision: first.revision, event } as Begun<never>;
  await process.resume(createSteps(journals, caller, { ids, scheduler }), begun, components);
}

const metadataOf = ({ metadata }: StoredEvent): EventMetadata =>
  JSON.parse(metadata) as EventMetadata;

/** Restores the idempotency key of the request that began a process. */
function keyIn({
  idempotencyKey: key,
  requestHash,
  replyVersion,
}: Partial<EventMetadata>): IdempotencyKey | undefined {
  if (key === undefined || requestHash === undefined || replyVersion === undefined)
    return undefined;
  return { key, requestHash, replyVersion };
}
