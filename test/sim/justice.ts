import type { CreateAccount } from '#commands/ledger/account/decider.ts';
import type { PostTransaction } from '#commands/ledger/transaction/commands.ts';
import type { Refusal } from '#src/domain/errors.ts';
import { units, type BookedAccount, type BookedLedger, type Books } from './books.ts';
import type { Chronicle } from './chronicle.ts';
import type { Attempt } from './request.ts';

/**
 * Whether a refusal was just: true at some moment between the asking and the answer, in the log. Answers
 * undefined, or what speaks against it.
 */
export function justified(
  attempt: Attempt,
  { refusal }: Refusal,
  books: Books,
  chronicle: Chronicle,
): string | undefined {
  const { request, head } = attempt;
  const command = request.command(attempt.process);
  const ledger = books.ledgers.get(request.journal.name.slice('ledger-'.length));
  switch (refusal) {
    case 'NOT_FOUND':
      return request.tenantId === 'default' ? 'it is of this tenant' : undefined;
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
    case 'ALIAS_TAKEN': {
      const alias = (command as CreateAccount).fields.alias ?? '';
      return ledger?.accounts.has(alias) ? undefined : 'it was free';
    }
    case 'ASSET_NOT_FOUND':
      return assetWasThere(command as CreateAccount | PostTransaction, ledger, head);
    case 'ACCOUNTS_NOT_ELIGIBLE': {
      const missing = aliasesOf(command as PostTransaction).some((alias) => {
        return (ledger?.accounts.get(alias)?.openedAt ?? Infinity) > head;
      });
      return missing ? undefined : 'all accounts were there';
    }
    case 'ACCOUNT_ON_BOTH_SIDES': {
      const aliases = aliasesOf(command as PostTransaction);
      return new Set(aliases).size < aliases.length ? undefined : 'no account was on both sides';
    }
    case 'INSUFFICIENT_FUNDS':
      return fundsWereThere(command as PostTransaction, ledger, head);
    default:
      return 'nobody expects that';
  }
}

/** Another process's journal may be known as it was this long ago (design §1). */
const FOLLOWED_MS_MAX = 5_000;

function assetWasThere(
  command: CreateAccount | PostTransaction,
  ledger: BookedLedger | undefined,
  head: number,
): string | undefined {
  if (command.type === 'CreateAccount') {
    const taken = ledger?.assets.get(command.fields.assetCode) ?? Infinity;
    return taken > head ? undefined : 'the asset was there';
  }
  const other = aliasesOf(command).some((alias) => {
    const account = ledger?.accounts.get(alias);
    return account !== undefined && account.asset !== command.request.send.asset;
  });
  return other ? undefined : 'all accounts hold the asset';
}

/** The least that an account had at any moment since then. */
function leastOf({ history }: BookedAccount, since: number): bigint {
  let least: bigint | undefined;
  for (let at = history.length - 1; at >= 0; at -= 1) {
    const [revision, available] = history[at]!;
    if (least === undefined || available < least) least = available;
    if (revision <= since) break;
  }
  return least ?? 0n;
}

function fundsWereThere(
  { request: { send } }: PostTransaction,
  ledger: BookedLedger | undefined,
  head: number,
): string | undefined {
  const short = send.source.from.some(({ accountAlias, amount }) => {
    const account = ledger?.accounts.get(accountAlias);
    if (account === undefined || account.external) return false;
    return leastOf(account, head) < units(amount?.value ?? send.value ?? '0');
  });
  return short ? undefined : 'the funds were there';
}

const aliasesOf = ({ request: { send } }: PostTransaction): string[] =>
  [...send.source.from, ...send.distribute.to].map(({ accountAlias }) => accountAlias);
