import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { ZERO } from '#src/kernel/amount.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import { refuse, type LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ifChanged, patched } from '#src/kernel/patch.ts';
import type { BalanceRecord, BalanceSettings } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { awaitsPart } from '#commands/ledger/state/reservations.ts';
import { beforeImage, needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import {
  find,
  isEmpty,
  isInternal,
  OVERDRAFT_KEY,
  stateOf,
  type Account,
  type Balance,
} from '#commands/ledger/state/book.ts';
import { checkOwesNothing } from '#commands/ledger/state/open-debts.ts';
import { checkBalances } from './create.ts';
import { checkUsage, companion, opensCompanion } from './settings.ts';

/** An absent flag stays as it is; settings are replaced as a whole. */
export type UpdateBalance = Readonly<{
  type: 'UpdateBalance';
  organizationId: Uuid;
  balanceId: Uuid;
  changes: Readonly<{
    allowSending?: boolean | undefined;
    allowReceiving?: boolean | undefined;
    settings?: BalanceSettings | undefined;
  }>;
}>;

export type DeleteBalance = Readonly<{
  type: 'DeleteBalance';
  organizationId: Uuid;
  balanceId: Uuid;
}>;

export type BalanceCommand = UpdateBalance | DeleteBalance;

/** A companion balance needs the image of the account as well, because all its balances must fit one append. */
export function needsBalance(
  { book }: Ledger,
  command: BalanceCommand,
  facts: Facts,
): Needs | undefined {
  const known = book.balanceById(command.balanceId);
  if (known === undefined) return undefined;
  const settings = command.type === 'UpdateBalance' ? command.changes.settings : undefined;
  const own = known.balance.revision;
  return settings?.allowOverdraft === true
    ? needsBeforeImages(facts, own, known.account.revision)
    : needsBeforeImages(facts, own);
}

/**
 * Flags and settings apply from the next transaction on. The first time that one of the account's balances may
 * overdraw, the companion balance that shows the debt is opened first.
 */
export function updateBalance(
  { book }: Ledger,
  { balanceId, changes }: UpdateBalance,
  facts: Facts,
  { instant }: Stamp,
): Decision<LedgerEvent> {
  const { account, balance: known } = book.balanceById(balanceId) ?? notFound();
  const { allowSending, allowReceiving, settings } = changes;
  if (isInternal(known)) throw internal('INTERNAL_NOT_EDITABLE', account, known);
  if (settings !== undefined) checkUsage(account, known, settings);
  const owing = opensCompanion(account, settings);
  if (owing) checkBalances(account, beforeImage('account', account.revision, facts), 1);

  const patch = {
    ...(allowSending !== undefined && { allowSending }),
    ...(allowReceiving !== undefined && { allowReceiving }),
    ...(settings !== undefined && { settings }),
  };
  const before = beforeImage('balance', known.revision, facts);
  const { record: balance, changed } = patched<BalanceRecord>(before, patch, instant);
  const decided = ifChanged({
    type: 'BalanceUpdated',
    data: { balance, state: stateOf(known), changed },
  } as const);
  if (!owing || 'unchanged' in decided) return decided;
  const debt = companion(balance, account.parts + 1, instant);
  const opened = { balance: debt, parentBalanceId: balance.id };
  return [{ type: 'BalanceCreated', data: opened }, ...decided];
}

/** An external account's balance can be deleted only with its asset, and a companion balance only with its account. */
export function deleteBalance(
  { book, parts, debts }: Ledger,
  { balanceId }: DeleteBalance,
  facts: Facts,
  { instant }: Stamp,
): LedgerEvent {
  const { account, balance: known } = book.balanceById(balanceId) ?? notFound();
  const name = `${account.alias}#${known.key}`;
  if (isInternal(known)) throw internal('INTERNAL_NOT_DELETABLE', account, known);
  if (account.external) {
    throw refuse('BALANCE_NOT_DELETABLE', `${name} can be deleted only together with its asset.`);
  }
  // An amount that was held entirely from the overdraft is on hold on the companion balance only.
  const holds = (find(account, OVERDRAFT_KEY)?.onHold ?? ZERO) !== ZERO;
  if (!isEmpty(known) || holds) throw refuse('BALANCE_NOT_DELETABLE', `${name} is not zero.`);
  if (awaitsPart(parts, account.id)) {
    throw refuse('BALANCE_NOT_DELETABLE', `${name} awaits a part of a group.`);
  }
  checkOwesNothing(debts, account, known.key);
  const before = beforeImage('balance', known.revision, facts);
  const balance = { ...before, updatedAt: instant, deletedAt: instant };
  return { type: 'BalanceDeleted', data: { balance, state: stateOf(known) } };
}

const internal = (name: LedgerRefusalName, { alias }: Account, { key }: Balance): Refusal =>
  refuse(name, `${alias}#${key} is kept by the ledger itself.`);

function notFound(): never {
  throw refuse('NOT_FOUND', 'There is no such balance.');
}
