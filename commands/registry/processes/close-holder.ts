import { holderOwnsAccounts } from '#commands/registry/closing.ts';
import { journalOfRegistry } from '#commands/registry/registry.ts';
import { holderClosing } from '#src/events/registry/indexed.ts';
import { refuse } from '#src/events/registry/refusals.ts';
import type { HolderDeletion, RegistryEvent } from '#src/events/registry/registry.ts';
import type { Outcome } from '#src/journal/batch.ts';
import type { Process } from '#src/journal/process.ts';
import type { Submit } from '#src/journal/steps.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { finishErasure } from './erase-holder.ts';
import { registryServices, type AccountOwners, type HolderScope } from './services.ts';

type ClosingBegun = Extract<RegistryEvent, { type: 'HolderClosingBegun' }>;

/** Finishes deletions that were interrupted, so that no holder stays closing: each is completed or undone. */
export const holderClosingProcess: Process<ClosingBegun> = {
  open: holderClosing,
  abandonedAfterMs: 15_000,
  async resume({ submit, tenantId }, { revision, event }, components) {
    const { organizationId, holderId, deletion } = event.data.closing;
    const { accounts, keys } = registryServices(components);
    const holder = { tenantId, organizationId, holderId };
    try {
      await finishClosing(submit, accounts, holder, { deletion, closing: revision });
    } catch (error) {
      if (error instanceof Refusal && ENDED.has(error.refusal)) return;
      throw error;
    }
    if (deletion === 'soft') return;
    await finishErasure(submit, keys, { tenantId, organizationId, recordId: holderId });
  },
};

/**
 * Deletes a holder, or begins to erase it, unless it owns accounts. The registry's journal first records that the holder is
 * closing, so that no account can name it any more; then its accounts are looked for in all ledgers; then it is deleted,
 * or the closing is undone. `ownsAccounts` is what was known before, so that a refusal usually leaves no event. Errors:
 * HOLDER_NOT_FOUND, HOLDER_OWNS_ACCOUNTS, Unavailable.
 */
export async function closeHolder(
  submit: Submit,
  accounts: Pick<AccountOwners, 'stillOwnsAccounts'>,
  holder: HolderScope,
  { deletion, ownsAccounts }: Readonly<{ deletion: HolderDeletion; ownsAccounts: boolean }>,
): Promise<Outcome<RegistryEvent>> {
  const { organizationId, holderId: id } = holder;
  const journal = journalOfRegistry(organizationId);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const begin = { type: 'BeginClosing', organizationId, id, deletion, ownsAccounts } as const;
    const [begun] = (await submit(journal, begin)).events;
    if (begun === undefined) return submit(journal, { type: 'BeginErasure', organizationId, id });
    try {
      return await finishClosing(submit, accounts, holder, { deletion, closing: begun.revision });
    } catch (error) {
      if (!(error instanceof Refusal) || error.refusal !== 'CLOSING_OVER') throw error;
    }
  }
  const detail = 'The holder is being deleted by others; try again shortly.';
  throw refuse('UNAVAILABLE', detail, { retryAfterSeconds: 1 });
}

/** Errors: as closeHolder; CLOSING_OVER if another request has undone the closing meanwhile. */
async function finishClosing(
  submit: Submit,
  accounts: Pick<AccountOwners, 'stillOwnsAccounts'>,
  holder: HolderScope,
  { deletion, closing }: Readonly<{ deletion: HolderDeletion; closing: Revision }>,
): Promise<Outcome<RegistryEvent>> {
  const { organizationId, holderId: id } = holder;
  const journal = journalOfRegistry(organizationId);
  try {
    if (await accounts.stillOwnsAccounts(holder)) throw holderOwnsAccounts();
    return await submit(
      journal,
      deletion === 'soft'
        ? { type: 'DeleteHolder', id, closing }
        : { type: 'BeginErasure', organizationId, id, closing },
    );
  } catch (error) {
    // If this fails too, the closing is found open and finished later.
    await submit(journal, { type: 'UndoClosing', organizationId, id, closing }).catch(() => {});
    throw error;
  }
}

const ENDED: ReadonlySet<string> = new Set([
  ...['HOLDER_OWNS_ACCOUNTS', 'HOLDER_NOT_FOUND', 'CLOSING_OVER'],
]);

/** Each round ends with the end of a closing, by this request or by another one. */
const ROUNDS_MAX = 10;
