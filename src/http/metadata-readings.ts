import { CALCULATED_FEE_KEYS, FEE_EXEMPTION, FEE_KEYS } from '#src/kernel/fee-keys.ts';
import type { Schema } from '#src/kernel/schema.ts';
import { fits } from './code-points.ts';
import { isObject, wrongType, type Flaw, type Reading } from './readings.ts';

type Kind = Extract<NonNullable<Schema['reads']>, `metadata${string}`>;

export type MetadataRules = Readonly<{
  /** Of an update: null removes a key, and as a whole all of them, or under /v2 (`merge`) changes nothing. */
  update?: 'clear' | 'merge';
  /** Keys that are refused. */
  reserved?: ReadonlySet<string>;
  /** The one key whose value may be an object of scalars. */
  nested?: string;
}>;

/** Keys that only fees write, but for those that version 1's calculation returns. */
const NOT_CALCULATED: ReadonlySet<string> = new Set(
  [...FEE_KEYS].filter((key) => !CALCULATED_FEE_KEYS.has(key)),
);
const own = { reserved: FEE_KEYS };
const ofTransaction = { reserved: NOT_CALCULATED, nested: FEE_EXEMPTION };

/** What is accepted as metadata, by who sends it (contract ledger §1.5); the API description states the same. */
export const metadataRules: Readonly<Record<Kind, MetadataRules>> = {
  metadata: {},
  'metadata-patch': { update: 'clear' },
  'metadata-merge': { update: 'merge' },

  /** Of a leg or an operation, and under /v2 of a transaction. */
  'metadata-own': own,
  'metadata-own-patch': { ...own, update: 'clear' },
  'metadata-own-merge': { ...own, update: 'merge' },
  /** Of a transaction under /v1, which may have been charged before it is posted. */
  'metadata-fees': ofTransaction,
  'metadata-fees-patch': { ...ofTransaction, update: 'clear' },
};

/** Locations are relative to the value read; `{}` on creation is none. */
export const metadataReadings = Object.fromEntries(
  Object.entries(metadataRules).map(([kind, rules]) => [kind, readingBy(rules)]),
) as Readonly<Record<Kind, Reading>>;

function readingBy(rules: MetadataRules): Reading {
  const { update } = rules;
  if (update === undefined) {
    return (sent, flaws) => {
      const metadata = checkMetadata(sent, flaws, rules, false);
      return isObject(metadata) && Object.keys(metadata).length > 0 ? metadata : undefined;
    };
  }
  const ofNull = update === 'clear' ? null : undefined;
  return (sent, flaws) => (sent === null ? ofNull : checkMetadata(sent, flaws, rules, true));
}

function checkMetadata(
  sent: unknown,
  flaws: Flaw[],
  rules: MetadataRules,
  patch: boolean,
): unknown {
  if (!isObject(sent)) return wrongType(sent, flaws);
  for (const key of Object.keys(sent)) {
    const value = sent[key];
    if (!fits(key, KEY_MAX)) {
      const message = `must have at most ${KEY_MAX} characters`;
      flaws.push({ refusal: 'METADATA_KEY_TOO_LONG', location: key, message, value });
    }
    if (rules.reserved?.has(key) === true) {
      const message = 'is reserved for fees';
      flaws.push({ refusal: 'MALFORMED_FIELD', location: key, message, value });
    }
    if (key === rules.nested && isObject(value)) {
      for (const name of Object.keys(value)) checkValue(value[name], `${key}.${name}`, flaws);
    } else if (value !== null || !patch) {
      checkValue(value, key, flaws);
    }
  }
  return sent;
}

function checkValue(value: unknown, location: string, flaws: Flaw[]): void {
  if (typeof value === 'object') {
    const refusal = Array.isArray(value) ? 'METADATA_VALUE' : 'METADATA_NESTED';
    const message = 'must be a string, a number or a boolean';
    flaws.push({ refusal, location, message, value });
  } else if (typeof value === 'string' && !fits(value, VALUE_MAX)) {
    const message = `must have at most ${VALUE_MAX} characters`;
    flaws.push({ refusal: 'METADATA_VALUE', location, message, value });
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    const message = 'must be a number that a double can hold';
    flaws.push({ refusal: 'METADATA_VALUE', location, message });
  }
}

export const KEY_MAX = 100;
export const VALUE_MAX = 2000;
