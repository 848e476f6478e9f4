import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { ByException, Relying, TransactionRecord } from './transaction.ts';

/** A transaction over several ledgers: one balanced part in each. */
export type GroupRecord = Readonly<{
  id: Uuid;
  /** On a reversal: the group it reverts. */
  revertedGroupId?: Uuid;
  action: 'direct' | 'hold';
  assetCode: string;
  status: GroupStatus;
  parts: readonly GroupPart[];
}>;

/**
 * OPENED and COMMITTING wait for a decision; POSTING, CANCELING and RELEASING are decided and not yet done in every
 * ledger. RELEASING: a commit that was given up, after which the hold stands as before.
 */
export type GroupStatus =
  'OPENED' | 'HELD' | 'COMMITTING' | 'POSTING' | 'CANCELING' | 'RELEASING' | 'POSTED' | 'CANCELED';

export type GroupPart = Readonly<{
  /** From 1, in the order in which the request names the ledgers. */
  order: number;
  organizationId: Uuid;
  ledgerId: Uuid;
  transactionId: Uuid;
  /** What its leg on the external account receives: what leaves the ledger, and negative what enters it. */
  bridge: string;
  /** Where the ledger recorded what the creation of the group came to. */
  createdAt?: Revision;
}>;

/** What happens in the journal of a group. Everything carries the group whole. */
export type GroupEvent =
  /** First step: the ledgers are asked to prepare their parts. */
  | Readonly<{ type: 'GroupOpened'; data: Readonly<{ group: GroupRecord }> }>
  /** First step of the commit of a group that is held. */
  | Readonly<{ type: 'GroupCommitOpened'; data: Readonly<{ group: GroupRecord }> }>
  /** There is no way back: what was decided is done in every ledger. */
  | Readonly<{ type: 'GroupDecided'; data: Readonly<{ group: GroupRecord }> }>
  /** It is done in every ledger. */
  | Readonly<{ type: 'GroupFinished'; data: Readonly<{ group: GroupRecord }> }>;

/** What happens to the part of a group in the journal of its ledger, beside what happens to its transaction. */
export type GroupPartEvent =
  /**
   * The part as it will be posted, all that it awaits checked. `binding`: until it is posted, or bound no more, nobody
   * may take away what it needs. `attempt`: where the group's journal opened the commit that it is a step of.
   */
  | Readonly<{
      type: 'GroupPrepared';
      data: Readonly<{ transaction: TransactionRecord; binding: boolean; attempt?: Revision }> &
        Relying &
        ByException;
    }>
  /** The part will not be posted, nor prepared if it was not yet. It moved nothing. */
  | Readonly<{
      type: 'GroupReleased';
      data: Readonly<{
        transaction: Readonly<
          Pick<
            TransactionRecord,
            'id' | 'organizationId' | 'ledgerId' | 'parentTransactionId' | 'groupId'
          >
        >;
      }>;
    }>;
