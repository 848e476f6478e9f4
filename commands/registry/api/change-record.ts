import { registryServices } from '#commands/registry/processes/services.ts';
import { journalOfRegistry, type RegistryCommand } from '#commands/registry/registry.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import { Refusal, refuse } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { DataKey } from '#src/ports/record-keys.ts';

/** Reads a sealed record and computes its update. */
export type RecordChange<Prepared> = Readonly<{
  id: Uuid;
  /** Returns the last event of the record. */
  read: RegistryCommand;
  notFound: () => Refusal;
  /** Computes the update from the record as the event left it, which is at the revision `expected`. */
  prepare: (
    event: RegistryEvent,
    key: DataKey,
    expected: Revision,
  ) => Promise<Readonly<{ command: RegistryCommand; prepared: Prepared }>>;
}>;

export type ChangedRecord<Prepared> = Readonly<{
  event: RegistryEvent;
  key: DataKey;
  prepared: Prepared;
  revision: Revision;
}>;

/**
 * Changes a sealed record. It is opened, merged and sealed outside the journal's rules, which accept the result only if
 * the record has not changed meanwhile; otherwise it is read again. Errors: Refusal, Unavailable.
 */
export async function changeRecord<Prepared>(
  request: Request<Readonly<{ organization_id: Uuid }>>,
  { commands, components }: Services,
  { id, read, notFound, prepare }: RecordChange<Prepared>,
): Promise<ChangedRecord<Prepared>> {
  const { organization_id: organizationId } = request.path;
  const { tenantId } = request.context;
  const journal = journalOfRegistry(organizationId);
  const { keys } = registryServices(components);

  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const [before] = (await commands.submit(request, journal, read)).events;
    if (before === undefined) throw new Error('The last event of a record has it');
    const key = await keys.open({ tenantId, organizationId, recordId: id });
    if (key === undefined) throw notFound();
    const { command, prepared } = await prepare(before, key, before.revision);
    try {
      const { events, revision } = await commands.submit(request, journal, command);
      const [event] = events;
      if (event === undefined) throw new Error('An update has its event');
      return { event, key, prepared, revision };
    } catch (error) {
      if (!(error instanceof Refusal) || error.refusal !== 'RECORD_CHANGED') throw error;
    }
  }
  const detail = 'The record is being changed by others; try again shortly.';
  throw refuse('UNAVAILABLE', detail, { retryAfterSeconds: 1 });
}

/** Each round ends with a change of the record, by this request or by another one. */
const ROUNDS_MAX = 20;

/** Names what differs between two sets of texts, so that an update without effect leaves no event. */
export function differing<Member extends string>(
  members: readonly Member[],
  textOf: (member: Member) => readonly [before: string | undefined, after: string | undefined],
): Readonly<{ changed: readonly Member[]; removed: Readonly<Partial<Record<Member, null>>> }> {
  const all = members.filter((member) => {
    const [before, after] = textOf(member);
    return before !== after;
  });
  const removed = all.filter((member) => textOf(member)[1] === undefined);
  return {
    changed: all.filter((member) => !removed.includes(member)),
    removed: Object.fromEntries(removed.map((member) => [member, null])) as Partial<
      Record<Member, null>
    >,
  };
}
