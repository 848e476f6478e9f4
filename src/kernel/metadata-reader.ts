import type { RefusalName } from './errors.ts';
import { fits } from './code-points.ts';
import { KEYS_MAX } from './free-keys.ts';
import type { SchemaFinding, PublishedSchema, ValueReader } from './schema.ts';
import { isObject, wrongType } from './value-reader.ts';

export type MetadataRules = Readonly<{
  /** Set for updates: null as a value removes a key; null as a whole removes all (`clear`), or changes nothing under /v2 (`merge`). */
  update?: 'clear' | 'merge';
  /** Keys that are refused, and what they are kept for. */
  reserved?: Readonly<{ keys: ReadonlySet<string>; use: string }>;
  /** The keys whose values may be objects of scalars. */
  nested?: readonly string[];
  version2?: ValueReader;
}>;

/**
 * Reads metadata by the rules for its sender (contract ledger §1.5); the API description names its form after the kind.
 */
export const metadataReader = (
  kind: string,
  { version2, ...rules }: MetadataRules,
): ValueReader => ({
  read: readBy(rules),
  sent: sentMetadata(kind, rules),
  refusals: REFUSALS,
  ...(version2 && { version2 }),
});

const REFUSALS: readonly RefusalName[] = [
  'METADATA_KEY_TOO_LONG',
  'METADATA_VALUE',
  'METADATA_NESTED',
  'TOO_MANY_KEYS',
  'INDEX_CONFLICT', // A value that must be unique.
];

/** Locations are relative to the value read; `{}` on creation counts as absent. */
function readBy(rules: MetadataRules): ValueReader['read'] {
  const { update } = rules;
  if (update === undefined) {
    return (sent, findings) => {
      const metadata = checkMetadata(sent, findings, rules, false);
      return isObject(metadata) && Object.keys(metadata).length > 0 ? metadata : undefined;
    };
  }
  const ofNull = update === 'clear' ? null : undefined;
  return (sent, findings) => (sent === null ? ofNull : checkMetadata(sent, findings, rules, true));
}

function checkMetadata(
  sent: unknown,
  findings: SchemaFinding[],
  rules: MetadataRules,
  patch: boolean,
): unknown {
  if (!isObject(sent)) return wrongType(sent, findings);
  for (const key of Object.keys(sent)) {
    const value = sent[key];
    if (!fits(key, KEY_MAX)) {
      const message = `must have at most ${KEY_MAX} characters`;
      findings.push({ refusal: 'METADATA_KEY_TOO_LONG', location: key, message, value });
    }
    if (rules.reserved?.keys.has(key) === true) {
      const message = `is reserved for ${rules.reserved.use}`;
      findings.push({ refusal: 'MALFORMED_FIELD', location: key, message, value });
    }
    if (rules.nested?.includes(key) === true && isObject(value)) {
      for (const name of Object.keys(value)) checkValue(value[name], `${key}.${name}`, findings);
    } else if (value !== null || !patch) {
      checkValue(value, key, findings);
    }
  }
  return sent;
}

function checkValue(value: unknown, location: string, findings: SchemaFinding[]): void {
  if (typeof value === 'object') {
    const refusal = Array.isArray(value) ? 'METADATA_VALUE' : 'METADATA_NESTED';
    const message = 'must be a string, a number or a boolean';
    findings.push({ refusal, location, message, value });
  } else if (typeof value === 'string' && !fits(value, VALUE_MAX)) {
    const message = `must have at most ${VALUE_MAX} characters`;
    findings.push({ refusal: 'METADATA_VALUE', location, message, value });
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    const message = 'must be a number that a double can hold';
    findings.push({ refusal: 'METADATA_VALUE', location, message });
  }
}

function sentMetadata(kind: string, { update, reserved, nested }: MetadataRules): PublishedSchema {
  const scalar = { type: ['string', 'number', 'boolean'], maxLength: VALUE_MAX } as const;
  const scalarOrNull = { ...scalar, type: [...scalar.type, 'null'] } as const;
  const value = update ? scalarOrNull : scalar;
  const scalars = {
    type: 'object',
    maxProperties: KEYS_MAX,
    additionalProperties: scalar,
  } as const;
  return {
    title: `Requested-${kind}`,
    type: update ? ['object', 'null'] : 'object',
    maxProperties: KEYS_MAX,
    propertyNames: { maxLength: KEY_MAX, not: { enum: [...(reserved?.keys ?? []), '__proto__'] } },
    ...(nested !== undefined && {
      properties: Object.fromEntries(
        nested.map((key) => [key, { anyOf: [value, scalars], neverNull: true } as const]),
      ),
    }),
    additionalProperties: value,
  };
}

const KEY_MAX = 100;
const VALUE_MAX = 2000;
