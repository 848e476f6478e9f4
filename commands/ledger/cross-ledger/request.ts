import type { TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import type { RequestLocations } from '#commands/ledger/transaction/locations.ts';
import type { Posting } from '#commands/ledger/transaction/postings.ts';
import type { V2Request } from '#commands/ledger/transaction/v2-request.ts';
import type { Amount } from '#src/kernel/amount.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';

/** A transaction whose legs are in several ledgers. */
export type GroupRequest = V2Request &
  Readonly<{ action: GroupRecord['action']; locations: RequestLocations }>;

/** What one ledger has to do with a group: balanced by what crosses its border. */
export type PartRequest = Readonly<{
  organizationId: Uuid;
  ledgerId: Uuid;
  asset: string;
  /** What each side adds up to. */
  value: Amount;
  /** What leaves the ledger; negative: what enters it. */
  bridge: Amount;
  postings: readonly Posting[];
  /** What every part of the group says for itself. */
  details: Omit<TransactionRequest, 'send'>;
  locations: RequestLocations;
}>;

/** The part mirrors what the ledger recorded of this transaction. */
export type PartReversal = Readonly<{ reverts: Uuid }> & Pick<PartRequest, 'bridge'>;

/** Whether the group stays in one organization, which routes do not leave. */
export type Reach = 'one organization' | 'several organizations';
