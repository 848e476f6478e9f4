import type { LedgerFact } from './state/journal-facts.ts';
import { ledgerNotFound } from '#src/events/ledger/absent.ts';
import type { Decider, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { grantBlockExceptions } from './account/block-exceptions.ts';
import { closeAccount, type CloseAccount } from './account/close.ts';
import { needsHolder } from './account/holder.ts';
import { openAccount } from './account/open-account.ts';
import { deleteAccount, accountImageRevisions } from './account/delete.ts';
import { updateAccount, type UpdateAccount } from './account/update.ts';
import { decideAsset, needsAsset } from '#commands/ledger/records/asset.ts';
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
import { collectFeeDebts } from '#commands/ledger/fee-debts/collect.ts';
import { noSuchLedger } from '#commands/ledger/state/ledger-names.ts';
import { changeLedgerSettings } from '#commands/ledger/records/ledger-settings.ts';
import type { LedgerRule } from '#commands/ledger/state/ledger-rule.ts';
import type { LedgerCommand } from './ledger-commands.ts';
import { emptyLedger, type Ledger } from '#commands/ledger/state/ledger-state.ts';
import { decideRoute, needsRoute, type RouteCommand } from './routing/decide.ts';
import type { RouteOwner } from './routing/route-owner.ts';
import { recordRules } from '#commands/ledger/records/record-rules.ts';
import { needsTransaction } from './transaction/load-transaction.ts';
import { needsPosting, postTransaction, postTransactions } from './transaction/decider.ts';
import { needsRevert, revertTransaction } from './transaction/revert.ts';
import { needsSettle, settleTransaction } from './transaction/settle.ts';
import { updateOperation, updateTransaction } from './transaction/update.ts';
import { claimMetadata, needsClaim } from './unique/claim.ts';
import { revisionInLedger } from './unique/revisions.ts';
import { withUniqueValues } from '#commands/ledger/unique/with-unique-values.ts';

type LedgerRules = {
  readonly [Type in LedgerCommand['type']]: LedgerRule<Extract<LedgerCommand, { type: Type }>>;
};

/** Makes a decision of a function that returns one event. */
const single =
  <Command>(
    decide: (ledger: Ledger, command: Command, facts: Facts, stamp: Stamp) => LedgerEvent,
  ): LedgerRule<Command>['decide'] =>
  (ledger, command, facts, stamp) => [decide(ledger, command, facts, stamp)];

const needsLedger = ({ is, revision }: Ledger, _: unknown, facts: Facts): Needs | undefined =>
  is === 'live' ? needsBeforeImages(facts, revision) : undefined;

const needsKnownAccount = (
  { book }: Ledger,
  { accountId }: UpdateAccount | CloseAccount,
  facts: Facts,
): Needs | undefined => {
  const account = book.accountById(accountId);
  return account && needsBeforeImages(facts, account.revision);
};

const needsChanged = (
  ledger: Ledger,
  { transactionId }: Readonly<{ transactionId: Uuid }>,
  facts: Facts,
): Needs | undefined => needsTransaction(ledger, transactionId, facts);

const asset = { needs: needsAsset, decide: decideAsset };
const settlement = { needs: needsSettle, decide: single(settleTransaction) };
const route: LedgerRule<RouteCommand> = {
  needs: (ledger, command, facts) => needsRoute(routeOwner(ledger), command, facts),
  decide: (ledger, command, facts, stamp) => decideRoute(routeOwner(ledger), command, facts, stamp),
};
const lookup = { needs: needsFindPart, decide: findPart };
const preparation = { needs: needsPrepare, decide: preparePart };
const partSettlement = { needs: needsSettlePart, decide: settlePart };

/** The rules of every command; each reads the whole ledger. */
const table: LedgerRules = {
  OpenLedger: { decide: openLedger, inAnyLedger: true },
  UpdateLedger: { needs: needsUpdate, decide: updateLedger },
  ChangeLedgerSettings: { needs: needsLedger, decide: changeLedgerSettings },
  DeleteLedger: {
    needs: needsLedger,
    decide(ledger, command, facts, stamp) {
      if (ledger.organizationId !== command.organizationId) throw noSuchLedger();
      checkAwaitsNone(ledger.parts);
      return closeLedger(ledger, command, facts, stamp);
    },
    inAnyLedger: true,
  },
  ClaimMetadata: {
    needs: (ledger, command, facts) => needsClaim(ledger, command, facts, revisionInLedger),
    decide: (ledger, command, facts) =>
      ledger.is === 'live' ? claimMetadata(ledger, command, facts, revisionInLedger) : [],
    inAnyLedger: true,
  },

  ...recordRules,
  CreateAsset: asset,
  UpdateAsset: asset,
  DeleteAsset: asset,
  PutAssetRate: { needs: needsAssetRate, decide: single(putAssetRate) },

  CreateAccount: {
    needs: (ledger, command, facts) => needsHolder(ledger, command.fields, facts),
    decide: single((ledger, command, facts, stamp) => openAccount(ledger, command, facts, stamp)),
  },
  UpdateAccount: { needs: needsKnownAccount, decide: updateAccount },
  CloseAccount: { needs: needsKnownAccount, decide: single(closeAccount) },
  DeleteAccount: {
    needs({ book }, { accountId }, facts) {
      const account = book.accountById(accountId);
      return account && needsBeforeImages(facts, ...accountImageRevisions(account));
    },
    decide: single(deleteAccount),
  },
  GrantBlockExceptions: {
    decide: single((ledger, command, _, stamp) => grantBlockExceptions(ledger, command, stamp)),
  },

  CreateBalance: { needs: needsAccount, decide: createBalance },
  UpdateBalance: { needs: needsBalance, decide: updateBalance },
  DeleteBalance: { needs: needsBalance, decide: single(deleteBalance) },

  PostTransaction: { needs: needsPosting, decide: single(postTransaction) },
  PostTransactions: { needs: needsPosting, decide: postTransactions },
  CommitTransaction: settlement,
  CancelTransaction: settlement,
  RevertTransaction: {
    needs: (ledger, { transactionId }, facts) => needsRevert(ledger, transactionId, facts),
    decide: single(revertTransaction),
  },
  CollectFeeDebts: { decide: collectFeeDebts },
  UpdateTransaction: { needs: needsChanged, decide: updateTransaction },
  UpdateOperation: { needs: needsChanged, decide: updateOperation },

  CreateOperationRoute: route,
  UpdateOperationRoute: route,
  DeleteOperationRoute: route,
  CreateTransactionRoute: route,
  UpdateTransactionRoute: route,
  DeleteTransactionRoute: route,

  FindMember: lookup,
  FindBlockException: lookup,
  FindGroupPart: { ...lookup, inAnyLedger: true },
  RecallGroupPart: { ...lookup, inAnyLedger: true },
  CheckGroupPart: preparation,
  PrepareGroupPart: preparation,
  CheckGroupCommit: partSettlement,
  BindGroupPart: partSettlement,
  UnbindGroupPart: partSettlement,
  PostGroupPart: partSettlement,
  CancelGroupPart: partSettlement,
};

const rules: Decider<Ledger, LedgerCommand, LedgerEvent> = {
  category: 'ledger',
  snapshotVersion: 6,

  initialState: emptyLedger,

  needs: (ledger, command, facts) =>
    (table[command.type] as LedgerRule<LedgerCommand>).needs?.(ledger, command, facts),

  decide(ledger, command, facts, stamp) {
    const rule = table[command.type] as LedgerRule<LedgerCommand>;
    if (rule.inAnyLedger !== true) checkLive(ledger, command);
    return rule.decide(ledger, command, facts, stamp);
  },

  eventsOf: (command) => (command.type === 'PostTransactions' ? command.requests.length : 1),

  evolve: evolveLedger,
  undoing: undoingOf,
  evolveText: evolveLedgerText,

  fact: ({ is, organizationId, routes, records, book }): LedgerFact | undefined =>
    is === 'absent'
      ? undefined
      : {
          live: is === 'live',
          organizationId,
          ...routes.fact(),
          hasSegment: (id) => records.segments.get(id) !== undefined,
          hasAccount: (id) => book.accountById(id) !== undefined,
          accountNamed: (alias) => book.account(alias),
        },

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

/** Errors: LEDGER_NOT_FOUND, or NOT_FOUND when the command is about the ledger itself. */
function checkLive(ledger: Ledger, command: LedgerCommand): void {
  const { organizationId } = command as Readonly<{ organizationId: Uuid }>;
  if (ledger.is === 'live' && ledger.organizationId === organizationId) return;
  throw isOfLedgerItself(command) ? noSuchLedger() : ledgerNotFound();
}

/** The ledger's settings are part of it (contract ledger §1.10). */
const isOfLedgerItself = ({ type }: LedgerCommand): boolean =>
  type === 'UpdateLedger' || type === 'ChangeLedgerSettings';
