import type { BlockExceptionRecord } from '#src/events/ledger/account.ts';
import { instant, name, record, uuid } from '#src/kernel/schema-fragments.ts';
import { decimalAboveZero } from '#src/kernel/published.ts';
import type { Schema, Shaped } from '#src/kernel/schema.ts';

/** Contract ledger §3.4.7. An absent list counts as empty. */
export const createBlockExceptionsBody = record(
  {
    exceptions: {
      type: 'array',
      items: record(
        {
          accountAlias: name(100),
          amount: decimalAboveZero,
          ttl: {
            type: 'integer',
            minimum: 1,
            maximum: 86_400,
            default: 300,
            refusal: 'EXCEPTION_TTL_INVALID',
            description: 'Seconds',
          },
        },
        ['accountAlias', 'amount'],
      ),
      default: [],
      allOf: [
        { minItems: 1, refusal: 'EXCEPTIONS_MISSING' },
        { maxItems: 100, refusal: 'TOO_MANY_EXCEPTIONS' },
      ],
    },
  },
  ['exceptions'],
) satisfies Schema;

export type AskedException = Shaped<typeof createBlockExceptionsBody>['exceptions'][number];

/** The optional body of a commit or revert. */
export const byExceptionBody = record({ accountBlockExceptionId: uuid }, []) satisfies Schema;

export type ByExceptionBody = Readonly<{
  accountBlockExceptionId?: Shaped<typeof uuid> | undefined;
}>;

export const blockExceptionsSchema = {
  title: 'AccountBlockExceptions',
  ...record(
    {
      exceptions: {
        type: 'array',
        items: record(
          {
            accountBlockExceptionId: uuid,
            accountAlias: { type: 'string' },
            amount: { type: 'string', description: 'A decimal in plain notation' },
            expiresAt: instant,
          },
          ['accountBlockExceptionId', 'accountAlias', 'amount', 'expiresAt'],
        ),
      },
    },
    ['exceptions'],
  ),
} as const satisfies Schema;

export const blockExceptionsView = (granted: readonly BlockExceptionRecord[]) => ({
  exceptions: granted.map(({ id, accountAlias, amount, expiresAt }) => ({
    accountBlockExceptionId: id,
    accountAlias,
    amount,
    expiresAt,
  })),
});
