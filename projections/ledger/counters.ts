import { tally } from '#projections/projection.ts';
import { parseAmount, subtract, ZERO, type Amount } from '#src/kernel/amount.ts';
import { EXTERNAL_PREFIX } from '#src/kernel/external-alias.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { Settlement, TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import type { Move } from '#src/events/ledger/posted-parts.ts';
import { moveOf, readPosted } from '#src/events/ledger/posted.ts';
import type { Addition, Recorded, Sum } from '#src/ports/projection.ts';

/**
 * Counts of live records by kind, and totals over the accounts of a ledger: one row for each tenant, organization and
 * ledger, under the names below.
 */
export const counters = tally<OrganizationEvent | LedgerEvent>(
  {
    name: 'counter',
    version: 1,
    keys: { tenantId: 'text' },
    indexes: [['tenantId']],
  },
  {
    OrganizationCreated: ({ tenantId }) => counted({ tenantId }, tenantId, 'organizations', 1),
    OrganizationDeleted: ({ tenantId }) => counted({ tenantId }, tenantId, 'organizations', -1),
    LedgerOpened: (event) => counted(event, event.data.ledger.organizationId, 'ledgers', 1),
    LedgerClosed: (event) => counted(event, event.data.ledger.organizationId, 'ledgers', -1),
    AssetCreated: (event) => assets(event, event.data.asset, 1),
    AssetDeleted: (event) => assets(event, event.data.asset, -1),
    SegmentCreated: (event) => counted(event, event.data.segment.ledgerId, 'segments', 1),
    SegmentDeleted: (event) => counted(event, event.data.segment.ledgerId, 'segments', -1),
    PortfolioCreated: (event) => counted(event, event.data.portfolio.ledgerId, 'portfolios', 1),
    PortfolioDeleted: (event) => counted(event, event.data.portfolio.ledgerId, 'portfolios', -1),
    AccountOpened: (event) => accounts(event, event.data.account, 1),
    AccountDeleted: (event) => accounts(event, event.data.account, -1),

    TransactionPosted(event) {
      const { ledgerId, assetCode, moves } = readPosted(event.text);
      return moved(event, { ledgerId, assetCode }, moves);
    },
    TransactionHeld: (event) => steps(event, event.data.transaction, 0),
    TransactionCommitted: settled,
    TransactionCanceled: settled,
  },
);

/** The names of the counters; sums of an asset have its code after a blank. */
export type Counted =
  'organizations' | 'ledgers' | 'assets' | 'segments' | 'portfolios' | 'accounts';

type Event = Pick<Recorded, 'tenantId'>;

const counted = ({ tenantId }: Event, id: string, what: Counted, more: 1 | -1): Addition[] => [
  row(tenantId, id, [[what, ONCE[more]]]),
];

const row = (tenantId: string, id: string, add: Addition['add']): Addition => ({
  id,
  born: 0,
  keys: { tenantId },
  add,
});

const assets = (
  { tenantId }: Event,
  { ledgerId, code }: Readonly<{ ledgerId: Uuid; code: string }>,
  more: 1 | -1,
): Addition[] => [
  row(tenantId, ledgerId, [
    ['assets', ONCE[more]],
    [`asset ${code}`, ONCE[more]],
  ]),
];

/** External accounts count as accounts of the ledger, but their funds are outside it. */
function accounts(
  { tenantId }: Event,
  { ledgerId, assetCode, alias }: AccountRecord,
  more: 1 | -1,
): Addition[] {
  const held: Sum[] = isExternal(alias) ? [] : [[`accounts ${assetCode}`, ONCE[more]]];
  return [row(tenantId, ledgerId, [['accounts', ONCE[more]], ...held])];
}

function settled(event: Recorded<Settlement>): Addition[] {
  const { transaction, stepOperations } = event.data;
  return steps(event, transaction, transaction.operations.length - stepOperations);
}

const steps = (event: Event, transaction: TransactionRecord, from: number): Addition[] =>
  moved(event, transaction, transaction.operations.slice(from).map(moveOf));

/** Transfers between the ledger's own accounts leave its totals unchanged, so usually nothing is written. */
function moved(
  { tenantId }: Event,
  { ledgerId, assetCode }: Pick<TransactionRecord, 'ledgerId' | 'assetCode'>,
  moves: readonly Move[],
): Addition[] {
  let available = ZERO;
  let onHold = ZERO;
  for (const { accountAlias, balanceKey, before, balanceAfter: after } of moves) {
    if (isExternal(accountAlias) || balanceKey === 'overdraft') continue; // Debt, not funds.
    available = (available + gained(before.available, after.available)) as Amount;
    onHold = (onHold + gained(before.onHold, after.onHold)) as Amount;
  }
  if (available === ZERO && onHold === ZERO) return [];
  const add: Sum[] = [
    [`available ${assetCode}`, available],
    [`onHold ${assetCode}`, onHold],
  ];
  return [row(tenantId, ledgerId, add)];
}

const gained = (before: string, after: string): Amount =>
  before === after ? ZERO : subtract(parseAmount(after), parseAmount(before));

/** No other alias can begin with this prefix. */
const isExternal = (alias: string): boolean => alias.startsWith(EXTERNAL_PREFIX);

const ONCE = { [1]: parseAmount('1'), [-1]: parseAmount('-1') } as const;
