import { Refusal } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { LedgerRecord } from '#src/events/ledger/ledger.ts';
import { journalOfOrganization } from '#commands/ledger/journals.ts';
import { resumeLedger } from './open-ledger.ts';
import {
  ATTEMPTS_MAX,
  changedByOthers,
  reservedBy,
  resumeChange,
  type LedgerPath,
} from './change-ledger.ts';
import type { Submit } from '#src/journal/steps.ts';

/**
 * Records a ledger's metadata in its organization's journal, where values can be checked for uniqueness: reserving the
 * metadata keeps others from changing it, and settling the reservation records it. `at` is the revision of the
 * reservation. Returns undefined if the ledger no longer exists. Errors: Unavailable.
 */
export async function showLedger(
  submit: Submit,
  path: LedgerPath,
): Promise<Readonly<{ ledger: LedgerRecord; at: Revision }> | undefined> {
  const { organizationId, ledgerId } = path;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      await finishOpening(submit, path);
      const reserve = { type: 'ReserveLedgerMetadata', ledgerId, changes: {} } as const;
      const reserved = await reservedBy(submit, path, reserve);
      if (reserved === undefined) continue;
      const outcome = await resumeChange(submit, organizationId, reserved, reserved.revision);
      if (outcome instanceof Refusal) throw outcome;
      return { ledger: outcome.ledger, at: reserved.revision };
    }
  } catch (error) {
    if (error instanceof Refusal && GONE.includes(error.refusal)) return undefined;
    throw error;
  }
  throw changedByOthers();
}

const GONE: readonly string[] = ['NOT_FOUND', 'ORGANIZATION_NOT_FOUND'];

/** Finishes a creation that is under way or was interrupted. */
async function finishOpening(submit: Submit, { organizationId, ledgerId }: LedgerPath) {
  const organization = journalOfOrganization(organizationId);
  const { events } = await submit(organization, { type: 'FindLedgerOpening', ledgerId });
  const [reserved] = events;
  if (reserved?.type !== 'LedgerNameReserved') return;
  await resumeLedger(submit, reserved, reserved.revision);
}
