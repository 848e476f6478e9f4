import { CALCULATED_FEE_KEYS, FEE_EXEMPTION, FEE_KEYS } from '#src/domain/fee-keys.ts';
import { fits } from './code-points.ts';
import { isObject, wrongType, type Flaw, type Reading } from './readings.ts';

/** Metadata as clients send them (contract ledger §1.5). Locations are relative to the value read. */
export const metadataReadings = {
  /** Scalars by key; `{}` is none. */
  metadata: onCreation({}),
  /** On update null removes a key, or as a whole all of them. */
  'metadata-patch': onUpdate({}),
  /** On update under /v2 null as a whole changes nothing. */
  'metadata-merge': merging({}),

  /** Of a leg or an operation, and under /v2 of a transaction: nothing that only fees write. */
  'metadata-own': onCreation({ reserved: FEE_KEYS }),
  'metadata-own-patch': onUpdate({ reserved: FEE_KEYS }),
  'metadata-own-merge': merging({ reserved: FEE_KEYS }),
  /** Of a transaction under /v1, which may have been charged before it is posted. */
  'metadata-fees': onCreation({ reserved: withoutCalculated(), nested: FEE_EXEMPTION }),
  'metadata-fees-patch': onUpdate({ reserved: withoutCalculated(), nested: FEE_EXEMPTION }),
} as const satisfies Readonly<Record<string, Reading>>;

type Rules = Readonly<{
  /** Keys that are refused. */
  reserved?: ReadonlySet<string>;
  /** The one key whose value may be an object of scalars. */
  nested?: string;
}>;

function onCreation(rules: Rules): Reading {
  return (sent, flaws) => {
    const metadata = checkMetadata(sent, flaws, rules, false);
    return isObject(metadata) && Object.keys(metadata).length > 0 ? metadata : undefined;
  };
}

function onUpdate(rules: Rules): Reading {
  return (sent, flaws) => (sent === null ? null : checkMetadata(sent, flaws, rules, true));
}

function merging(rules: Rules): Reading {
  return (sent, flaws) => (sent === null ? undefined : checkMetadata(sent, flaws, rules, true));
}

function checkMetadata(sent: unknown, flaws: Flaw[], rules: Rules, patch: boolean): unknown {
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

function withoutCalculated(): ReadonlySet<string> {
  return new Set([...FEE_KEYS].filter((key) => !CALCULATED_FEE_KEYS.has(key)));
}

const KEY_MAX = 100;
const VALUE_MAX = 2000;
