import type { Decision, Facts, Needs, Stamp } from '#src/domain/decider.ts';
import { refuse } from '#src/domain/errors.ts';
import type { Uuid } from '#src/domain/ids.ts';
import { ifChanged, patched } from '#src/domain/patch.ts';
import type { BalanceRecord, LedgerEvent } from '#src/events/ledger.ts';
import { awaitsPart } from '#commands/ledger/group/parts.ts';
import { imageAt, needsImages } from '#commands/ledger/images.ts';
import type { Ledger } from '#commands/ledger/ledger-state.ts';
import { isEmpty, stateOf } from '#commands/ledger/transaction/book.ts';

/** A flag that is absent stays as it is. */
export type UpdateBalance = Readonly<{
  type: 'UpdateBalance';
  organizationId: Uuid;
  balanceId: Uuid;
  changes: Readonly<{ allowSending?: boolean | undefined; allowReceiving?: boolean | undefined }>;
}>;

export type DeleteBalance = Readonly<{
  type: 'DeleteBalance';
  organizationId: Uuid;
  balanceId: Uuid;
}>;

export type BalanceCommand = UpdateBalance | DeleteBalance;

export function needsBalance(
  { book }: Ledger,
  { balanceId }: BalanceCommand,
  facts: Facts,
): Needs | undefined {
  const known = book.balanceById(balanceId);
  return known && needsImages(facts, known.balance.revision);
}

/** A flag binds the very next transaction. */
export function updateBalance(
  { book }: Ledger,
  { balanceId, changes }: UpdateBalance,
  facts: Facts,
  { instant }: Stamp,
): Decision<LedgerEvent> {
  const { balance: known } = book.balanceById(balanceId) ?? notFound();
  const { allowSending, allowReceiving } = changes;
  const patch = {
    ...(allowSending !== undefined && { allowSending }),
    ...(allowReceiving !== undefined && { allowReceiving }),
  };
  const before = imageAt('balance', known.revision, facts);
  const { record: balance, changed } = patched<BalanceRecord>(before, patch, instant);
  return ifChanged({ type: 'BalanceUpdated', data: { balance, state: stateOf(known), changed } });
}

/** The default balance goes with its account, and no other way. */
export function deleteBalance(
  { book, parts }: Ledger,
  { balanceId }: DeleteBalance,
  facts: Facts,
  { instant }: Stamp,
): LedgerEvent {
  const { account, balance: known } = book.balanceById(balanceId) ?? notFound();
  const name = `${account.alias}#${known.key}`;
  if (known.key === 'default') {
    throw refuse('BALANCE_NOT_DELETABLE', `${name} can be deleted only together with its account.`);
  }
  if (!isEmpty(known)) throw refuse('BALANCE_NOT_DELETABLE', `${name} is not zero.`);
  if (awaitsPart(parts, account.id)) {
    throw refuse('BALANCE_NOT_DELETABLE', `${name} awaits a part of a group.`);
  }
  const before = imageAt('balance', known.revision, facts);
  const balance = { ...before, updatedAt: instant, deletedAt: instant };
  return { type: 'BalanceDeleted', data: { balance, state: stateOf(known) } };
}

function notFound(): never {
  throw refuse('NOT_FOUND', 'There is no such balance.');
}
