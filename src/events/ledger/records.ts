import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { Metadata, Side, Status } from '#src/events/shared.ts';

/** A group of accounts by what they are for. */
export type SegmentRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  name: string;
  status: Status;
  metadata?: Metadata;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

export type SegmentEvent =
  | Readonly<{ type: 'SegmentCreated'; data: Readonly<{ segment: SegmentRecord }> }>
  | Readonly<{
      type: 'SegmentUpdated';
      data: Readonly<{ segment: SegmentRecord; changed: readonly string[] }>;
    }>
  | Readonly<{ type: 'SegmentDeleted'; data: Readonly<{ segment: SegmentRecord }> }>;

/** A group of accounts by whom they belong to. */
export type PortfolioRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  name: string;
  /** The owner in the client's own system; accounts in the portfolio take it over. */
  entityId?: string;
  status: Status;
  metadata?: Metadata;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

export type PortfolioEvent =
  | Readonly<{ type: 'PortfolioCreated'; data: Readonly<{ portfolio: PortfolioRecord }> }>
  | Readonly<{
      type: 'PortfolioUpdated';
      data: Readonly<{ portfolio: PortfolioRecord; changed: readonly string[] }>;
    }>
  | Readonly<{ type: 'PortfolioDeleted'; data: Readonly<{ portfolio: PortfolioRecord }> }>;

/** What accounts of one `type` have in common. */
export type AccountTypeRecord = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  name: string;
  description?: string;
  /** What accounts say as their type; in lower case. */
  keyValue: string;
  /** Of the default balances of accounts that are opened from now on; `credit` where it is left out. */
  defaultDirection?: Side;
  metadata?: Metadata;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: Instant | null;
}>;

export type AccountTypeEvent =
  | Readonly<{ type: 'AccountTypeCreated'; data: Readonly<{ accountType: AccountTypeRecord }> }>
  | Readonly<{
      type: 'AccountTypeUpdated';
      data: Readonly<{ accountType: AccountTypeRecord; changed: readonly string[] }>;
    }>
  | Readonly<{ type: 'AccountTypeDeleted'; data: Readonly<{ accountType: AccountTypeRecord }> }>;

export type RecordEvent = SegmentEvent | PortfolioEvent | AccountTypeEvent;
