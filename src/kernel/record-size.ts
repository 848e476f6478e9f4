import { refuse } from './errors.ts';

/**
 * A record must fit one append when its deletion is recorded, or it could not be deleted and would keep its name. Only
 * metadata, account rules, fees, related parties and the further balances of an account can grow that much. Errors:
 * TOO_LARGE.
 */
export function checkRecordSize(record: object, balances = 0): void {
  const { metadata, account, fees, relatedParties } = record as GrowingMembers;
  if ((metadata ?? account ?? fees ?? relatedParties) === undefined && balances === 0) return;
  const bytes = Buffer.byteLength(JSON.stringify(record)) + balances * BALANCE_BYTES;
  if (bytes <= RECORD_BYTES) return;
  throw refuse('TOO_LARGE', 'The record would have more than 800 KB.', { entityType: 'request' });
}

type GrowingMembers = Readonly<Record<string, object | undefined>>;

const RECORD_BYTES = 800 * 1024;
/** More than the record of a balance can take. */
const BALANCE_BYTES = 2048;
