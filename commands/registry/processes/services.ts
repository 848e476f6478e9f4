import type { ProcessServices } from '#src/journal/process.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { RecordKeys } from '#src/ports/record-keys.ts';

/** The services of the handlers and processes that write the registry. */
export type RegistryWriteServices = Readonly<{ keys: RecordKeys; accounts: AccountOwners }>;

export type HolderScope = Readonly<{ tenantId: string; organizationId: Uuid; holderId: Uuid }>;

/** Finds live accounts of holders in the ledgers of an organization. */
export interface AccountOwners {
  /**
   * Returns whether the holder owns an account, as far as this process and the token know. Errors: Refusal UNAVAILABLE,
   * Unavailable.
   */
  ownsAccounts(holder: HolderScope, token?: Readonly<Record<string, Revision>>): Promise<boolean>;
  /**
   * Returns whether a holder that is closing owns an account: nothing that any process decides after this call has begun
   * can add one. Errors: as ownsAccounts.
   */
  stillOwnsAccounts(holder: HolderScope): Promise<boolean>;
}

/** The start of the server sets them under this name. */
export const registryServices = (components: ProcessServices): RegistryWriteServices =>
  components['registry'] as RegistryWriteServices;
