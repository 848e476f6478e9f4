import type { Instant } from '#src/kernel/instant.ts';
import { formatAmount, parseAmount, subtract } from '#src/kernel/amount.ts';
import type { BalanceRecord } from '#src/events/ledger/account.ts';
import { flag, instant, instantOrNull, record, uuid } from '#src/kernel/schema-fragments.ts';
import { decimalAboveZero, has } from '#src/kernel/published.ts';
import type { Schema } from '#src/kernel/schema.ts';

const amount = { type: 'string', description: 'A decimal in plain notation' } as const;

/** Overdraft settings. No request can open an internal balance. */
const anySettings = record(
  {
    balanceScope: { type: 'string', enum: ['transactional'], refusal: 'BALANCE_SETTINGS' },
    allowOverdraft: flag,
    overdraftLimitEnabled: flag,
    overdraftLimit: decimalAboveZero,
  },
  [],
);

const enabled = has('overdraftLimitEnabled', { const: true });
const limited = has('overdraftLimit', { type: ['string', 'number'] });

/** A rule refuses an enabled limit without a number, and a number without an enabled limit. */
const settings = {
  ...anySettings,
  published: {
    ...anySettings,
    not: {
      anyOf: [
        { ...enabled, not: limited },
        { ...limited, not: enabled },
      ],
    },
  },
} as const satisfies Schema;

/** White space as Unicode defines it, listed because regex engines disagree on the contents of `\s`. */
const WHITE_SPACE = '\\t\\n\\x0b\\f\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000';

const key = { type: 'string', maxLength: 100 } as const;

/** Creates a further balance of an account; keys are compared in lower case. */
export const createBalanceBody = record(
  {
    key: {
      ...key,
      pattern: `^[^${WHITE_SPACE}\ufeff]+$`,
      must: 'contain no white space',
      // Compilers refuse a byte order mark in the code that is generated; its neighbors are not characters.
      published: { ...key, pattern: `^[^${WHITE_SPACE}\ufefe-\uff00]+$` },
    },
    allowSending: { ...flag, default: true },
    allowReceiving: { ...flag, default: true },
    direction: {
      type: 'string',
      enum: ['credit', 'debit'],
      default: 'credit',
      refusal: 'BALANCE_DIRECTION',
    },
    settings,
  },
  ['key'],
) satisfies Schema;

/** PATCH: permissions to send and receive, and the settings as a whole. */
export const updateBalanceBody = record(
  { allowSending: flag, allowReceiving: flag, settings },
  [],
) satisfies Schema;

/** Contract ledger §4.1. */
export const balanceSchema = {
  title: 'Balance',
  ...record(
    {
      id: uuid,
      organizationId: uuid,
      ledgerId: uuid,
      accountId: uuid,
      alias: { type: 'string' },
      key: { type: 'string' },
      assetCode: { type: 'string' },
      available: amount,
      onHold: amount,
      scale: { const: 1, description: 'Divisor of the printed amounts' },
      version: { type: 'integer', description: 'Operations ever applied' },
      accountType: { type: 'string' },
      allowSending: { type: 'boolean' },
      allowReceiving: { type: 'boolean' },
      direction: { type: 'string', enum: ['credit', 'debit'] },
      overdraftUsed: amount,
      settings: record(
        {
          balanceScope: { type: 'string', enum: ['transactional', 'internal'] },
          allowOverdraft: { type: 'boolean' },
          overdraftLimitEnabled: { type: 'boolean' },
          overdraftLimit: amount,
        },
        ['balanceScope', 'allowOverdraft', 'overdraftLimitEnabled'],
      ),
      position: record({ available: amount, onHold: amount, overdraftLimitAvailable: amount }, [
        'available',
        'onHold',
      ]),
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    [
      'id',
      'organizationId',
      'ledgerId',
      'accountId',
      'alias',
      'key',
      'assetCode',
      'available',
      'onHold',
      'scale',
      'version',
      'accountType',
      'allowSending',
      'allowReceiving',
      'direction',
      'overdraftUsed',
      'position',
      'createdAt',
      'updatedAt',
      'deletedAt',
    ],
  ),
} as const satisfies Schema;

/** The amounts that transactions change, as decimal texts. */
export type BalanceValues = Readonly<{
  available: string;
  onHold: string;
  overdraftUsed: string;
  version: number;
  updatedAt: Instant;
}>;

export const balanceView = (balance: BalanceRecord, values: BalanceValues) => ({
  id: balance.id,
  organizationId: balance.organizationId,
  ledgerId: balance.ledgerId,
  accountId: balance.accountId,
  alias: balance.alias,
  key: balance.key,
  assetCode: balance.assetCode,
  available: values.available,
  onHold: values.onHold,
  scale: 1,
  version: values.version,
  accountType: balance.accountType,
  allowSending: balance.allowSending,
  allowReceiving: balance.allowReceiving,
  direction: balance.direction,
  overdraftUsed: values.overdraftUsed,
  settings: balance.settings,
  position: {
    available: values.available,
    onHold: values.onHold,
    overdraftLimitAvailable: overdraftLeft(balance, values),
  },
  createdAt: balance.createdAt,
  updatedAt: values.updatedAt,
  deletedAt: balance.deletedAt,
});

/** Returns undefined if there is no limit. */
function overdraftLeft(
  { settings }: BalanceRecord,
  { overdraftUsed }: BalanceValues,
): string | undefined {
  if (settings?.allowOverdraft !== true) return '0';
  const { overdraftLimit } = settings;
  return overdraftLimit === undefined
    ? undefined
    : formatAmount(subtract(parseAmount(overdraftLimit), parseAmount(overdraftUsed)));
}
