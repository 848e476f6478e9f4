import { instant, record, uuid, uuidOrNull } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';
import { createTransactionBody } from '#src/resources/ledger/transaction-body.ts';
import { ownMetadata } from '#src/resources/ledger/transaction-metadata.ts';

const { skip: _, ...members } = createTransactionBody.properties;
const transaction = record(members, ['send']);
/** In version 2 nobody but the fee engine writes its keys. */
const transactionV2 = record({ ...members, metadata: ownMetadata }, ['send']);

const ledgerId = { ...uuid, refusal: 'FEE_LEDGER_INVALID' } as const;
const segmentId = { ...uuid, refusal: 'FEE_SEGMENT_INVALID' } as const;

/** The body of a calculation; `segmentId` overrides the segment that the sources share. */
export const calculateBody = record({ segmentId, ledgerId, transaction }, [
  'ledgerId',
  'transaction',
]) satisfies Schema;

const estimateBody = record({ packageId: uuid, ledgerId, transaction }, [
  'packageId',
  'ledgerId',
  'transaction',
]);

/** The bodies of estimates by form. */
export const estimateBodies = {
  header: estimateBody,
  organization: estimateBody,
  ledger: record({ packageId: uuid, transaction: transactionV2 }, ['packageId', 'transaction']),
} as const satisfies Record<string, Schema>;

const text = { type: 'string' } as const;
const decimal = { type: 'string', format: 'decimal' } as const;
const free = { type: 'object', additionalProperties: true } as const;
const freeOrNull = { type: ['object', 'null'], additionalProperties: true } as const;

const leg = {
  title: 'LegWithFees',
  ...record(
    {
      accountAlias: text,
      balanceKey: text,
      amount: record({ asset: text, value: decimal }, ['asset', 'value']),
      rate: free,
      description: text,
      chartOfAccounts: text,
      route: text,
      routeId: uuid,
      isFrom: { type: 'boolean' },
      metadata: freeOrNull,
    },
    ['accountAlias', 'amount'],
  ),
} as const;
const legs = { type: 'array', items: leg } as const;

const chargedTransaction = {
  title: 'TransactionWithFees',
  ...record(
    {
      chartOfAccountsGroupName: text,
      description: text,
      code: text,
      pending: { type: 'boolean' },
      metadata: free,
      route: text,
      routeId: uuid,
      transactionDate: instant,
      send: record(
        {
          asset: text,
          value: decimal,
          source: record({ from: legs, remaining: text }, ['from']),
          distribute: record({ to: legs, remaining: text }, ['to']),
        },
        ['asset', 'value', 'source', 'distribute'],
      ),
    },
    ['send'],
  ),
} as const;

const explanation = {
  title: 'FeeExplanation',
  ...record(
    {
      packageId: uuid,
      feeKey: text,
      rule: text,
      referenceAmount: text,
      rate: decimal,
      value: decimal,
      rounding: { ...text, description: 'none, or halfAwayFromZero: and the number of digits' },
      amount: { ...decimal, description: 'The total of the fee; 0 if nothing was charged' },
    },
    ['packageId', 'feeKey', 'rule', 'referenceAmount', 'rounding', 'amount'],
  ),
} as const;
const explain = { type: 'array', items: explanation } as const;

export const calculatedView = {
  title: 'CalculatedFees',
  ...record({ segmentId: uuidOrNull, ledgerId: uuid, transaction: chargedTransaction, explain }, [
    ...(['segmentId', 'ledgerId', 'transaction', 'explain'] as const),
  ]),
} as const satisfies Schema;

const estimated = record(
  { segmentId: uuid, ledgerId: uuid, transaction: chargedTransaction, explain },
  [...(['ledgerId', 'transaction', 'explain'] as const)],
);

export const estimateView = {
  title: 'EstimatedFees',
  ...record({ message: text, feesApplied: { ...estimated, type: ['object', 'null'] } }, [
    'message',
    'feesApplied',
  ]),
} as const satisfies Schema;
