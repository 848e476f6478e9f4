import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';

/** Refuses a parent in the path that does not exist, is deleted, or belongs to another tenant. */
export const organizationNotFound = (): Refusal =>
  refuse('ORGANIZATION_NOT_FOUND', 'There is no such organization.');

export const ledgerNotFound = (): Refusal => refuse('LEDGER_NOT_FOUND', 'There is no such ledger.');
