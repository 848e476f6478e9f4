import type { RefusalName } from '#src/domain/errors.ts';
import type { BookedAccount, BookedLedger } from './booked.ts';
import { linesOf } from './lines.ts';
import type { Command } from './request.ts';
import { requestsOf } from './transaction-justice.ts';

/** Whether something was true of what stops an account, or of how it stood, at some moment after `head`. */
export function stopped<Item extends Readonly<{ revision: number }>>(
  items: readonly Item[],
  head: number,
  holds: (item: Item) => boolean,
): boolean {
  return items.some((item, n) => holds(item) && (items[n + 1]?.revision ?? Infinity) > head);
}

/** Whether a block, a closing, or what is left of a balance stopped a command. Undefined, or what speaks against it. */
export function justifiedStop(
  refusal: RefusalName,
  command: Command,
  ledger: BookedLedger | undefined,
  head: number,
): string | undefined {
  const accounts = ledger === undefined ? [] : accountsOf(command, ledger);
  const some = (holds: (account: BookedAccount) => boolean): string | undefined =>
    accounts.some(holds) ? undefined : 'nothing stopped it';
  switch (refusal) {
    case 'ACCOUNT_HELD':
      return some(({ alias }) =>
        [...(ledger?.parts.values() ?? [])].some(
          ({ accounts: awaiting, states }) =>
            awaiting.has(alias) && stopped(states, head, ({ is }) => is === 'bound'),
        ),
      );
    case 'ACCOUNT_BLOCKED':
      return some(({ stops }) => stopped(stops, head, ({ blocked }) => blocked));
    case 'ACCOUNT_CLOSED':
    case 'CLOSED_ALREADY':
      return some(({ stops }) => stopped(stops, head, ({ closed }) => closed));
    case 'BALANCE_LEFT':
      return some(({ standings }) =>
        stopped(standings, head, ({ available, owed }) => available !== 0n || owed !== 0n),
      );
    case 'HOLDS_PENDING':
      return some(({ standings, companion }) =>
        [standings, companion?.standings ?? []].some((of) =>
          stopped(of, head, ({ onHold }) => onHold !== 0n),
        ),
      );
    default:
      return 'it is no stop';
  }
}

function accountsOf(command: Command, ledger: BookedLedger): readonly BookedAccount[] {
  const all = [...ledger.accounts.values()];
  if ('accountId' in command) return all.filter(({ id }) => id === command.accountId);
  if ('balanceId' in command) return all.filter(({ balanceId }) => balanceId === command.balanceId);
  const aliases = new Set(
    requestsOf(command).flatMap((one) => linesOf(one).map(({ alias }) => alias)),
  );
  const old =
    'transactionId' in command ? ledger.transactions.get(command.transactionId) : undefined;
  for (const { record } of old?.images ?? []) {
    for (const { accountAlias } of [...record.operations, ...(record.awaiting ?? [])]) {
      aliases.add(accountAlias);
    }
  }
  return all.filter(({ alias }) => aliases.has(alias));
}
