import { formatAmount } from '#src/kernel/amount.ts';
import type { Facts, Stamp } from '#src/kernel/decider.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { feesJournal } from '#src/kernel/journal-name.ts';
import type { BalanceState } from '#src/events/ledger/account.ts';
import type {
  OperationRecord,
  TransactionPosted,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';
import { stateOf } from '#commands/ledger/state/book.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { feesIn } from './apply-fees.ts';
import { bookedOperation } from './booking.ts';
import { compactPlain } from './compact-plain.ts';
import type { PostTransaction, TransactionRequest } from './commands.ts';
import { EFFECTS } from './effects.ts';
import { aliasesOf } from './legs.ts';
import { plainLegsOf, type PlainLeg, type PlainLegs } from './plain-legs.ts';
import { runningBalanceOf, type RunningBalances } from './running-balance.ts';

/**
 * Decides a plain posting: a few legs with amounts between accounts of the ledger, which no rule refuses and to which
 * no rule adds anything. Returns undefined, having done nothing, for any other transaction, including those to be
 * refused: `postByRules` decides them, and defines what this function returns (docs/adr/0046-plain-postings.md).
 */
export function postPlain(
  ledger: Ledger,
  { request, as, fees }: Pick<PostTransaction, 'request' | 'as' | 'fees'>,
  facts: Facts,
  { instant, ids }: Stamp,
  running?: RunningBalances,
  debts: Readonly<{ isEmpty: boolean }> = ledger.debts,
): TransactionPosted | undefined {
  if (as !== undefined || !isPlain(request) || !areRulesPlain(ledger)) return undefined;
  if (fees !== undefined && mayCharge(ledger, facts)) return undefined;
  if (fees === 2 && !debts.isEmpty) return undefined;
  const legs = plainLegsOf(ledger.book, request.send, running);
  if (legs === undefined) return undefined;

  const transaction = recordOf(ledger, request, legs, ids.nextWhole(), instant, running);
  return { type: 'TransactionPosted', data: { transaction }, compact: compactPlain(transaction) };
}

/** Any other member of a request, whatever its value, is left to the rules. */
function isPlain(request: TransactionRequest): boolean {
  for (const name in request) if (name !== 'send' && name !== 'description') return false;
  return true;
}

const areRulesPlain = ({ settings, parts }: Ledger): boolean =>
  !settings.accounting.validateRoutes && parts.size === 0;

/** Returns true as well if the fees were not looked up, which the rules report. */
function mayCharge({ organizationId }: Ledger, facts: Facts): boolean {
  const fact = facts.journal(feesJournal(organizationId));
  return fact === undefined || feesIn(fact) !== undefined;
}

/** The record as `newTransaction` creates it; a literal, because spreading costs more than the rest of the record. */
function recordOf(
  { id: ledgerId, organizationId }: Ledger,
  { description, send: { asset: assetCode } }: TransactionRequest,
  { value, legs }: PlainLegs,
  id: Uuid,
  instant: Instant,
  running: RunningBalances | undefined,
): TransactionRecord {
  const amount = formatAmount(value);
  const [source, destination] = [aliasesOf(legs, 'debit'), aliasesOf(legs, 'credit')];
  const operations = bookPlain(id, legs, running);
  const status = 'APPROVED';
  return description === undefined
    ? {
        id,
        organizationId,
        ledgerId,
        status,
        amount,
        assetCode,
        source,
        destination,
        operations,
        createdAt: instant,
        updatedAt: instant,
      }
    : {
        id,
        organizationId,
        ledgerId,
        description,
        status,
        amount,
        assetCode,
        source,
        destination,
        operations,
        createdAt: instant,
        updatedAt: instant,
      };
}

/** Books the legs as `bookLegs` does, in the order of their aliases. */
function bookPlain(
  id: Uuid,
  legs: readonly PlainLeg[],
  running: RunningBalances | undefined,
): OperationRecord[] {
  const operations: OperationRecord[] = [];
  for (const leg of inOrder(legs)) {
    const { balance, available } = leg;
    const before = running?.get(balance)?.state ?? stateOf(balance);
    const state: BalanceState = {
      available: formatAmount(available),
      onHold: before.onHold,
      version: before.version + 1,
      overdraftUsed: before.overdraftUsed,
    };
    if (running !== undefined) {
      running.set(balance, { ...runningBalanceOf(running, balance), available, state });
    }
    const effect = EFFECTS.post[leg.direction]!;
    const operationId = partId(id, operations.length + 1);
    operations.push(bookedOperation(operationId, leg, effect, before, state));
  }
  return operations;
}

/** Two legs, as most transactions have, are compared without a sort. */
function inOrder(legs: readonly PlainLeg[]): readonly PlainLeg[] {
  const [first, second] = legs;
  if (legs.length !== 2 || first === undefined || second === undefined)
    return legs.toSorted(byAlias);
  return byAlias(first, second) < 0 ? legs : [second, first];
}

const byAlias = (a: PlainLeg, b: PlainLeg): number => (a.account.alias < b.account.alias ? -1 : 1);
