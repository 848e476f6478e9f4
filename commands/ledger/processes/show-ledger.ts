import { Refusal } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { LedgerRecord } from '#src/events/ledger/ledger.ts';
import { journalOfOrganization } from '#commands/ledger/journals.ts';
import { resumeLedger, type Submit } from './open-ledger.ts';
import {
  ATTEMPTS_MAX,
  changedByOthers,
  reservedBy,
  resumeChange,
  type LedgerPath,
} from './change-ledger.ts';

/**
 * Makes the organization know what a ledger has, for values that are to be unique: while the ledger's metadata is
 * reserved nobody else changes them, and what it has then is shown when that is settled. Undefined when there is no such
 * ledger any more. `at`: where it was reserved. Errors: Unavailable.
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

/** Its creation is under way, or its process ended half way. */
async function finishOpening(submit: Submit, { organizationId, ledgerId }: LedgerPath) {
  const organization = journalOfOrganization(organizationId);
  const { events } = await submit(organization, { type: 'FindLedgerOpening', ledgerId });
  const [reserved] = events;
  if (reserved?.type !== 'LedgerNameReserved') return;
  await resumeLedger(submit, reserved, reserved.revision);
}
