import { recordFact, type Definition } from '#src/bridge/definition.ts';
import {
  deletedInLedger,
  flag,
  inLedger,
  text,
  uuid,
  written,
} from '#src/bridge/payload-members.ts';
import { orNull, payloadOf, type ObjectSchema } from '#src/bridge/payload-schema.ts';
import { memberOf } from '#src/kernel/record.ts';
import { feeDebtChanges } from './fee-debt.ts';
import { feeCharge } from './fee-charge.ts';

/** P40. */
const feePackage = payloadOf({
  ...{ ...inLedger, segmentId: orNull(uuid), transactionRoute: orNull(text), enable: flag },
  ...written,
});

/** P41. */
const billingPackage = payloadOf({
  ...{ ...inLedger, type: text, pricingModel: orNull(text), countMode: orNull(text), enable: flag },
  ...written,
});

/** Packages of maintenance have neither. */
const nulls = ({ pricingModel = null, countMode = null }: Partial<Record<string, unknown>>) => ({
  pricingModel,
  countMode,
});

/** Its resource begins with `fee-` already, which the topic does not repeat (contract events §6.3). */
const packageEvents = (
  resource: string,
  record: string,
  name: string,
  payload: ObjectSchema,
  adds?: (record: never) => object,
) =>
  (
    [
      ['created', 'Created', 'created', payload],
      ['updated', 'Updated', 'changed', payload],
      ['deleted', 'Deleted', 'deleted', deletedInLedger],
    ] as const
  ).map(([event, type, verb, schema]) =>
    recordFact({
      key: `${resource}.${event}`,
      tail: `${tailOf(resource)}.${event}`,
      description: `A ${name} was ${verb}`,
      payload: schema,
      member: memberOf(record),
      types: [record + type],
      ...(adds && { adds }),
    }),
  );
const tailOf = (resource: string): string => resource.replaceAll('-', '_');

/** Everything that fees publish (contract events §6.3 and §7). */
export const definitions: readonly Definition[] = [
  ...packageEvents('fee-packages', 'FeePackage', 'fee package', feePackage),
  ...packageEvents(
    'fee-billing-packages',
    'BillingPackage',
    'billing package',
    billingPackage,
    nulls,
  ),
  feeCharge,
  ...feeDebtChanges,
];
