import { chargeFees } from '#commands/fees/calculation/charge-fees.ts';
import { explainFees } from '#commands/fees/calculation/explain-fees.ts';
import { preparePackage } from '#commands/fees/calculation/prepared-package.ts';
import { formatAmount, parseAmount } from '#src/kernel/amount.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Fee } from '#src/events/fees/fee-package.ts';
import type { OracleCase, OracleLeg, OracleOutcome } from './fee-oracle.ts';

const PACKAGE = '0190a1c0-0000-7000-8000-00000000000f' as Uuid;

const ANY_SCOPE = {
  ...{ id: PACKAGE, enable: true, segmentId: null, transactionRoute: null },
  ...{ minimumAmount: '0', maximumAmount: '1' },
};

/** The calculator of the product, asked and answering in the words of the oracle. */
export function charged(asked: OracleCase): OracleOutcome | string {
  const fees = Object.fromEntries(
    asked.fees.map((one) => [
      one.key,
      {
        feeLabel: one.key,
        calculationModel: { applicationRule: one.rule, calculations: one.calculations },
        referenceAmount: one.reference,
        priority: one.priority,
        isDeductibleFrom: one.deductible,
        creditAccount: one.credit,
        ...(one.routeFrom !== undefined && { routeFrom: one.routeFrom }),
        ...(one.routeTo !== undefined && { routeTo: one.routeTo }),
      } as Fee,
    ]),
  );
  const legs = (side: readonly OracleLeg[]) =>
    side.map(({ alias, segment, amount }) => ({
      alias,
      segmentId: segment as Uuid | undefined,
      amount: parseAmount(amount),
    }));
  const [from, to] = [legs(asked.from), legs(asked.to)];
  const rules = { ...ANY_SCOPE, fees, waivedAccounts: asked.waived };
  try {
    const found = chargeFees(
      preparePackage(rules),
      { value: parseAmount(asked.value), from, to },
      asked.scale,
    );
    const explained = explainFees(PACKAGE, found.fees, asked.scale);
    const tail = (text: string | undefined, mark = '') =>
      text === undefined ? '' : ` ${mark}${text}`;
    return {
      value: formatAmount(found.value),
      from: [
        ...from.map(({ alias, amount }) => `${alias} ${formatAmount(amount)}`),
        ...found.feesFrom.map(
          ({ alias, amount, route }) => `${alias} ${formatAmount(amount)}${tail(route)}`,
        ),
      ],
      to: [
        ...to.map(({ alias }, n) => `${alias} ${formatAmount(found.to[n]!)}`),
        ...found.feesTo.map(
          ({ alias, amount, route, source }) =>
            `${alias} ${formatAmount(amount)}${tail(route)}${tail(source, '<- ')}`,
        ),
      ],
      charged: found.isCharged,
      reason: found.exemption,
      amounts: Object.fromEntries(explained.map(({ feeKey, amount }) => [feeKey, amount])),
    };
  } catch (error) {
    if (error instanceof Refusal) return error.refusal;
    throw error;
  }
}
