import type { Uuid } from '#src/kernel/ids.ts';
import type { Lifetime, RecordEvent } from '#src/kernel/record.ts';
import type { Metadata, Side, Status } from '#src/events/shared.ts';

/** A record that belongs to a ledger. */
export type RecordInLedger<Fields> = Lifetime &
  Readonly<{ organizationId: Uuid; ledgerId: Uuid }> &
  Fields;

export type SegmentFields = Readonly<{ name: string; status: Status; metadata?: Metadata }>;

/** A group of accounts by purpose. */
export type SegmentRecord = RecordInLedger<SegmentFields>;

export type PortfolioFields = Readonly<{
  name: string;
  /** The owner's id in the client's own system; accounts in the portfolio inherit it. */
  entityId?: string;
  status: Status;
  metadata?: Metadata;
}>;

/** A group of accounts by owner. */
export type PortfolioRecord = RecordInLedger<PortfolioFields>;

export type AccountTypeFields = Readonly<{
  name: string;
  description?: string;
  /** The `type` value of accounts of this type, in lower case. */
  keyValue: string;
  /** The direction of the default balances of accounts created from now on; `credit` if absent. */
  defaultDirection?: Side;
  metadata?: Metadata;
}>;

/** A type that accounts can have. */
export type AccountTypeRecord = RecordInLedger<AccountTypeFields>;

export type SegmentEvent = RecordEvent<'Segment', SegmentRecord>;
export type PortfolioEvent = RecordEvent<'Portfolio', PortfolioRecord>;
export type AccountTypeEvent = RecordEvent<'AccountType', AccountTypeRecord>;

export type DeclaredRecordEvent = SegmentEvent | PortfolioEvent | AccountTypeEvent;
