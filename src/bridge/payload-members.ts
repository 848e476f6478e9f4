import { payloadOf, type PayloadSchema } from './payload-schema.ts';

/* Members of payloads (contract events §6.5). Amounts are decimals as text: no number holds them exactly. */

export const text: PayloadSchema = { type: 'string' };
export const uuid: PayloadSchema = { type: 'string', format: 'uuid' };
export const instant: PayloadSchema = { type: 'string', format: 'date-time' };
export const decimal: PayloadSchema = { type: 'string', format: 'decimal' };
export const flag: PayloadSchema = { type: 'boolean' };
export const count: PayloadSchema = { type: 'integer', format: 'int64' };
export const freeForm: PayloadSchema = { type: 'object', additionalProperties: true };
export const oneOf = (...values: readonly string[]): PayloadSchema => ({
  type: 'string',
  enum: values,
});
export const listOf = (items: PayloadSchema): PayloadSchema => ({ type: 'array', items });

export const status = payloadOf({ code: text, description: text }, 'description');

/** The ids that say where a record of a ledger is. */
export const inLedger = { id: uuid, organizationId: uuid, ledgerId: uuid };
export const written = { createdAt: instant, updatedAt: instant };

/** P9: the end of a record of a ledger. */
export const deletedInLedger = payloadOf({ ...inLedger, deletedAt: instant });
