import { refuse, type Refusal } from './errors.ts';

/** The most keys of a free-form object such as metadata, as sent and after a merge (contract ledger §1.2). */
export const KEYS_MAX = 100;

/** Refuses an object with too many keys; `what` names it at the beginning of a sentence. */
export const tooManyKeys = (what: string): Refusal =>
  refuse('TOO_MANY_KEYS', `${what} has more than ${KEYS_MAX} keys.`, { entityType: 'request' });
