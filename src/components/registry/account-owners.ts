import type { AccountOwners, HolderScope } from '#commands/registry/processes/services.ts';
import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { holderAccountProjection } from '#projections/registry/holder-account.ts';
import type { PlatformFacts } from '#src/components/component.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { ListPosition } from '#src/ports/page.ts';

export type AccountSources = Pick<PlatformFacts, 'reads' | 'progress' | 'factsSettled'>;

const COLLECTIONS = [holderAccountProjection.collection.name, ledgerProjection.collection.name];

/** Finds the accounts of a holder in the read models, which it lets catch up first. */
export function createAccountOwners({
  reads,
  progress,
  factsSettled,
}: AccountSources): AccountOwners {
  /** The rows of a deleted ledger are left behind, and count for nothing. */
  const hasLiveAccount = async (holder: HolderScope): Promise<boolean> => {
    const { tenantId, organizationId } = holder;
    const where = { tenantId, organizationId, holderId: holder.holderId };
    const deleted = new Set<Uuid>();
    let after: ListPosition | undefined;
    for (;;) {
      const listing = { where, order: 'asc', limit: ROWS_AT_ONCE } as const;
      const rows = await reads.list(holderAccountProjection.collection, {
        ...listing,
        ...(after !== undefined && { after }),
      });
      for (const { body } of rows) {
        const { ledgerId: id } = JSON.parse(body) as Readonly<{ ledgerId: Uuid }>;
        if (deleted.has(id)) continue;
        const ledger = { id, organizationId, tenantId };
        if ((await reads.get(ledgerProjection.collection, ledger)) !== undefined) return true;
        deleted.add(id);
      }
      if (rows.length < ROWS_AT_ONCE) return false;
      after = rows.at(-1)?.born;
    }
  };

  return {
    async ownsAccounts(holder, token) {
      for (const name of COLLECTIONS) await progress.reached(name, 'ledger', token);
      return hasLiveAccount(holder);
    },
    async stillOwnsAccounts(holder) {
      await factsSettled();
      for (const name of COLLECTIONS) await progress.level(name);
      return hasLiveAccount(holder);
    },
  };
}

const ROWS_AT_ONCE = 250;
