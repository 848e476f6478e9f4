import { Refusal } from '#src/kernel/errors.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import type { FeesEvent } from '#src/events/fees/fees.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import type { Row } from '#src/ports/read-store.ts';
import { parseData } from '#src/kernel/event-data.ts';
import { isDebt, units, type BookedAccount, type BookedLedger, type Standing } from './booked.ts';
import type { Books } from './books.ts';
import { isOutside, stackOf, type Process } from './process.ts';
import type { Attempt } from './request.ts';
import type { World } from './world.ts';

type ShownEvent = LedgerEvent | OrganizationEvent | FeesEvent;

/** What an acknowledgement said: the first event, how many, and the revision that holds all of them. */
export type Acknowledged = Readonly<{
  journal: string;
  revision: number;
  first: number;
  count: number;
}>;

/** Where to look, and what is wrong with a row found there; or that none is. */
type Look = Readonly<{
  collection: string;
  id: string;
  wrong?: (row: Row) => boolean;
  /** Whether it may have been deleted since. */
  gone?: () => boolean;
}>;

/**
 * Read your writes: whoever was told that something happened, and then looks for it, finds it or is told to
 * come again. It never sees the time before.
 */
export async function readBack(
  world: World,
  books: Books,
  { request, requestId, process }: Attempt,
  { journal, revision, first, count }: Acknowledged,
  reader: Process,
): Promise<void> {
  if (request.tenantId !== 'default') return;
  const token = reader !== process || world.random.oneIn(2) ? { [journal]: revision } : undefined;
  const events = world.log.read(journal, first, count);
  for (const { type, data, revision: at } of events) {
    const event = { type, data: parseData(data) } as ShownEvent;
    if (journal.startsWith('settings-')) return; // Lists of them show no more than there is.
    const ledger = books.ledgers.get(journal.slice('ledger-'.length));
    for (const { collection, id, wrong, gone } of looksFor(event, at, ledger, books)) {
      try {
        const row = await reader.reading.row(collection, id, journal, token);
        if (!reader.isAlive()) return;
        const stale = row === undefined ? gone?.() !== true : wrong?.(row);
        const what = `${requestId} was told ${journal} ${revision}, then ${reader.name} showed`;
        if (stale) world.fail(`${what} ${collection} ${id} as ${JSON.stringify(row)}`);
        world.reads.seen += 1;
      } catch (error) {
        const expected = error instanceof Refusal && error.refusal === 'UNAVAILABLE';
        if (!expected && !isOutside(error)) world.fail(stackOf(error));
        world.reads.early += 1;
      }
    }
  }
}

function looksFor(
  event: ShownEvent,
  at: number,
  ledger: BookedLedger | undefined,
  { fees }: Books,
): Look[] {
  const balance = (id: string, wrong?: Look['wrong']): Look => {
    const accounts = [...(ledger?.accounts.values() ?? [])];
    const isGone = ({ standings }: BookedAccount): boolean =>
      standings.some(({ balanceId, live }) => balanceId === id && !live);
    return {
      collection: 'balance',
      id,
      ...(wrong && { wrong }),
      gone: () => accounts.some(isGone),
    };
  };
  switch (event.type) {
    case 'OrganizationCreated':
      return [{ collection: 'organization', id: event.data.organization.id }];
    case 'OperationRouteCreated':
      return [{ collection: 'operation-route', id: event.data.operationRoute.id }];
    case 'TransactionRouteCreated':
      return [{ collection: 'transaction-route', id: event.data.transactionRoute.id }];
    case 'FeePackageCreated':
    case 'FeePackageUpdated': {
      const { id } = event.data.feePackage;
      return [{ collection: 'fee-package', id, gone: () => !fees.isLive(id) }];
    }
    case 'AssetCreated':
      return [{ collection: 'asset', id: event.data.asset.id }];
    case 'AccountOpened':
      return [{ collection: 'account', id: event.data.account.id }, balance(event.data.balance.id)];
    case 'BalanceCreated':
    case 'BalanceUpdated':
      return [balance(event.data.balance.id)];
    case 'BalanceDeleted':
      return [balance(event.data.balance.id, () => true)];
    case 'AccountTypeCreated':
      return [{ collection: 'account-type', id: event.data.accountType.id }];
    case 'AccountUpdated':
    case 'AccountClosed': {
      const { id, alias } = event.data.account;
      const wrong = ({ body }: Row): boolean => {
        const { blocked, closedAt } = JSON.parse(body) as AccountRecord;
        // More may have come while the row was read.
        const { stops = [] } = ledger?.accounts.get(alias) ?? {};
        return !stops.some(({ revision, ...stop }) => {
          return revision >= at && stop.blocked === blocked && stop.closed === (closedAt !== null);
        });
      };
      return [{ collection: 'account', id, wrong }];
    }
    case 'TransactionPosted':
    case 'TransactionHeld':
    case 'TransactionNoted':
    case 'TransactionCommitted':
    case 'TransactionCanceled':
    case 'TransactionUpdated':
    case 'OperationUpdated': {
      const { id, operations } = event.data.transaction;
      const images = ledger?.transactions.get(id)?.images ?? [];
      const known = (row: Row): boolean =>
        images.some(({ revision, text }) => revision >= at && text === row.body);
      const moved = operations.filter(({ balanceAffected }) => balanceAffected !== false);
      return [
        { collection: 'transaction', id, wrong: (row) => !known(row) },
        ...moved.map(({ balanceId, balanceKey, accountAlias, balanceAfter: { version } }) => {
          const account = ledger?.accounts.get(accountAlias);
          const of = isDebt({ balanceKey }) ? account?.debts : account?.standings;
          const wrong = (row: Row) => !isStanding(of, row, version);
          return balance(balanceId, wrong);
        }),
      ];
    }
    default:
      return []; // Steps of a process show nothing of their own, and nobody asks for the rest.
  }
}

/** Whether a row shows how the account stood once, at a version or later. */
export function isStanding(standings: readonly Standing[] = [], row: Row, since: number): boolean {
  const { version, available, onHold } = row.values;
  const standing = standings.findLast((one) => {
    return one.balanceId === row.id && one.version === Number(version);
  });
  return (
    standing !== undefined &&
    Number(version) >= since &&
    units(String(available)) === standing.available &&
    units(String(onHold)) === standing.onHold
  );
}
