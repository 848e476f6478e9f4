import type { PostTransaction, TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import type { FeePackageRecord } from '#src/events/fees/fee-package.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { feesJournal } from '#src/kernel/journal-name.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { oracle, type OracleOutcome } from '#test/commands/fees/calculation/fee-oracle.ts';
import { units } from './booked.ts';
import { BELIEVED_MS, type Submission } from './decision-oracle.ts';
import { assertThat, type Recorded } from './log-oracle.ts';
import type { Command } from './request.ts';

/** The live packages of an organization from some revision of its journal on. */
type Packages = Readonly<{ sinceMs: number; live: ReadonlyMap<string, FeePackageRecord> }>;

type Sources = Readonly<{
  nowMs: () => number;
  /** What an attempt sent to a journal. */
  submissionOf: (requestId: string, journal: string) => Submission | undefined;
}>;

/**
 * Calculates the fees of every transaction again with the independent calculator, from its request and the package as
 * the log had it at the revision that the transaction names. Throws at the first that differs.
 */
export class FeeBooks {
  readonly counts = { charged: 0, exempt: 0, 'held with fees': 0, uncharged: 0, skipped: 0 };
  readonly #sources: Sources;
  readonly #packages = new Map<string, Packages[]>();
  /** How many transactions of a batch are in the log. */
  readonly #written = new Map<string, number>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  packagesOf(organizationId: string, ledgerId: string): readonly FeePackageRecord[] {
    const last = this.#packages.get(feesJournal(organizationId as Uuid))?.at(-1);
    return [...(last?.live.values() ?? [])].filter((one) => one.ledgerId === ledgerId);
  }

  isLive(packageId: string): boolean {
    return [...this.#packages.values()].some((states) => states.at(-1)?.live.has(packageId));
  }

  take({ stored: { stream, type }, metadata, data }: Recorded): void {
    if ('feePackage' in data) this.#takePackage(stream, data['feePackage'] as FeePackageRecord);
    if (type !== 'TransactionPosted' && type !== 'TransactionHeld') return;
    const submission = this.#sources.submissionOf(metadata.requestId, stream);
    const command = submission?.envelope.command as Command | undefined;
    if (command?.type !== 'PostTransaction' && command?.type !== 'PostTransactions') return;
    const n = this.#written.get(metadata.requestId) ?? 0;
    this.#written.set(metadata.requestId, n + 1);
    const asked = command.type === 'PostTransactions' ? command.requests[n] : command.request;
    if (asked === undefined) throw new Error(`${metadata.requestId} asked for fewer transactions`);
    const sinceMs = submission!.nowMs - BELIEVED_MS;
    this.#check(command.fees, asked, data['transaction'] as TransactionRecord, sinceMs);
  }

  #takePackage(stream: string, record: FeePackageRecord): void {
    const states = this.#packages.get(stream) ?? [];
    this.#packages.set(stream, states);
    const live = new Map(states.at(-1)?.live);
    if (record.deletedAt === null) live.set(record.id, record);
    else live.delete(record.id);
    states.push({ sinceMs: this.#sources.nowMs(), live });
  }

  #check(
    rules: PostTransaction['fees'],
    asked: TransactionRequest,
    record: TransactionRecord,
    sinceMs: number,
  ): void {
    const { id, feePackage, organizationId } = record;
    const isSkipped = asked.skip?.fees === true;
    const isCalculated = asked.metadata?.['packageAppliedID'] !== undefined;
    if (isSkipped) this.counts.skipped += 1;
    if (rules === undefined || isSkipped || isCalculated) {
      assertThat(feePackage === undefined, `${id} was charged, and asked not to be`);
      return;
    }
    const states = this.#packages.get(feesJournal(organizationId)) ?? [];
    if (feePackage === undefined) {
      const recent = states.filter((_, n) => (states[n + 1]?.sinceMs ?? Infinity) >= sinceMs);
      const isFree = recent.some(({ live }) => applicable(live, asked, record).length === 0);
      const isNew = (states[0]?.sinceMs ?? Infinity) >= sinceMs;
      assertThat(isFree || isNew, `${id} was not charged, though a package applies`);
      return;
    }
    const found = applicable(states[feePackage.revision]?.live ?? new Map(), asked, record);
    const ids = found.map((one) => one.id);
    assertThat(
      ids.join() === feePackage.id,
      `${id} was charged by ${feePackage.id}, not by ${ids.join()}`,
    );
    const expected = expectedOf(found[0]!, asked);
    if (typeof expected === 'string') throw new Error(`${id} is due a refusal: ${expected}`);
    this.#compare(record, expected);
  }

  #compare(record: TransactionRecord, expected: OracleOutcome): void {
    const { id, amount, metadata = {}, feePackage, status } = record;
    const isHeld = status === 'PENDING';
    const is = {
      value: String(units(amount)),
      ...movedBy(record),
      charged: feePackage?.charged,
      applied: metadata['feeApplied'],
      reason: (metadata['feeExemption'] as { reason?: string } | undefined)?.reason,
    };
    const due = {
      value: String(units(expected.value)),
      ...dueBy(expected),
      charged: expected.charged,
      applied: expected.charged ? 'true' : undefined,
      reason: expected.reason,
    };
    const [one, other] = [JSON.stringify(is), JSON.stringify(due)];
    assertThat(one === other, `The fees of ${id} are ${one}, not ${other}`);
    if (expected.charged) this.counts[isHeld ? 'held with fees' : 'charged'] += 1;
    else this.counts[expected.reason === undefined ? 'uncharged' : 'exempt'] += 1;
  }
}

/**
 * The amounts by side and account, and which account was credited a fee for whom. What an account draws of its overdraft,
 * or repays, is a part of its legs that has an operation of its own.
 */
function movedBy({ operations, awaiting = [] }: TransactionRecord): Moved {
  const legs: readonly Leg[] = [
    ...operations,
    ...awaiting.map((leg) => ({ direction: 'credit' as const, ...leg })),
  ];
  return {
    sums: sumsOf(
      legs.map(({ direction, accountAlias, amount }) => [direction, accountAlias, amount]),
    ),
    credited: legs
      .filter(({ direction, origin }) => direction === 'credit' && origin === 'fee')
      .map(({ accountAlias, metadata }) => `${accountAlias} <- ${String(metadata?.['source'])}`)
      .sort(),
  };
}

/** The same of the oracle's lines, such as `@fees 15 <- @payer`. */
function dueBy({ from, to }: OracleOutcome): Moved {
  const split = (line: string): [string, string] => line.split(' ', 2) as [string, string];
  const fees = to.filter((line) => line.includes(' <- '));
  return {
    sums: sumsOf([
      ...from.map((line) => ['debit', ...split(line)] as const),
      ...to.map((line) => ['credit', ...split(line)] as const),
    ]),
    credited: fees.map((line) => line.replace(/ .* <- /, ' <- ')).sort(),
  };
}

function sumsOf(legs: readonly (readonly [side: string, alias: string, amount: string])[]) {
  const sums = new Map<string, bigint>();
  for (const [side, alias, amount] of legs) {
    const key = `${side} ${alias}`;
    sums.set(key, (sums.get(key) ?? 0n) + units(amount));
  }
  return [...sums].map(([key, sum]) => `${key} ${sum}`).sort();
}

type Moved = Readonly<{ sums: readonly string[]; credited: readonly string[] }>;

type Leg = Pick<OperationRecord, 'accountAlias' | 'amount' | 'direction'> &
  Partial<Pick<OperationRecord, 'origin' | 'metadata'>>;

/**
 * The packages that apply with the most pairs; more than one is an error of the client. None of them is for a route, so
 * that none applies to a transaction that follows one.
 */
function applicable(
  live: Packages['live'],
  { send, metadata = {}, routeId }: TransactionRequest,
  { ledgerId }: TransactionRecord,
): readonly FeePackageRecord[] {
  if (routeId !== undefined) return [];
  const value = units(send.value ?? '0');
  const found = [...live.values()].filter((one) => {
    const { enable, minimumAmount, maximumAmount, metadataSelector = {} } = one;
    const isInRange = units(minimumAmount) <= value && value <= units(maximumAmount);
    const pairs = Object.entries(metadataSelector);
    return (
      one.ledgerId === ledgerId &&
      enable &&
      isInRange &&
      pairs.every(([key, text]) => metadata[key] === text)
    );
  });
  const pairsOf = ({ metadataSelector = {} }: FeePackageRecord) =>
    Object.keys(metadataSelector).length;
  const most = Math.max(...found.map(pairsOf));
  return found.filter((one) => pairsOf(one) === most);
}

function expectedOf(
  { fees, waivedAccounts }: FeePackageRecord,
  { send }: TransactionRequest,
): OracleOutcome | string {
  const value = send.value ?? '0';
  const legs = (all: TransactionRequest['send']['source']['from']) => {
    const given = all.map(({ amount, share }) =>
      amount ? units(amount.value) : share && (units(value) * BigInt(share.percentage)) / 100n,
    );
    const left = given.reduce<bigint>((sum, one) => sum - (one ?? 0n), units(value));
    return all.map(({ accountAlias: alias }, n) => ({ alias, amount: decimal(given[n] ?? left) }));
  };
  return oracle({
    value,
    from: legs(send.source.from),
    to: legs(send.distribute.to),
    waived: waivedAccounts ?? [],
    fees: Object.entries(fees).map(([key, fee]) => ({
      key,
      priority: fee.priority,
      rule: fee.calculationModel.applicationRule,
      calculations: fee.calculationModel.calculations,
      reference: fee.referenceAmount,
      deductible: fee.isDeductibleFrom,
      credit: fee.creditAccount,
    })),
    scale: undefined,
  });
}

function decimal(all: bigint): string {
  const digits = String(all).padStart(35, '0');
  return `${digits.slice(0, -34)}.${digits.slice(-34)}`;
}
