import type { TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import type { RequestLocations } from '#commands/ledger/transaction/locations.ts';
import type { Posting } from '#commands/ledger/transaction/postings.ts';
import type { V2Request } from '#commands/ledger/transaction/v2-request.ts';
import type { Amount } from '#src/kernel/amount.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import type { FeeCharge } from '#src/kernel/fee-charge.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';

/** A transaction whose legs are in several ledgers. */
export type GroupRequest = V2Request &
  Readonly<{ action: GroupRecord['action']; locations: RequestLocations }>;

/** The fees of a group, or the refusal of them; and the revision at which the journal of fees was read. */
export type FeesOfGroup =
  Readonly<{ charge: FeeCharge; revision: Revision }> | Readonly<{ refused: Refusal }>;

/** The part of a group in one ledger, balanced by a leg for the amount that crosses the ledger's border. */
export type PartRequest = Readonly<{
  organizationId: Uuid;
  ledgerId: Uuid;
  asset: string;
  /** The total of each side. */
  value: Amount;
  /** The amount that leaves the ledger; negative if it enters. */
  bridge: Amount;
  postings: readonly Posting[];
  /** The members that every part of the group records. */
  details: Omit<TransactionRequest, 'send'>;
  locations: RequestLocations;
  /** The fees of the group, in the ledger that has its debits; `postings` include them. */
  fees?: FeesOfGroup | undefined;
}>;

/** A part that mirrors a recorded transaction. */
export type PartReversal = Readonly<{ reverts: Uuid }> & Pick<PartRequest, 'bridge'>;

/** Routes belong to one organization, so a group over several cannot follow any. */
export type Reach = 'one organization' | 'several organizations';
