import type { LedgerFact } from './state/journal-facts.ts';
import { ledgerNotFound } from '#src/events/ledger/absent.ts';
import type { Decider } from '#src/kernel/decider.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { grantBlockExceptions } from './account/block-exceptions.ts';
import { closeAccount } from './account/close.ts';
import { needsHolder } from './account/holder.ts';
import { openAccount } from './account/open-account.ts';
import { deleteAccount, accountImageRevisions } from './account/delete.ts';
import { ownHolderOnly } from './account/holder-lookup.ts';
import { updateAccount } from './account/update.ts';
import { decideAccountType, needsAccountType } from '#commands/ledger/records/account-type.ts';
import {
  createAsset,
  deleteAsset,
  needsAsset,
  updateAsset,
} from '#commands/ledger/records/asset.ts';
import { needsAssetRate, putAssetRate } from '#commands/ledger/records/asset-rate.ts';
import { deleteBalance, needsBalance, updateBalance } from './balance/change.ts';
import { createBalance, needsAccount } from './balance/create.ts';
import { evolveLedger, evolveLedgerText, undoingOf } from '#commands/ledger/state/evolve-ledger.ts';
import { checkAwaitsNone } from '#commands/ledger/state/reservations.ts';
import { needsPrepare, preparePart } from '#commands/ledger/cross-ledger/prepare-part.ts';
import { findPart, needsFindPart } from '#commands/ledger/cross-ledger/find-part.ts';
import { needsSettlePart, settlePart } from '#commands/ledger/cross-ledger/settle-part.ts';
import { needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import { ledgerToSnapshot, ledgerFromSnapshot } from '#commands/ledger/state/snapshot.ts';
import {
  closeLedger,
  needsUpdate,
  openLedger,
  updateLedger,
} from '#commands/ledger/records/ledger-record.ts';
import { noSuchLedger } from '#commands/ledger/state/ledger-names.ts';
import { changeLedgerSettings } from '#commands/ledger/records/ledger-settings.ts';
import type { LedgerCommand } from './ledger-commands.ts';
import { emptyLedger, type Ledger } from '#commands/ledger/state/ledger-state.ts';
import { decideRoute, needsRoute } from './routing/decide.ts';
import type { RouteOwner } from './routing/route-owner.ts';
import { decidePortfolio, needsPortfolio } from '#commands/ledger/records/portfolio.ts';
import { decideSegment, needsSegment } from '#commands/ledger/records/segment.ts';
import { needsTransaction } from './transaction/load-transaction.ts';
import { needsPosting, postTransaction, postTransactions } from './transaction/decider.ts';
import { needsRevert, revertTransaction } from './transaction/revert.ts';
import { needsSettle, settleTransaction } from './transaction/settle.ts';
import { updateOperation, updateTransaction } from './transaction/update.ts';
import { claimMetadata, needsClaim } from './unique/claim.ts';
import { revisionInLedger } from './unique/revisions.ts';
import { withUniqueValues } from '#commands/ledger/unique/with-unique-values.ts';

const holders = ownHolderOnly;

/** Routes a command to the rules of its slice; every slice reads the whole ledger. */
const rules: Decider<Ledger, LedgerCommand, LedgerEvent> = {
  category: 'ledger',
  snapshotVersion: 5,

  initialState: emptyLedger,

  needs(ledger, command, facts) {
    switch (command.type) {
      case 'UpdateLedger':
        return needsUpdate(ledger, command, facts);
      case 'ChangeLedgerSettings':
      case 'DeleteLedger':
        return ledger.is === 'live' ? needsBeforeImages(facts, ledger.revision) : undefined;
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
        return needsHolder(ledger, command.fields, holders, facts);
      case 'UpdateAccount':
      case 'CloseAccount': {
        const account = ledger.book.accountById(command.accountId);
        return account && needsBeforeImages(facts, account.revision);
      }
      case 'DeleteAccount': {
        const account = ledger.book.accountById(command.accountId);
        return account && needsBeforeImages(facts, ...accountImageRevisions(account));
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
        return needsRevert(ledger, command.transactionId, facts);
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
        return needsFindPart(ledger, command, facts);
      case 'ClaimMetadata':
        return needsClaim(ledger, command, facts, revisionInLedger);
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
      return ledger.is === 'live' ? claimMetadata(ledger, command, facts, revisionInLedger) : [];
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

  evolve: evolveLedger,
  undoing: undoingOf,
  evolveText: evolveLedgerText,

  fact: ({ is, organizationId, routes }): LedgerFact | undefined =>
    is === 'absent' ? undefined : { live: is === 'live', organizationId, ...routes.fact() },

  toSnapshot: ledgerToSnapshot,
  fromSnapshot: (chunks) => ledgerFromSnapshot(emptyLedger(), chunks),
};

export const ledgerDecider = withUniqueValues(rules, revisionInLedger);

const routeOwner = ({ id, organizationId, routes }: Ledger): RouteOwner => ({
  organizationId,
  ledgerId: id,
  routes,
  ledgers: () => [],
});

/** Its settings are a part of it (contract ledger §1.10). */
const isOfLedgerItself = ({ type }: LedgerCommand): boolean =>
  type === 'UpdateLedger' || type === 'ChangeLedgerSettings';
