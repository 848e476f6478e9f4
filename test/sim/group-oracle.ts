import type { GroupRequest } from '#commands/ledger/cross-ledger/request.ts';
import type { Refusal, RefusalName } from '#src/kernel/errors.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { asOf, type BookedAccount, type BookedGroup, type BookedLedger } from './booked.ts';
import type { Books } from './books.ts';
import type { LogOracle } from './log-oracle.ts';
import { linesIn } from './group-api.ts';
import type { AskedLine } from './lines.ts';
import { heldBy, justifiedUse } from './exception-oracle.ts';
import type { Across, Attempt } from './request.ts';
import { justifiedByGroupRoutes } from './route-oracle.ts';
import { stopped } from './moments.ts';
import { isLost, mirrorOf, receivedBy, wereThere } from './transaction-oracle.ts';

/**
 * Whether what was refused of a group could not be had in one of its ledgers, at some moment between the asking and the
 * answer. Answers undefined, or what speaks against it.
 */
export function justifiedOfGroup(
  { request: { across, journal, key, hash }, headIn, startedMs }: Attempt,
  { refusal }: Refusal,
  { groups, ledgers, organizations }: Books,
  chronicle: LogOracle,
  now: string,
): string | undefined {
  if (across === undefined) return 'it is about no group';
  if (refusal === 'IDEMPOTENCY_KEY_IN_USE') {
    const uses = chronicle.usesOf(journal.name, key ?? '');
    const other = uses.some(({ metadata }) => metadata.requestHash !== hash);
    return other ? undefined : 'no other request used the key';
  }
  if (refusal === 'EXCEPTION_NOT_USABLE') {
    const id = exceptionIn(across);
    if (id === undefined) return 'it named no exception';
    const of = [...ledgers.values()].find(({ exceptions }) => exceptions.has(id));
    const debits = of ? debitsIn(across, of) : [];
    return of && justifiedUse(id, of, headIn(of.journal), { now, debits });
  }
  const byRoutes = (parts: readonly Part[], asked?: GroupRequest): string | undefined =>
    justifiedByGroupRoutes(refusal, parts, asked, organizations, startedMs);
  if (across.type === 'PostGroup') {
    const parts = placesOf(across.request).map((id): Part | undefined => {
      const ledger = ledgers.get(id);
      return ledger && { ledger, head: headIn(ledger.journal), lines: linesIn(across.request, id) };
    });
    const known = parts.filter((part) => part !== undefined);
    if (refusal === 'LEDGER_NOT_FOUND' && known.length < parts.length) return undefined;
    const why = byRoutes(known, across.request);
    return why === 'not by routes' ? inOneOf(refusal, known, across.request) : why;
  }
  const group = groups.get(across.groupId);
  if (refusal === 'GROUP_INCONSISTENT') {
    return headIn(`group-${across.groupId}`) < 0 ? undefined : 'the group was there';
  }
  if (group === undefined) return 'there is no such group';
  const ofGroup = justifiedByStatus(refusal, group, headIn(`group-${group.id}`), groups);
  if (ofGroup === undefined) return undefined;
  const record = asOf(group.images, Infinity).record;
  const reverts = across.type === 'RevertGroup';
  const parts = record.parts.flatMap(({ ledgerId, transactionId }): Part[] => {
    const ledger = ledgers.get(ledgerId);
    const member = ledger?.transactions.get(transactionId)?.images.at(-1)?.record;
    if (ledger === undefined) return [];
    const aliases = ledger.parts.get(record.id)?.accounts ?? new Set();
    const named = [...aliases].map((alias): AskedLine => ({
      side: 'destination',
      alias,
      amount: 0n,
    }));
    const lines = reverts && member !== undefined ? mirrorOf(member) : named;
    return [{ ledger, head: headIn(ledger.journal), lines, member }];
  });
  if (byRoutes(parts) === undefined) return undefined;
  return inOneOf(refusal, parts, undefined) === undefined ? undefined : ofGroup;
}

type Part = Readonly<{
  ledger: BookedLedger;
  head: number;
  lines: readonly AskedLine[];
  /** What there is of an old group. */
  member?: TransactionRecord | undefined;
}>;

function justifiedByStatus(
  refusal: RefusalName,
  { id, images }: BookedGroup,
  head: number,
  groups: ReadonlyMap<string, BookedGroup>,
): string | undefined {
  const was = (...status: readonly GroupRecord['status'][]): boolean =>
    stopped(images, head, ({ record }) => status.includes(record.status));
  const reversals = [...groups.values()]
    .map((group) => group.images.at(-1)!.record)
    .filter(({ revertedGroupId }) => revertedGroupId === id);
  switch (refusal) {
    case 'GROUP_FINISHED':
      if (was('POSTED', 'CANCELED')) return undefined;
      return 'it had not ended';
    case 'TRANSACTION_BUSY': {
      const busy = was('OPENED', 'HELD', 'COMMITTING', 'POSTING', 'CANCELING', 'RELEASING');
      return busy || reversals.length > 0 ? undefined : 'nobody worked on it';
    }
    case 'STATUS_NOT_ALLOWED':
      return was('HELD', 'COMMITTING', 'RELEASING', 'CANCELING') ? undefined : 'it was posted';
    case 'REVERSAL_OF_REVERSAL':
      return images[0]?.record.revertedGroupId === undefined ? 'it is no reversal' : undefined;
    default:
      return 'nobody expects that';
  }
}

function inOneOf(
  refusal: RefusalName,
  parts: readonly Part[],
  request: GroupRequest | undefined,
): string | undefined {
  const asset = request?.asset ?? '';
  const some = (
    holds: (account: BookedAccount | undefined, part: Part, line: AskedLine) => boolean,
  ) =>
    parts.some((part) =>
      part.lines.some((line) => holds(part.ledger.accounts.get(line.alias), part, line)),
    )
      ? undefined
      : 'nothing of it deserves that';
  switch (refusal) {
    case 'CROSS_LEDGER_DISABLED':
      return parts.some(({ ledger }) => !ledger.crosses) ? undefined : 'all of them take part';
    case 'ASSET_NOT_FOUND':
      return parts.some(({ ledger, head }) => (ledger.assets.get(asset) ?? Infinity) > head)
        ? undefined
        : 'the asset was there';
    case 'ACCOUNTS_NOT_ELIGIBLE':
      return some((_, { ledger, head }, { alias }) => isLost(alias, ledger, head));
    case 'GROUP_ASSETS':
      return some((account) => account !== undefined && account.asset !== asset);
    case 'ACCOUNT_ON_BOTH_SIDES':
      return some(
        (_, { lines }, { alias }) => lines.filter((one) => one.alias === alias).length > 1,
      );
    case 'ACCOUNT_BLOCKED':
      return some((account, { head }) =>
        stopped(account?.stops ?? [], head, ({ blocked }) => blocked),
      );
    case 'ACCOUNT_CLOSED':
      return some((account, { head }) =>
        stopped(account?.stops ?? [], head, ({ closed }) => closed),
      );
    case 'INSUFFICIENT_FUNDS':
    case 'OVERDRAFT_LIMIT': {
      const short = ({ ledger, head, lines, member }: Part): boolean => {
        // A commit asks for the funds of the debit balances that it credits.
        const received = member === undefined ? [] : receivedBy(member);
        return [lines, received].some(
          (of) => wereThere([{ lines: of, pending: false }], ledger, head) === undefined,
        );
      };
      return parts.some(short) ? undefined : 'the funds were there';
    }
    default:
      return 'nobody expects that';
  }
}

const exceptionIn = (across: Across): string | undefined => {
  if (across.type === 'PostGroup') return across.request.accountBlockExceptionId;
  return across.type === 'CancelGroup' ? undefined : across.exceptionId;
};

/** What a ledger gives by what was asked. */
function debitsIn(across: Across, { id, transactions, parts }: BookedLedger): readonly AskedLine[] {
  if (across.type === 'PostGroup') return linesIn(across.request, id);
  const { transactionId = '' } = parts.get(across.groupId) ?? {};
  const member = transactions.get(transactionId)?.images.at(-1)?.record;
  if (member === undefined) return [];
  return across.type === 'RevertGroup' ? mirrorOf(member) : heldBy(member);
}

const placesOf = ({ debits, credits }: GroupRequest): readonly string[] => [
  ...new Set([...debits, ...credits].map(({ ledgerId }) => ledgerId as string)),
];
