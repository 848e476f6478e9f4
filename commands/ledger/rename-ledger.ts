import { isPassing, refuse, Refusal } from '#src/domain/errors.ts';
import type { Revision, Uuid } from '#src/domain/ids.ts';
import type { LedgerRecord } from '#src/events/ledger.ts';
import type { OrganizationEvent } from '#src/events/organization.ts';
import { journalOfLedger, journalOfOrganization } from './journals.ts';
import { folded } from './ledger-names.ts';
import type { LedgerChanges, UpdateLedger } from './ledger-record.ts';
import type { Submit } from './open-ledger.ts';

/** A ledger by the organization in the path. */
export type LedgerPath = Readonly<{ organizationId: Uuid; ledgerId: Uuid }>;

export type Changed = Readonly<{ ledger: LedgerRecord; revision: Revision }>;

type RenameReserved = OrganizationEvent & { type: 'LedgerRenameReserved' };

/**
 * Changes a ledger. What needs no new name, its own journal does alone. A new name takes three steps, reserve → do →
 * settle: the organization reserves it, the ledger's journal takes it, the organization frees the other one. A ledger
 * has one reservation at most, and whoever finds one finishes it first: every step can be repeated.
 */
export async function changeLedger(
  submit: Submit,
  path: LedgerPath,
  changes: LedgerChanges,
): Promise<Changed> {
  const { name, ...others } = changes;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const alone = await updated(submit, path, { changes });
    if (name === undefined || folded(name) === folded(alone.ledger.name)) return alone;

    const organization = journalOfOrganization(path.organizationId);
    const reserve = { type: 'ReserveLedgerRename', ledgerId: path.ledgerId, name } as const;
    const { events } = await submit(organization, { ...reserve, changes: given(others) });
    const [reserved] = events;
    if (reserved?.type === 'LedgerRenameReserved') {
      const outcome = await resumeRename(submit, path.organizationId, reserved, reserved.revision);
      if (outcome instanceof Refusal) throw outcome;
      return outcome;
    }
    await finishOther(submit, path);
  }
  throw refuse('UNAVAILABLE', 'The ledger is being renamed by others all the time.', {
    retryAfterSeconds: 1,
  });
}

/**
 * The second and third step, from what the first one recorded. Answers why the ledger refused, if it did; the new
 * name is free again then. Errors: Unavailable, and refusals that will pass: the rename stays open.
 */
export async function resumeRename(
  submit: Submit,
  organizationId: Uuid,
  { data: { ledgerId, name, changes } }: RenameReserved,
  revision: Revision,
): Promise<Changed | Refusal> {
  const organization = journalOfOrganization(organizationId);
  const path = { organizationId, ledgerId };
  const reservedAt = { journal: organization.name, revision };
  const outcome = await orRefusal(
    updated(submit, path, { changes: { ...changes, name }, reservedAt }),
  );
  // Deleted meanwhile: whoever did that frees every name.
  if (outcome instanceof Refusal && outcome.refusal === 'NOT_FOUND') return outcome;
  // Refused, the reservation must be overtaken in the ledger's journal before anybody may have the name.
  const { ledger } =
    outcome instanceof Refusal ? await updated(submit, path, { changes: {}, reservedAt }) : outcome;
  await submit(organization, {
    type: 'SettleLedgerRename',
    ledgerId,
    reservedAt: revision,
    name: ledger.name,
  });
  return outcome;
}

/** Another rename is on its way, or its process ended half way. How it ends is its own matter. */
async function finishOther(submit: Submit, { organizationId, ledgerId }: LedgerPath) {
  const organization = journalOfOrganization(organizationId);
  const { events } = await submit(organization, { type: 'FindLedgerRename', ledgerId });
  const [open] = events;
  if (open?.type !== 'LedgerRenameReserved') return; // It has ended.
  await resumeRename(submit, organizationId, open, open.revision);
}

async function updated(
  submit: Submit,
  { organizationId, ledgerId }: LedgerPath,
  what: Pick<UpdateLedger, 'changes' | 'reservedAt'>,
): Promise<Changed> {
  const command = { type: 'UpdateLedger', organizationId, ...what } as const;
  const { events, revision } = await submit(journalOfLedger(ledgerId), command);
  const [event] = events;
  if (event?.type !== 'LedgerUpdated') throw new Error('A change is one event');
  return { ledger: event.data.ledger, revision };
}

const orRefusal = (outcome: Promise<Changed>): Promise<Changed | Refusal> =>
  outcome.catch((error: unknown) => {
    if (error instanceof Refusal && !isPassing(error)) return error;
    throw error;
  });

/** An event has no members that are undefined. */
const given = ({ status, metadata }: LedgerChanges) => ({
  ...(status !== undefined && { status }),
  ...(metadata !== undefined && { metadata }),
});

/** Each attempt finishes one rename of others. */
const ATTEMPTS_MAX = 64;
