import type { RefusalName } from '#src/kernel/errors.ts';
import { hadBalance, type BookedAccount, type BookedLedger } from './booked.ts';
import { linesOf } from './lines.ts';
import { isAwaited, stopped } from './moments.ts';
import type { Command } from './request.ts';
import { requestsOf } from './transaction-oracle.ts';

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
      return some(({ alias }) => isAwaited(ledger, alias, head));
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
    case 'BALANCE_NOT_DELETABLE':
      return some(({ external, standings, companion, alias }) => {
        const filled = stopped(standings, head, ({ available, onHold, owed }) => {
          return available !== 0n || onHold !== 0n || owed !== 0n;
        });
        const held = stopped(companion?.standings ?? [], head, ({ onHold }) => onHold !== 0n);
        return external || filled || held || isAwaited(ledger, alias, head);
      });
    case 'KEY_TAKEN':
      return some(({ standings }) => stopped(standings, head, ({ live }) => live));
    default:
      return 'it is no stop';
  }
}

function accountsOf(command: Command, ledger: BookedLedger): readonly BookedAccount[] {
  const all = [...ledger.accounts.values()];
  if ('accountId' in command) return all.filter(({ id }) => id === command.accountId);
  if ('balanceId' in command) return all.filter((one) => hadBalance(one, command.balanceId));
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
