import { isPassing, Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { ownerOf } from '#src/kernel/journal-name.ts';
import { mergedMetadata, patched } from '#src/kernel/patch.ts';
import type { LedgerRecord } from '#src/events/ledger/ledger.ts';
import { ledgerChange } from '#src/events/ledger/open-processes.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import type { Process } from '#src/journal/process.ts';
import { journalOfLedger, journalOfOrganization } from '#commands/ledger/journals.ts';
import { folded, type LedgerNameCommand } from '#commands/ledger/state/ledger-names.ts';
import type { LedgerChanges, UpdateLedger } from '#commands/ledger/records/ledger-record.ts';
import type { Submit } from '#src/journal/steps.ts';

/** A ledger and its organization. */
export type LedgerPath = Readonly<{ organizationId: Uuid; ledgerId: Uuid }>;

export type ChangedLedger = Readonly<{ ledger: LedgerRecord; revision: Revision }>;

type ChangeReserved = OrganizationEvent & {
  type: 'LedgerRenameReserved' | 'LedgerMetadataReserved';
};

/**
 * Changes a ledger. Its own journal decides a change of members that need not be unique. A new name or unique metadata
 * takes three steps: the organization's journal reserves it, the ledger's journal takes it, and the organization's
 * journal frees what the ledger no longer has. A ledger has at most one reservation; a request that finds one finishes
 * it first. Every step can be repeated.
 */
export async function changeLedger(
  submit: Submit,
  path: LedgerPath,
  changes: LedgerChanges,
): Promise<ChangedLedger> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const alone = await updated(submit, path, { changes });
    const reserve = reservationOf(alone.ledger, changes);
    if (reserve === undefined) return alone;
    const reserved = await reservedBy(submit, path, reserve);
    if (reserved === undefined) continue;
    const outcome = await resumeChange(submit, path.organizationId, reserved, reserved.revision);
    if (outcome instanceof Refusal) throw outcome;
    // Another request finished it, and gave it up because the ledger refused it, or changed the ledger again.
    if (reservationOf(outcome.ledger, changes) !== undefined) continue;
    // A metadata change does not reserve the name: the next attempt changes its letter case.
    const isLeft = changes.name !== undefined && changes.name !== outcome.ledger.name;
    if (reserved.type === 'LedgerRenameReserved' || !isLeft) return outcome;
  }
  throw changedByOthers();
}

export const changedByOthers = (): Refusal =>
  refuse('UNAVAILABLE', 'The ledger is being changed by others all the time.', {
    retryAfterSeconds: 1,
  });

/** The reservation for the members that the ledger could not change alone. */
function reservationOf(
  ledger: LedgerRecord,
  { name, ...others }: LedgerChanges,
): ReserveLedgerChange | undefined {
  const reserved = { ledgerId: ledger.id, changes: definedChanges(others) };
  if (name !== undefined && folded(name) !== folded(ledger.name)) {
    return { type: 'ReserveLedgerRename', name, ...reserved };
  }
  const metadata = mergedMetadata(ledger.metadata, others.metadata);
  const { changed } = patched<LedgerRecord>(ledger, { metadata }, ledger.updatedAt);
  return changed.length === 0 ? undefined : { type: 'ReserveLedgerMetadata', ...reserved };
}

type ReserveLedgerChange = LedgerNameCommand & {
  type: 'ReserveLedgerRename' | 'ReserveLedgerMetadata';
};

/** Takes the first step. Returns undefined when another change had to be finished instead. */
export async function reservedBy(
  submit: Submit,
  path: LedgerPath,
  reserve: ReserveLedgerChange,
): Promise<(ChangeReserved & Readonly<{ revision: Revision }>) | undefined> {
  const { events } = await submit(journalOfOrganization(path.organizationId), reserve);
  const [reserved] = events;
  if (isReservation(reserved)) return reserved;
  await finishOther(submit, path);
  return undefined;
}

const isReservation = <Event extends OrganizationEvent>(
  event: Event | undefined,
): event is Event & ChangeReserved =>
  event?.type === 'LedgerRenameReserved' || event?.type === 'LedgerMetadataReserved';

/**
 * Takes the second and third step from what the first recorded. Returns the refusal if the ledger refused; the
 * reservation is then free again. Errors: Unavailable and passing refusals, which leave the change open.
 */
export async function resumeChange(
  submit: Submit,
  organizationId: Uuid,
  { data }: ChangeReserved,
  revision: Revision,
): Promise<ChangedLedger | Refusal> {
  const organization = journalOfOrganization(organizationId);
  const { ledgerId, changes } = data;
  const path = { organizationId, ledgerId };
  const reservedAt = { journal: organization.name, revision };
  const all = { ...changes, ...('name' in data && { name: data.name }) };
  const outcome = await orRefusal(updated(submit, path, { changes: all, reservedAt }));
  // The ledger was deleted meanwhile, which frees all its names.
  if (outcome instanceof Refusal && outcome.refusal === 'NOT_FOUND') return outcome;
  // After a refusal, a later event of the ledger must supersede the reservation before anyone else may have the name.
  const { ledger } =
    outcome instanceof Refusal ? await updated(submit, path, { changes: {}, reservedAt }) : outcome;
  await submit(organization, {
    type: 'SettleLedgerChange',
    ledgerId,
    reservedAt: revision,
    ledger,
  });
  return outcome;
}

export const ledgerChangeProcess: Process<ChangeReserved> = {
  open: ledgerChange,
  abandonedAfterMs: 15_000,
  resume: ({ submit }, { journal, event, revision }) =>
    resumeChange(submit, ownerOf(journal), event, revision),
};

/** Finishes a change that is under way or was interrupted; its outcome does not matter here. */
async function finishOther(submit: Submit, { organizationId, ledgerId }: LedgerPath) {
  const organization = journalOfOrganization(organizationId);
  const { events } = await submit(organization, { type: 'FindLedgerChange', ledgerId });
  const [open] = events;
  if (!isReservation(open)) return; // It has ended meanwhile.
  await resumeChange(submit, organizationId, open, open.revision);
}

async function updated(
  submit: Submit,
  { organizationId, ledgerId }: LedgerPath,
  what: Pick<UpdateLedger, 'changes' | 'reservedAt'>,
): Promise<ChangedLedger> {
  const command = { type: 'UpdateLedger', organizationId, ...what } as const;
  const { events, revision } = await submit(journalOfLedger(ledgerId), command);
  const [event] = events;
  if (event?.type !== 'LedgerUpdated') throw new Error('A change is one event');
  return { ledger: event.data.ledger, revision };
}

const orRefusal = (outcome: Promise<ChangedLedger>): Promise<ChangedLedger | Refusal> =>
  outcome.catch((error: unknown) => {
    if (error instanceof Refusal && !isPassing(error)) return error;
    throw error;
  });

/** Events have no undefined members. */
const definedChanges = ({ status, metadata }: LedgerChanges) => ({
  ...(status !== undefined && { status }),
  ...(metadata !== undefined && { metadata }),
});

/** Each attempt finishes one change of another request. */
export const ATTEMPTS_MAX = 64;
