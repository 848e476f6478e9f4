import type { Uuid } from './ids.ts';
import type { Instant } from './instant.ts';

/**
 * The data of a TransactionPosted of schema version 2: each value once, and none that follows from others. The whole
 * record is a pure function of it (docs/adr/0050-compact-postings.md). It is part of the kernel like metadata and hash,
 * because every reader of the log needs it, the auditor included.
 */
export type CompactPosting = Readonly<{
  posted: readonly [
    id: Uuid,
    organizationId: Uuid,
    ledgerId: Uuid,
    createdAt: Instant,
    assetCode: string,
    amount: string,
  ];
  postings: readonly CompactOperation[];
  /** Optional members of the transaction, and members that are not what would be derived. */
  more?: CompactMembers;
}>;

export type CompactOperation = readonly [
  side: 'D' | 'C',
  accountId: Uuid,
  accountAlias: string,
  amount: string,
  /** The available amount before and after. */
  before: string,
  after: string,
  /** The version of the balance after the operation. */
  version: number,
  more?: MoreOfOperation,
];

/** Optional members of an operation, its origin if no request states it, and a balance that is not as usual. */
export type MoreOfOperation = CompactMembers &
  Readonly<{
    /** The ordinal and the key of a balance that is not the account's first. */
    balance?: readonly [ordinal: number, key: string];
    /** The amount on hold before and after, unless it is 0. */
    onHold?: string;
  }>;

export type CompactMembers = Readonly<Record<string, unknown>>;

/** Returns whether data has this form. That of version 1 begins with another member. */
export const isCompact = (data: string): boolean => data.startsWith('{"posted":[');

/** Errors: SyntaxError for damaged data; Error if it says anything that this release would not read. */
export function readCompact(data: string): CompactPosting {
  const compact = JSON.parse(data) as Unread;
  const { posted, postings, more = {} } = compact;
  const isKnown =
    areAmong(FORM, compact) &&
    posted.length === 6 &&
    postings.every(isOperation) &&
    areKnownMembers(more);
  if (!isKnown) throw new Error('The data of a posting is in an unknown form');
  return compact as CompactPosting;
}

/** Returns whether a value has only optional members of a transaction that this release knows. */
export const areKnownMembers = (more: unknown): more is CompactMembers => areAmong(MORE, more);

type Unread = Readonly<{
  posted: readonly unknown[];
  postings: readonly (readonly unknown[])[];
  more?: object;
}>;

function isOperation(operation: readonly unknown[]): boolean {
  const [side, , , , , , version, more = {}] = operation;
  return (
    (side === 'D' || side === 'C') &&
    typeof version === 'number' &&
    (operation.length === 7 || operation.length === 8) &&
    areAmong(MORE_OF_OPERATION, more)
  );
}

function areAmong(known: ReadonlySet<string>, members: unknown): members is CompactMembers {
  return (
    typeof members === 'object' &&
    members !== null &&
    Object.keys(members).every((name) => known.has(name))
  );
}

/** The members of a transaction's record in order; those with a question mark are optional. */
export const TRANSACTION = shapeOf(
  'id organizationId ledgerId parentTransactionId? description? status amount assetCode ' +
    'chartOfAccountsGroupName? code? source destination route? routeId? scheme? feesSkipped? ' +
    'tracerSkipped? feePackage? metadata? operations createdAt updatedAt',
);
export const OPERATION = shapeOf(
  'id type direction origin amount accountId accountAlias balanceId balanceKey balance ' +
    'balanceAfter description? chartOfAccounts? route? routeId? routeCode? routeDescription? ' +
    'rate? metadata?',
);
export const STATE = shapeOf('available onHold version overdraftUsed');

export type RecordShape = Readonly<{ names: readonly string[]; isOptional: readonly boolean[] }>;

function shapeOf(members: string): RecordShape {
  const names = members.split(' ');
  return {
    names: names.map((name) => name.replace('?', '')),
    isOptional: names.map((name) => name.endsWith('?')),
  };
}

const optionsOf = ({ names, isOptional }: RecordShape): string[] =>
  names.filter((_, n) => isOptional[n]);

const FORM = new Set(['posted', 'postings', 'more']);
const MORE = new Set([...optionsOf(TRANSACTION), 'source', 'destination', 'updatedAt']);
const MORE_OF_OPERATION = new Set([...optionsOf(OPERATION), 'origin', 'balance', 'onHold']);
