import { KEYS_MAX } from '#src/kernel/free-keys.ts';
import { newStatus, record } from '#src/kernel/schema-fragments.ts';
import type { PublishedSchema, Schema } from '#src/kernel/schema.ts';
import { KEY_MAX, metadataRules, VALUE_MAX, type MetadataRules } from './metadata-readings.ts';

type Reads = NonNullable<Schema['reads']>;

const scalar = { type: ['string', 'number', 'boolean'], maxLength: VALUE_MAX } as const;
const scalarOrNull = { ...scalar, type: [...scalar.type, 'null'] } as const;
const textRequired = { type: 'string', minLength: 1 } as const;
/** Counts as absent in an account rule. */
const absent = { enum: [null, ''] } as const;
const status = statusForm();

/**
 * The schema of what a client may send where code reads the value, since the declaration describes what it is read into.
 * A kind that is missing here is sent as it is declared.
 */
export const sentForms: Readonly<Partial<Record<Reads, PublishedSchema>>> = {
  status,
  'status-patch': status,
  ...Object.fromEntries(
    Object.entries(metadataRules).map(([kind, rules]) => [kind, metadataForm(kind, rules)]),
  ),
  'account-rule': accountRuleForm(),
};

/** A bare code, the object, or the object one level deeper (contract ledger §1.4). */
function statusForm(): PublishedSchema {
  const { code } = newStatus.properties;
  const flat = record(newStatus.properties, []);
  const nested = record({ status: { anyOf: [code, flat] } }, ['status']);
  return { title: 'RequestedStatus', anyOf: [code, flat, nested] };
}

function metadataForm(kind: string, { update, reserved, nested }: MetadataRules): PublishedSchema {
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
    propertyNames: { maxLength: KEY_MAX, not: { enum: [...(reserved ?? []), '__proto__'] } },
    ...(nested !== undefined && {
      properties: { [nested]: { anyOf: [value, scalars], neverNull: true } },
    }),
    additionalProperties: value,
  };
}

/** The kind of rule decides what `validIf` is; a rule without either is none. */
function accountRuleForm(): PublishedSchema {
  const both = ['ruleType', 'validIf'] as const;
  const list = { type: 'array', items: { type: 'string' } } as const;
  return {
    title: 'RequestedAccountRule',
    anyOf: [
      record({ ruleType: { const: 'alias' }, validIf: textRequired }, both),
      record({ ruleType: { const: 'account_type' }, validIf: list }, both),
      record({ ruleType: absent, validIf: absent }, []),
    ],
  };
}
