import { detached } from '#src/kernel/detached.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { balancesLeft } from '#src/events/ledger/posted.ts';
import { evolveBlockExceptions, useUp } from './live-exceptions.ts';
import { evolveAssetRate } from '#commands/ledger/records/asset-rate.ts';
import { assetRecord } from '#commands/ledger/records/declared.ts';
import { evolveReservations } from './reservations.ts';
import type { Ledger } from './ledger-state.ts';
import { evolveRecord } from '#commands/ledger/records/record-rules.ts';

/** Folds one event into the state. */
export function evolveLedger(ledger: Ledger, event: LedgerEvent, revision: Revision): void {
  switch (event.type) {
    case 'LedgerOpened':
      ledger.is = 'live';
      ledger.id = event.data.ledger.id;
      ledger.organizationId = event.data.ledger.organizationId;
      ledger.holderId = event.data.holderId;
      ledger.revision = revision;
      ledger.named = event.data.reservedAt.revision;
      ledger.settings = event.data.ledger.settings ?? defaultSettings;
      break;
    case 'LedgerUpdated':
      ledger.revision = revision;
      ledger.named = event.data.reservedAt?.revision ?? ledger.named;
      break;
    case 'LedgerSettingsChanged':
      ledger.revision = revision;
      ledger.settings = event.data.ledger.settings ?? defaultSettings;
      break;
    case 'LedgerClosed':
      ledger.is = 'closed';
      ledger.revision = revision;
      break;
    case 'AssetCreated':
    case 'AssetUpdated':
    case 'AssetDeleted':
      assetRecord.evolve(ledger.assets, event, revision);
      break;
    case 'AssetRateCreated':
    case 'AssetRateUpdated':
      evolveAssetRate(ledger.rates, event.data.assetRate, revision);
      break;
    case 'AccountOpened':
      ledger.book.open(event.data.account, event.data.balance, revision);
      break;
    case 'AccountUpdated':
    case 'AccountClosed':
      ledger.book.change(event.data.account, revision);
      break;
    case 'AccountDeleted':
      ledger.book.remove(event.data.account.id);
      break;
    case 'BlockExceptionsGranted':
      evolveBlockExceptions(ledger.exceptions, event.data.exceptions);
      break;
    case 'BalanceCreated':
      ledger.book.addBalance(event.data.balance, revision);
      break;
    case 'BalanceUpdated':
      ledger.book.changeBalance(event.data.balance, revision);
      break;
    case 'BalanceDeleted':
      ledger.book.removeBalance(event.data.balance);
      break;
    case 'TransactionPosted':
      ledger.book.move(event.data.transaction.operations);
      evolveReservations(ledger.parts, event);
      useUp(ledger.exceptions, event.data);
      ledger.debts.evolve(event.data.transaction.feeDebts);
      break;
    case 'TransactionHeld':
      ledger.book.move(event.data.transaction.operations);
      ledger.pending.set(detached(event.data.transaction.id), revision);
      evolveReservations(ledger.parts, event);
      break;
    case 'TransactionCommitted':
    case 'TransactionCanceled':
      useUp(ledger.exceptions, event.data);
      ledger.book.move(event.data.transaction.operations.slice(-event.data.stepOperations));
      ledger.pending.delete(event.data.transaction.id);
      ledger.debts.evolve(event.data.transaction.feeDebts);
      evolveReservations(ledger.parts, event);
      break;
    case 'GroupPrepared':
    case 'GroupReleased':
      evolveReservations(ledger.parts, event);
      break;
    case 'TransactionUpdated':
    case 'OperationUpdated':
      if (ledger.pending.has(event.data.transaction.id)) {
        ledger.pending.set(event.data.transaction.id, revision);
      }
      break;
    case 'TransactionNoted':
    case 'MetadataClaimed':
      break; // An annotation moves nothing.
    case 'OperationRouteCreated':
    case 'OperationRouteUpdated':
    case 'OperationRouteDeleted':
    case 'TransactionRouteCreated':
    case 'TransactionRouteUpdated':
    case 'TransactionRouteDeleted':
      ledger.routes.evolve(event, revision);
      break;
    default:
      evolveRecord(ledger, event, revision);
  }
}

/**
 * Returns a function that undoes the folding of an event; undefined for rare events, after which the ledger is
 * reloaded.
 */
export function undoingOf(ledger: Ledger, event: LedgerEvent): (() => void) | undefined {
  const { book, pending } = ledger;
  if (isPartOfGroup(event)) return undefined; // They are rare.
  if ('accountBlockExceptionId' in event.data) return undefined; // It is rare.
  if (changesDebts(event)) return undefined; // It is rare.
  switch (event.type) {
    case 'TransactionPosted':
      return () => {
        book.moveBack(event.data.transaction.operations);
      };
    case 'TransactionHeld':
      return () => {
        book.moveBack(event.data.transaction.operations);
        pending.delete(event.data.transaction.id);
      };
    case 'TransactionCommitted':
    case 'TransactionCanceled': {
      const { transaction, stepOperations } = event.data;
      const restore = restoring(pending, transaction.id);
      return () => {
        book.moveBack(transaction.operations.slice(-stepOperations));
        restore();
      };
    }
    case 'TransactionUpdated':
    case 'OperationUpdated':
      return restoring(pending, event.data.transaction.id);
    case 'TransactionNoted':
    case 'MetadataClaimed':
      return () => undefined;
    case 'AccountOpened':
      return () => {
        book.remove(event.data.account.id);
      };
    default:
      return undefined; // Records rarely change.
  }
}

/** Folds the text of a frequent event without parsing it. Returns false if the event has to be parsed. */
export function evolveLedgerText(ledger: Ledger, type: string, data: string): boolean {
  const left = type === 'TransactionPosted' ? balancesLeft(data) : undefined;
  if (left === undefined) return false;
  for (const one of left) ledger.book.leave(one);
  return true;
}

const isPartOfGroup = (event: LedgerEvent): boolean =>
  'transaction' in event.data && event.data.transaction.groupId !== undefined;

const changesDebts = (event: LedgerEvent): boolean =>
  (event.type === 'TransactionPosted' || event.type === 'TransactionCommitted') &&
  event.data.transaction.feeDebts !== undefined;

/** Returns a function that restores the current value of a key in a map. */
function restoring<Key, Value>(map: Map<Key, Value>, key: Key): () => void {
  const value = map.get(key);
  return () => {
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  };
}
