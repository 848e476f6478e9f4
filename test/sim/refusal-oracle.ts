import type { CreateAccount } from '#commands/ledger/account/open-account.ts';
import type { UpdateBalance } from '#commands/ledger/balance/change.ts';
import type { CreateBalance } from '#commands/ledger/balance/create.ts';
import type { Refusal } from '#src/kernel/errors.ts';
import {
  hadBalance,
  units,
  type BookedAccount,
  type BookedLedger,
  type Standing,
} from './booked.ts';
import type { Books } from './books.ts';
import type { LogOracle } from './log-oracle.ts';
import { justifiedException } from './exception-oracle.ts';
import type { Attempt } from './request.ts';
import { FOLLOWED_MS_MAX } from './route-oracle.ts';
import { stopped } from './moments.ts';
import { justifiedStop } from './stop-oracle.ts';
import { justifiedOfTransaction } from './transaction-oracle.ts';

/**
 * Whether a refusal was just: true at some moment between the asking and the answer, in the log. Answers
 * undefined, or what speaks against it.
 */
export function isJustifiedRefusal(
  attempt: Attempt,
  { refusal }: Refusal,
  books: Books,
  chronicle: LogOracle,
  now: string,
): string | undefined {
  const { request, head } = attempt;
  const command = request.command(attempt.process);
  const ledger = books.ledgers.get(request.journal.name.slice('ledger-'.length));
  switch (refusal) {
    case 'NOT_FOUND':
      if (request.tenantId !== 'default') return undefined;
      if ('balanceId' in command) return balanceWasThere(command.balanceId, ledger, head);
      return justifiedOfTransaction(refusal, command, ledger, head);
    case 'IDEMPOTENCY_KEY_IN_USE': {
      const uses = chronicle.usesOf(request.journal.name, request.key ?? '');
      const other = uses.some(({ metadata }) => metadata.requestHash !== request.hash);
      return other ? undefined : 'no other request used the key';
    }
    case 'ORGANIZATION_NOT_FOUND':
    case 'LEDGER_NOT_FOUND':
      return head < 0 ? undefined : 'it was there';
    case 'LEDGER_NAME_TAKEN': {
      const organization = books.organizations.get(
        request.journal.name.slice('organization-'.length),
      );
      if (command.type !== 'ReserveLedgerName') return 'nothing was to be named';
      return organization?.names.has(command.ledger.name.toLowerCase()) ? undefined : 'it was free';
    }
    case 'PARENT_ORGANIZATION_NOT_FOUND': {
      if (command.type !== 'CreateOrganization') return 'there is no parent';
      const parent = books.organizations.get(command.organization.parentOrganizationId ?? '');
      const known = parent !== undefined && parent.foundedMs < attempt.startedMs - FOLLOWED_MS_MAX;
      return known ? 'the parent was there' : undefined;
    }
    case 'ASSET_TAKEN': {
      if (command.type !== 'CreateAsset' || ledger === undefined) return 'there is no asset';
      const { code, name } = command.fields;
      return ledger.assets.has(code) || ledger.assetNames.has(name) ? undefined : 'it was free';
    }
    case 'ACCOUNT_TYPE_TAKEN': {
      if (command.type !== 'CreateAccountType') return 'there is no account type';
      return ledger?.accountTypes.has(command.fields.keyValue) ? undefined : 'it was free';
    }
    case 'ALIAS_TAKEN': {
      const alias = (command as CreateAccount).fields.alias ?? '';
      return ledger?.accounts.has(alias) ? undefined : 'it was free';
    }
    case 'INDEX_CONFLICT':
    case 'INDEX_NOT_FOUND':
    case 'INDEX_NOT_BUILT':
      return books.values.justified(refusal, command, attempt);
    case 'LIMIT_BELOW_USAGE':
      if (command.type !== 'UpdateBalance') return 'nothing was to be allowed';
      return owedLess(command, ledger, head) ? 'so much was never owed' : undefined;
    case 'EXTERNAL_BALANCES': {
      const { balanceId = '' } = command as Partial<UpdateBalance>;
      const { accountId } = command as Partial<CreateBalance>;
      const accounts = [...(ledger?.accounts.values() ?? [])];
      const named = accounts.find(({ id }) => id === accountId) ?? accountOf(ledger, balanceId);
      return named?.external ? undefined : 'it is not the world outside';
    }
    case 'EXCEPTION_NOT_USABLE':
      return justifiedException(command, ledger, head, now);
    case 'ACCOUNT_HELD':
    case 'ACCOUNT_BLOCKED':
    case 'ACCOUNT_CLOSED':
    case 'CLOSED_ALREADY':
    case 'BALANCE_LEFT':
    case 'BALANCE_NOT_DELETABLE':
    case 'HOLDS_PENDING':
    case 'KEY_TAKEN':
      return justifiedStop(refusal, command, ledger, head);
    case 'ASSET_NOT_FOUND':
      if (command.type !== 'CreateAccount') {
        return justifiedOfTransaction(refusal, command, ledger, head);
      }
      return assetWasThere(command, ledger, head);
    default:
      return justifiedOfTransaction(refusal, command, ledger, head);
  }
}

/** Whether what was owed was within the settings that were asked for, at every moment. */
function owedLess(
  { balanceId, changes }: UpdateBalance,
  ledger: BookedLedger | undefined,
  head: number,
): boolean {
  const account = accountOf(ledger, balanceId);
  if (account === undefined) return true;
  const { allowOverdraft = false, overdraftLimit } = changes.settings ?? {};
  const most = !allowOverdraft
    ? 0n
    : overdraftLimit === undefined
      ? Infinity
      : units(overdraftLimit);
  const since = account.standings.findLastIndex(({ revision }) => revision <= head);
  return account.standings.slice(Math.max(since, 0)).every(({ owed }) => owed <= most);
}

const accountOf = (ledger: BookedLedger | undefined, id: string): BookedAccount | undefined =>
  [...(ledger?.accounts.values() ?? [])].find((account) => hadBalance(account, id));

function balanceWasThere(
  id: string,
  ledger: BookedLedger | undefined,
  head: number,
): string | undefined {
  const account = accountOf(ledger, id);
  const isThere = ({ balanceId, live }: Standing): boolean => live && balanceId === id;
  const missed = stopped(account?.standings ?? [], head, (standing) => !isThere(standing));
  return account === undefined || missed ? undefined : 'the balance was there';
}

function assetWasThere(
  { fields }: CreateAccount,
  ledger: BookedLedger | undefined,
  head: number,
): string | undefined {
  const taken = ledger?.assets.get(fields.assetCode) ?? Infinity;
  return taken > head ? undefined : 'the asset was there';
}
