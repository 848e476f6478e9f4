import { ledgerNotFound } from '#src/domain/absent.ts';
import type { Decider, JournalOf } from '#src/domain/decider.ts';
import { defaultSettings } from '#src/domain/ledger-settings.ts';
import { detached } from '#src/domain/detached.ts';
import { unreachable } from '#src/domain/unreachable.ts';
import type { LedgerEvent } from '#src/events/ledger.ts';
import { balancesLeft } from '#src/events/posted.ts';
import {
  evolveBlockExceptions,
  grantBlockExceptions,
  useUp,
  type GrantBlockExceptions,
} from './account/block-exceptions.ts';
import { closeAccount, type CloseAccount } from './account/close.ts';
import { needsOpening, openAccount, type CreateAccount } from './account/decider.ts';
import { deleteAccount, imagesOfAccount, type DeleteAccount } from './account/delete.ts';
import { ownHolderOnly } from './account/holder-lookup.ts';
import { updateAccount, type UpdateAccount } from './account/update.ts';
import {
  decideAccountType,
  evolveAccountTypes,
  needsAccountType,
  type AccountTypeCommand,
} from './account-type.ts';
import {
  createAsset,
  deleteAsset,
  evolveAssets,
  needsAsset,
  removeAsset,
  updateAsset,
  type AssetCommand,
} from './asset.ts';
import { evolveAssetRate, needsAssetRate, putAssetRate, type PutAssetRate } from './asset-rate.ts';
import {
  deleteBalance,
  needsBalance,
  updateBalance,
  type BalanceCommand,
} from './balance/change.ts';
import { createBalance, needsAccount, type CreateBalance } from './balance/create.ts';
import { checkAwaitsNone, evolveParts } from './group/parts.ts';
import { needsPrepare, preparePart, type PreparePart } from './group/prepare-part.ts';
import { findPart, needsFound, type FindPart } from './group/find-part.ts';
import { needsSettlePart, settlePart, type SettlePart } from './group/settle-part.ts';
import { needsImages } from './images.ts';
import { freezeLedger, thawLedger } from './freeze.ts';
import {
  closeLedger,
  openLedger,
  updateLedger,
  type LedgerRecordCommand,
} from './ledger-record.ts';
import { noSuchLedger } from './ledger-names.ts';
import { changeLedgerSettings, type ChangeLedgerSettings } from './ledger-settings.ts';
import { emptyLedger, type Ledger } from './ledger-state.ts';
import { decideRoute, needsRoute, type RouteCommand } from './routing/decide.ts';
import type { RouteOwner } from './routing/route-owner.ts';
import {
  decidePortfolio,
  evolvePortfolios,
  needsPortfolio,
  type PortfolioCommand,
} from './portfolio.ts';
import { decideSegment, evolveSegments, needsSegment, type SegmentCommand } from './segment.ts';
import { needsTransaction } from './transaction/before.ts';
import type { TransactionCommand } from './transaction/commands.ts';
import { needsPosting, postTransaction, postTransactions } from './transaction/decider.ts';
import { needsRevert, revertTransaction } from './transaction/revert.ts';
import { needsSettle, settleTransaction } from './transaction/settle.ts';
import { updateOperation, updateTransaction } from './transaction/update.ts';
import { claimMetadata, needsClaim, type ClaimMetadata } from './unique/claim.ts';
import { revisionIn } from './unique/revisions.ts';
import { withUniqueValues } from './unique/unique.ts';

/** The organization in the path comes along: a ledger is not found below another one. */
export type LedgerCommand =
  | LedgerRecordCommand
  | ChangeLedgerSettings
  | AssetCommand
  | PutAssetRate
  | SegmentCommand
  | PortfolioCommand
  | AccountTypeCommand
  | CreateAccount
  | UpdateAccount
  | CloseAccount
  | DeleteAccount
  | GrantBlockExceptions
  | CreateBalance
  | BalanceCommand
  | RouteCommand
  | TransactionCommand
  | PreparePart
  | SettlePart
  | FindPart
  | ClaimMetadata;

export type LedgerJournal = JournalOf<LedgerCommand, LedgerEvent>;

const holders = ownHolderOnly;

/** Routes a command to the rules of its slice; every slice reads the whole ledger. */
const rules: Decider<Ledger, LedgerCommand, LedgerEvent> = {
  category: 'ledger',
  snapshotVersion: 5,

  initialState: emptyLedger,

  needs(ledger, command, facts) {
    switch (command.type) {
      case 'UpdateLedger':
      case 'ChangeLedgerSettings':
      case 'DeleteLedger':
        return ledger.is === 'live' ? needsImages(facts, ledger.revision) : undefined;
      case 'UpdateAsset':
      case 'DeleteAsset':
        return needsAsset(ledger, command, facts);
      case 'PutAssetRate':
        return needsAssetRate(ledger, command, facts);
      case 'UpdateSegment':
      case 'DeleteSegment':
        return needsSegment(ledger, command, facts);
      case 'UpdatePortfolio':
      case 'DeletePortfolio':
        return needsPortfolio(ledger, command, facts);
      case 'UpdateAccountType':
      case 'DeleteAccountType':
        return needsAccountType(ledger, command, facts);
      case 'CreateAccount':
        return needsOpening(ledger, command, holders, facts);
      case 'UpdateAccount':
      case 'CloseAccount': {
        const account = ledger.book.accountById(command.accountId);
        return account && needsImages(facts, account.revision);
      }
      case 'DeleteAccount': {
        const account = ledger.book.accountById(command.accountId);
        return account && needsImages(facts, ...imagesOfAccount(account));
      }
      case 'CreateBalance':
        return needsAccount(ledger, command, facts);
      case 'UpdateBalance':
      case 'DeleteBalance':
        return needsBalance(ledger, command, facts);
      case 'PostTransaction':
      case 'PostTransactions':
        return needsPosting(ledger, command, facts);
      case 'CommitTransaction':
      case 'CancelTransaction':
        return needsSettle(ledger, command, facts);
      case 'UpdateTransaction':
      case 'UpdateOperation':
        return needsTransaction(ledger, command.transactionId, facts);
      case 'RevertTransaction':
        return needsRevert(ledger, command, facts);
      case 'UpdateOperationRoute':
      case 'DeleteOperationRoute':
      case 'CreateTransactionRoute':
      case 'UpdateTransactionRoute':
      case 'DeleteTransactionRoute':
        return needsRoute(routeOwner(ledger), command, facts);
      case 'CheckGroupPart':
      case 'PrepareGroupPart':
        return needsPrepare(ledger, command, facts);
      case 'CheckGroupCommit':
      case 'BindGroupPart':
      case 'UnbindGroupPart':
      case 'PostGroupPart':
      case 'CancelGroupPart':
        return needsSettlePart(ledger, command, facts);
      case 'FindMember':
      case 'FindBlockException':
      case 'FindGroupPart':
      case 'RecallGroupPart':
        return needsFound(ledger, command, facts);
      case 'ClaimMetadata':
        return needsClaim(ledger, command, facts, revisionIn);
      default:
        return undefined; // The state is enough.
    }
  },

  decide(ledger, command, facts, stamp) {
    if (command.type === 'OpenLedger') return openLedger(ledger, command);
    if (command.type === 'FindGroupPart' || command.type === 'RecallGroupPart') {
      return findPart(ledger, command, facts); // Also when the ledger is closed.
    }

    if (command.type === 'ClaimMetadata') {
      return ledger.is === 'live' ? claimMetadata(ledger, command, facts, revisionIn) : [];
    }

    const isBelow = ledger.organizationId === command.organizationId;
    if (command.type === 'DeleteLedger') {
      if (!isBelow) throw noSuchLedger();
      checkAwaitsNone(ledger.parts);
      return closeLedger(ledger, command, facts, stamp);
    }
    if (ledger.is !== 'live' || !isBelow) {
      throw isOfLedgerItself(command) ? noSuchLedger() : ledgerNotFound();
    }
    switch (command.type) {
      case 'UpdateLedger':
        return updateLedger(ledger, command, facts, stamp);
      case 'ChangeLedgerSettings':
        return changeLedgerSettings(ledger, command, facts, stamp);
      case 'CreateAsset':
        return createAsset(ledger, command, stamp);
      case 'CreateAccount':
        return [openAccount(ledger, command, holders, facts, stamp)];
      case 'UpdateAsset':
        return updateAsset(ledger, command, facts, stamp);
      case 'DeleteAsset':
        return deleteAsset(ledger, command, facts, stamp);
      case 'PutAssetRate':
        return [putAssetRate(ledger, command, facts, stamp)];
      case 'CreateSegment':
      case 'UpdateSegment':
      case 'DeleteSegment':
        return decideSegment(ledger, command, facts, stamp);
      case 'CreatePortfolio':
      case 'UpdatePortfolio':
      case 'DeletePortfolio':
        return decidePortfolio(ledger, command, facts, stamp);
      case 'CreateAccountType':
      case 'UpdateAccountType':
      case 'DeleteAccountType':
        return decideAccountType(ledger, command, facts, stamp);
      case 'UpdateAccount':
        return updateAccount(ledger, command, facts, stamp);
      case 'CloseAccount':
        return [closeAccount(ledger, command, facts, stamp)];
      case 'DeleteAccount':
        return [deleteAccount(ledger, command, facts, stamp)];
      case 'GrantBlockExceptions':
        return [grantBlockExceptions(ledger, command, stamp)];
      case 'CreateBalance':
        return createBalance(ledger, command, facts, stamp);
      case 'UpdateBalance':
        return updateBalance(ledger, command, facts, stamp);
      case 'DeleteBalance':
        return [deleteBalance(ledger, command, facts, stamp)];
      case 'PostTransaction':
        return [postTransaction(ledger, command, facts, stamp)];
      case 'PostTransactions':
        return postTransactions(ledger, command, facts, stamp);
      case 'CommitTransaction':
      case 'CancelTransaction':
        return [settleTransaction(ledger, command, facts, stamp)];
      case 'RevertTransaction':
        return [revertTransaction(ledger, command, facts, stamp)];
      case 'UpdateTransaction':
        return updateTransaction(ledger, command, facts, stamp);
      case 'UpdateOperation':
        return updateOperation(ledger, command, facts, stamp);
      case 'CreateOperationRoute':
      case 'UpdateOperationRoute':
      case 'DeleteOperationRoute':
      case 'CreateTransactionRoute':
      case 'UpdateTransactionRoute':
      case 'DeleteTransactionRoute':
        return decideRoute(routeOwner(ledger), command, facts, stamp);
      case 'FindMember':
      case 'FindBlockException':
        return findPart(ledger, command, facts);
      case 'CheckGroupPart':
      case 'PrepareGroupPart':
        return preparePart(ledger, command, facts, stamp);
      case 'CheckGroupCommit':
      case 'BindGroupPart':
      case 'UnbindGroupPart':
      case 'PostGroupPart':
      case 'CancelGroupPart':
        return settlePart(ledger, command, facts, stamp);
      default:
        return unreachable(command);
    }
  },

  evolve(ledger, event, revision) {
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
        evolveAssets(ledger.assets, event.data.asset, revision);
        break;
      case 'AssetRateCreated':
      case 'AssetRateUpdated':
        evolveAssetRate(ledger.rates, event.data.assetRate, revision);
        break;
      case 'AccountOpened':
        ledger.book.open(event.data.account, event.data.balance, revision);
        break;
      case 'AssetDeleted':
        removeAsset(ledger.assets, event.data.asset.id);
        break;
      case 'SegmentCreated':
      case 'SegmentUpdated':
      case 'SegmentDeleted':
        evolveSegments(ledger.records.segments, event, revision);
        break;
      case 'PortfolioCreated':
      case 'PortfolioUpdated':
      case 'PortfolioDeleted':
        evolvePortfolios(ledger.records.portfolios, event, revision);
        break;
      case 'AccountTypeCreated':
      case 'AccountTypeUpdated':
      case 'AccountTypeDeleted':
        evolveAccountTypes(ledger.records.accountTypes, event, revision);
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
        evolveParts(ledger.parts, event);
        useUp(ledger.exceptions, event.data);
        break;
      case 'TransactionHeld':
        ledger.book.move(event.data.transaction.operations);
        ledger.pending.set(detached(event.data.transaction.id), revision);
        evolveParts(ledger.parts, event);
        break;
      case 'TransactionCommitted':
      case 'TransactionCanceled':
        useUp(ledger.exceptions, event.data);
        ledger.book.move(event.data.transaction.operations.slice(-event.data.stepOperations));
        ledger.pending.delete(event.data.transaction.id);
        evolveParts(ledger.parts, event);
        break;
      case 'GroupPrepared':
      case 'GroupReleased':
        evolveParts(ledger.parts, event);
        break;
      case 'TransactionUpdated':
      case 'OperationUpdated':
        if (ledger.pending.has(event.data.transaction.id)) {
          ledger.pending.set(event.data.transaction.id, revision);
        }
        break;
      case 'TransactionNoted':
      case 'MetadataClaimed':
        break; // It moves nothing.
      case 'OperationRouteCreated':
      case 'OperationRouteUpdated':
      case 'OperationRouteDeleted':
      case 'TransactionRouteCreated':
      case 'TransactionRouteUpdated':
      case 'TransactionRouteDeleted':
        ledger.routes.evolve(event, revision);
        break;
      default:
        unreachable(event);
    }
  },

  undoing(ledger, event) {
    const { book, pending } = ledger;
    if (isPartOfGroup(event)) return undefined; // There are few of them.
    if ('accountBlockExceptionId' in event.data) return undefined; // Seldom used.
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
        return undefined; // Records change seldom.
    }
  },

  evolveText(ledger, type, data) {
    const left = type === 'TransactionPosted' ? balancesLeft(data) : undefined;
    if (left === undefined) return false;
    ledger.book.move(left);
    return true;
  },

  fact: ({ is, organizationId, routes }) =>
    is === 'absent' ? undefined : { live: is === 'live', within: organizationId, ...routes.fact() },

  freeze: freezeLedger,
  thaw: (chunks) => thawLedger(emptyLedger(), chunks),
};

export const ledgerDecider = withUniqueValues(rules, revisionIn);

const routeOwner = ({ id, organizationId, routes }: Ledger): RouteOwner => ({
  organizationId,
  ledgerId: id,
  routes,
  ledgers: () => [],
});

/** Its settings are a part of it (contract ledger §1.10). */
const isOfLedgerItself = ({ type }: LedgerCommand): boolean =>
  type === 'UpdateLedger' || type === 'ChangeLedgerSettings';
const isPartOfGroup = (event: LedgerEvent): boolean =>
  'transaction' in event.data && event.data.transaction.groupId !== undefined;

/** Puts back what a map has under a key now. */
function restoring<Key, Value>(map: Map<Key, Value>, key: Key): () => void {
  const value = map.get(key);
  return () => {
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  };
}
