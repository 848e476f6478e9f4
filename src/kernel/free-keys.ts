import { refuse, type Refusal } from './errors.ts';

/** The most keys that one object of free form has, such as metadata: sent, or merged (contract ledger §1.2). */
export const KEYS_MAX = 100;

/** `what`: the object, as it begins a sentence. */
export const tooManyKeys = (what: string): Refusal =>
  refuse('TOO_MANY_KEYS', `${what} has more than ${KEYS_MAX} keys.`, { entityType: 'request' });
