import { Rational } from '#test/support/rational.ts';

/* A second calculator of fees, written from contract registry-and-fees §B6 alone, on fractions and plain objects. */

export type OracleLeg = Readonly<{ alias: string; segment?: string | undefined; amount: string }>;
export type OracleFee = Readonly<{
  key: string;
  priority: number;
  rule: string;
  calculations: readonly Readonly<{ type: string; value: string }>[];
  reference: string;
  deductible: boolean;
  credit: string;
  routeFrom?: string | undefined;
  routeTo?: string | undefined;
}>;
export type OracleCase = Readonly<{
  value: string;
  from: readonly OracleLeg[];
  to: readonly OracleLeg[];
  waived: readonly string[];
  fees: readonly OracleFee[];
  /** Digits of the asset under version 1; undefined under version 2. */
  scale: number | undefined;
}>;

/** Each leg as a line: `@fees 15 R2 <- @payer`. */
export type OracleOutcome = Readonly<{
  value: string;
  from: readonly string[];
  to: readonly string[];
  charged: boolean;
  reason: string | undefined;
  amounts: Readonly<Record<string, string>>;
}>;

type Open = { alias: string; segment: string | undefined; amount: Rational; tail: string };

const HUNDRED = new Rational(100n);
const NIL = new Rational(0n);

/** Answers the name of a refusal where the transaction is refused. */
export function oracle({
  value,
  from,
  to,
  waived,
  fees,
  scale,
}: OracleCase): OracleOutcome | string {
  const open = ({ alias, segment, amount }: OracleLeg): Open => ({
    alias,
    segment,
    amount: Rational.of(amount),
    tail: '',
  });
  const givers = from.map(open);
  const takers = to.map(open);
  const extraFrom: Open[] = [];
  const extraTo: Open[] = [];
  const free = [...waived];
  const original = Rational.of(value);
  let raised = original;
  const whys: string[] = [];
  const amounts: Record<string, string> = {};

  const paysNothing = ({ alias, segment }: Open): boolean =>
    free.includes(alias) ||
    (segment !== undefined &&
      !alias.startsWith('@external/') &&
      free.includes(`segment:${segment}`));
  const payersAmong = (legs: Open[]): Open[] =>
    legs.filter((leg) => !leg.amount.isZero && !paysNothing(leg));

  const inOrder = fees.toSorted((one, other) => one.priority - other.priority);
  for (const fee of inOrder) {
    const base = fee.reference === 'originalAmount' ? original : raised;
    const results = fee.calculations.map(({ type, value: figure }) =>
      type === 'flat' ? Rational.of(figure) : base.times(Rational.of(figure)).by(HUNDRED),
    );
    let total = results[0]!;
    for (const result of results) if (result.isAbove(total)) total = result;
    if (scale !== undefined) total = total.rounded(scale);
    if (total.text(34) === undefined) return 'FEE_NOT_COMPUTABLE';
    amounts[fee.key] = '0';

    if (!total.isZero) {
      const giving = payersAmong(givers);
      const taking = payersAmong(takers);
      let why: string | undefined;
      if (giving.length === 0) why = 'all_source_accounts_exempt';
      if (fee.deductible && taking.length === 0) {
        why = giving.length === 0 ? 'all_accounts_exempt' : 'all_destination_accounts_exempt';
      }
      if (why === undefined) {
        amounts[fee.key] = total.text(34)!;
        const payers = fee.deductible ? taking : giving;
        let whole = NIL;
        for (const { amount } of payers) whole = whole.plus(amount);
        const parts = payers.map(({ amount }) =>
          total
            .times(amount)
            .by(whole)
            .cut(scale ?? 16),
        );
        let rest = total;
        for (const part of parts) rest = rest.minus(part);
        let largest = 0;
        payers.forEach(({ amount }, n) => {
          if (amount.isAbove(payers[largest]!.amount)) largest = n;
        });
        parts[largest] = parts[largest]!.plus(rest);
        for (const [n, payer] of payers.entries()) {
          const part = parts[n]!;
          if (part.isZero) continue;
          const tail = fee.routeTo === undefined ? '' : ` ${fee.routeTo}`;
          extraTo.push({
            alias: fee.credit,
            segment: undefined,
            amount: part,
            tail: `${tail} <- ${payer.alias}`,
          });
          if (fee.deductible) {
            if (!payer.amount.isAbove(part)) return 'FEE_DEDUCTION_TOO_LARGE';
            payer.amount = payer.amount.minus(part);
          } else {
            const route = fee.routeFrom === undefined ? '' : ` ${fee.routeFrom}`;
            extraFrom.push({ alias: payer.alias, segment: undefined, amount: part, tail: route });
          }
        }
        if (!fee.deductible) raised = raised.plus(total);
      } else {
        whys.push(why);
      }
    }
    free.push(fee.credit);
  }

  const line = ({ alias, amount, tail }: Open): string => `${alias} ${amount.text(34)}${tail}`;
  const distinct = [...new Set(whys)];
  return {
    value: raised.text(34)!,
    from: [...givers, ...extraFrom].map(line),
    to: [...takers, ...extraTo].map(line),
    charged: extraTo.length > 0,
    reason: distinct.length > 1 ? 'all_accounts_exempt' : distinct[0],
    amounts,
  };
}
