import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { ByException, Relying, TransactionRecord } from './transaction.ts';

/** A cross-ledger transaction: one balanced part in each ledger. */
export type GroupRecord = Readonly<{
  id: Uuid;
  /** On a reversal, the group that it reverts. */
  revertedGroupId?: Uuid;
  action: 'direct' | 'hold';
  assetCode: string;
  status: GroupStatus;
  parts: readonly GroupPart[];
}>;

/**
 * OPENED and COMMITTING await a decision; POSTING, CANCELING and RELEASING are decided but not yet carried out in every
 * ledger. RELEASING is an aborted commit, after which the hold stands as before.
 */
export type GroupStatus =
  'OPENED' | 'HELD' | 'COMMITTING' | 'POSTING' | 'CANCELING' | 'RELEASING' | 'POSTED' | 'CANCELED';

export type GroupPart = Readonly<{
  /** The order in which the request names the ledgers, from 1. */
  order: number;
  organizationId: Uuid;
  ledgerId: Uuid;
  transactionId: Uuid;
  /**
   * The amount that its leg on the external account receives: positive if money leaves the ledger, negative if it
   * enters.
   */
  bridge: string;
  /** The revision of the ledger's journal that records the outcome of the group's creation. */
  createdAt?: Revision;
}>;

/** The events of the journal of a group. Each carries the whole group. */
export type GroupEvent =
  /** First step: the ledgers are asked to prepare their parts. */
  | Readonly<{ type: 'GroupOpened'; data: Readonly<{ group: GroupRecord }> }>
  /** First step of the commit of a held group. */
  | Readonly<{ type: 'GroupCommitOpened'; data: Readonly<{ group: GroupRecord }> }>
  /** The decision is final and is now carried out in every ledger. */
  | Readonly<{ type: 'GroupDecided'; data: Readonly<{ group: GroupRecord }> }>
  /** The decision is carried out in every ledger. */
  | Readonly<{ type: 'GroupFinished'; data: Readonly<{ group: GroupRecord }> }>;

/** The events of a group's part in the journal of its ledger, in addition to those of its transaction. */
export type GroupPartEvent =
  /**
   * The part as it will be posted, after all checks. `binding`: until it is posted or released, nothing may remove what
   * it needs. `attempt`: the revision of the group's journal that opened the commit to which this step belongs.
   */
  | Readonly<{
      type: 'GroupPrepared';
      data: Readonly<{ transaction: TransactionRecord; binding: boolean; attempt?: Revision }> &
        Relying &
        ByException;
    }>
  /** The part will not be posted, nor prepared if it was not yet. It moved no money. */
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
