import {
  APPLICATION_RULES,
  CALCULATION_TYPES,
  REFERENCE_AMOUNTS,
} from '#src/events/fees/fee-package.ts';
import { fits } from '#src/kernel/code-points.ts';
import type { RefusalName } from '#src/kernel/errors.ts';
import { parseUuid } from '#src/kernel/ids.ts';
import { DECIMAL } from '#src/kernel/published.ts';
import { isBlank, notBlank, record, uuid } from '#src/kernel/schema-fragments.ts';
import type { PublishedSchema, Schema, SchemaFinding, ValueReader } from '#src/kernel/schema.ts';
import {
  addFinding,
  isObject,
  onlyMembers,
  wrongType,
  type ValueMembers,
} from '#src/kernel/value-reader.ts';
import { readDecimal } from './decimal-reader.ts';

const LABEL_MAX = 256;
const ALIAS_MAX = 256;
const CALCULATIONS_MAX = 20;
const PRIORITY_MAX = 1_000_000_000;

/** The members of a fee in the order in which it is stored, with what reads each. */
const readers = {
  feeLabel: readLabel,
  calculationModel: readModel,
  referenceAmount: wordReader(REFERENCE_AMOUNTS, 'FEE_REFERENCE_UNKNOWN'),
  priority: readPriority,
  isDeductibleFrom: readFlag,
  creditAccount: readAlias,
  routeFrom: readRoute,
  routeTo: readRoute,
  deferrable: readFlag,
} satisfies Record<string, MemberReader>;

type MemberReader = (sent: unknown, at: string, findings: SchemaFinding[]) => unknown;
type FeeMember = keyof typeof readers;

const OPTIONAL: readonly string[] = ['routeFrom', 'routeTo', 'deferrable'] satisfies FeeMember[];

/** The members that every fee has. */
const REQUIRED_FEE_MEMBERS = Object.keys(readers).filter(
  (member) => !OPTIONAL.includes(member),
) as readonly FeeMember[];

const REFUSALS: readonly RefusalName[] = [
  'FEE_CALCULATION_TYPE',
  'FEE_PRIORITY_INVALID',
  'FEE_CALCULATIONS_EMPTY',
  'FEE_CALCULATION_INCOMPLETE',
  'FEE_REFERENCE_UNKNOWN',
  'FEE_RULE_UNKNOWN',
  'FEE_CALCULATION_TYPE_UNKNOWN',
  'FEE_NOT_A_DECIMAL',
  'FEE_PERCENTAGE_OUT_OF_BOUNDS',
  'FEE_FLAT_OUT_OF_BOUNDS',
  'MALFORMED_FIELD',
  'REQUIRED_FIELDS',
  'TOO_MANY_KEYS',
];

/** Describes the fees of a body; the parser reads their decimals by it. */
const calculation = record(
  {
    type: { type: 'string', enum: CALCULATION_TYPES },
    value: { type: 'string', format: 'decimal' },
  },
  ['type', 'value'],
);
const described = (version: 1 | 2) =>
  record(
    {
      feeLabel: notBlank(LABEL_MAX),
      calculationModel: record(
        {
          applicationRule: { type: 'string', enum: APPLICATION_RULES },
          calculations: {
            type: 'array',
            items: calculation,
            minItems: 1,
            maxItems: CALCULATIONS_MAX,
          },
        },
        ['applicationRule', 'calculations'],
      ),
      referenceAmount: { type: 'string', enum: REFERENCE_AMOUNTS },
      priority: { type: 'integer', minimum: 1, maximum: PRIORITY_MAX },
      isDeductibleFrom: { type: 'boolean' },
      creditAccount: notBlank(ALIAS_MAX),
      routeFrom: uuid,
      routeTo: uuid,
      ...(version === 2 && { deferrable: { type: 'boolean' } }),
    },
    REQUIRED_FEE_MEMBERS as [],
  );

/** The fees of a new package; each is complete. */
export const newFees = (version: 1 | 2) => {
  const fee = described(version);
  const reader: ValueReader = {
    read: (sent, findings) =>
      isObject(sent) ? readFees(sent, findings, version, readNewFee) : wrongType(sent, findings),
    sent: {
      title: `RequestedFeesV${version}`,
      type: 'object',
      minProperties: 1,
      maxProperties: 100,
      additionalProperties: published(fee),
    },
    refusals: REFUSALS,
  };
  return { type: 'object', additionalProperties: fee, reads: reader } as const satisfies Schema;
};

/**
 * Fees of an update by key: the members that change, in which null removes an optional one; or null, which removes the
 * whole fee. `[]` and a fee with nothing but empty members remove it, too (contract registry-and-fees §B4).
 */
export const changedFees = (version: 1 | 2) => {
  const fee = described(version);
  const { required: _, ...partial } = fee;
  const reader: ValueReader = {
    read: (sent, findings) => {
      if (sent === null) {
        addFinding(findings, 'REQUIRED_FIELDS', '', 'must not be removed', sent);
        return undefined;
      }
      if (!isObject(sent)) return wrongType(sent, findings);
      return readFees(sent, findings, version, readChangedFee);
    },
    sent: {
      title: `ChangedFeesV${version}`,
      type: 'object',
      maxProperties: 100,
      additionalProperties: {
        anyOf: [
          published({ ...partial, required: [] }, true),
          { type: 'array', maxItems: 0 },
          { type: 'null' },
        ],
      },
    },
    refusals: REFUSALS,
  };
  return {
    type: 'object',
    neverNull: true,
    additionalProperties: fee,
    reads: reader,
  } as const satisfies Schema;
};

const NULL: PublishedSchema = { type: 'null' };

const { exclusiveMinimum: _, ...decimal } = DECIMAL;
const CALCULATION_VALUE = {
  ...decimal,
  title: 'CalculationValue',
  pattern: DECIMAL.pattern.replace('[+-]', '[+]'),
  minimum: 0,
} as const satisfies PublishedSchema;

/** Describes a fee as clients send it: decimals as texts or numbers, and in an update with members that are empty. */
function published(fee: Schema, mayBeEmpty = false): PublishedSchema {
  const { properties = {}, ...rest } = fee;
  const model = properties['calculationModel']!;
  const { calculations, ...others } = model.properties!;
  const members = {
    ...properties,
    calculationModel: {
      ...model,
      properties: {
        ...others,
        calculations: {
          ...calculations!,
          items: {
            ...calculation,
            properties: { ...calculation.properties, value: CALCULATION_VALUE },
          },
        },
      },
    },
  } as Readonly<Record<string, PublishedSchema>>;
  const sent = mayBeEmpty
    ? Object.fromEntries(
        Object.entries(members).map(([member, schema]) => [
          member,
          { anyOf: [schema, NULL, { const: '' }] },
        ]),
      )
    : members;
  return { ...(rest as PublishedSchema), properties: sent };
}

type FeeReader = (
  sent: unknown,
  key: string,
  findings: SchemaFinding[],
  members: string[],
) => unknown;

function readFees(
  sent: ValueMembers,
  findings: SchemaFinding[],
  version: 1 | 2,
  read: FeeReader,
): Readonly<Record<string, unknown>> | undefined {
  const members = Object.keys(readers).filter((one) => version === 2 || one !== 'deferrable');
  const before = findings.length;
  const fees = Object.entries(sent).map(([key, fee]) => [key, read(fee, key, findings, members)]);
  if (read === readNewFee && fees.length === 0) {
    addFinding(findings, 'MALFORMED_FIELD', '', 'must have at least one fee', sent);
  }
  return findings.length > before
    ? undefined
    : (Object.fromEntries(fees) as Readonly<Record<string, unknown>>);
}

function readNewFee(sent: unknown, key: string, findings: SchemaFinding[], members: string[]) {
  if (!isObject(sent)) {
    addFinding(findings, 'BODY_UNREADABLE', key, 'must be an object', sent);
    return undefined;
  }
  onlyMembers(sent, members, `${key}.`, findings);
  for (const member of REQUIRED_FEE_MEMBERS) {
    if (!isEmpty(sent[member])) continue;
    addFinding(findings, 'REQUIRED_FIELDS', `${key}.${member}`, 'is required', sent[member]);
  }
  return membersOf(sent, key, findings, () => undefined);
}

function readChangedFee(sent: unknown, key: string, findings: SchemaFinding[], members: string[]) {
  const isRemoved = Array.isArray(sent) ? sent.length === 0 : sent === null;
  if (isRemoved) return null;
  if (!isObject(sent)) {
    addFinding(findings, 'BODY_UNREADABLE', key, 'must be an object', sent);
    return undefined;
  }
  onlyMembers(sent, members, `${key}.`, findings);
  if (Object.values(sent).every(isEmpty)) return null;
  const removed = (member: string): null | undefined =>
    OPTIONAL.includes(member) ? null : undefined;
  return membersOf(sent, key, findings, removed);
}

/** Reads the members that were sent; an empty one counts as what `emptied` returns. */
function membersOf(
  sent: ValueMembers,
  key: string,
  findings: SchemaFinding[],
  emptied: (member: string) => null | undefined,
): object {
  const read = Object.entries(readers).flatMap(([member, reader]: [string, MemberReader]) => {
    if (!Object.hasOwn(sent, member)) return [];
    const value = sent[member];
    if (value === null || value === '') {
      const empty = emptied(member);
      return empty === undefined ? [] : [[member, empty] as const];
    }
    const result = reader(value, `${key}.${member}`, findings);
    return result === undefined ? [] : [[member, result] as const];
  });
  return Object.fromEntries(read);
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

const text = (
  sent: unknown,
  at: string,
  findings: SchemaFinding[],
  wrong: RefusalName = 'BODY_UNREADABLE',
): string | undefined =>
  typeof sent === 'string' ? sent : addFinding(findings, wrong, at, 'must be a string', sent);

function limited(sent: unknown, max: number, at: string, findings: SchemaFinding[]) {
  const value = text(sent, at, findings);
  if (value === undefined) return undefined;
  if (isBlank(value)) {
    addFinding(findings, 'MALFORMED_FIELD', at, 'must not be blank', value);
    return undefined;
  }
  if (fits(value, max)) return value;
  const message = `must have at most ${max} characters`;
  addFinding(findings, 'MALFORMED_FIELD', at, message, value);
  return undefined;
}

function readLabel(sent: unknown, at: string, findings: SchemaFinding[]): string | undefined {
  return limited(sent, LABEL_MAX, at, findings);
}

function readAlias(sent: unknown, at: string, findings: SchemaFinding[]): string | undefined {
  return limited(sent, ALIAS_MAX, at, findings);
}

function readFlag(sent: unknown, at: string, findings: SchemaFinding[]): boolean | undefined {
  if (typeof sent === 'boolean') return sent;
  addFinding(findings, 'BODY_UNREADABLE', at, 'must be a boolean', sent);
  return undefined;
}

function readRoute(sent: unknown, at: string, findings: SchemaFinding[]): string | undefined {
  const value = text(sent, at, findings);
  if (value === undefined) return undefined;
  const id = parseUuid(value);
  if (id === undefined) addFinding(findings, 'MALFORMED_FIELD', at, 'must be a UUID', value);
  return id;
}

function readPriority(sent: unknown, at: string, findings: SchemaFinding[]): number | undefined {
  if (typeof sent !== 'number') {
    addFinding(findings, 'BODY_UNREADABLE', at, 'must be an integer', sent);
    return undefined;
  }
  if (Number.isInteger(sent) && sent >= 1 && sent <= PRIORITY_MAX) return sent;
  const message = `must be an integer from 1 to ${PRIORITY_MAX}`;
  addFinding(findings, 'FEE_PRIORITY_INVALID', at, message, sent);
  return undefined;
}

function wordReader(words: readonly string[], refusal: RefusalName) {
  return (sent: unknown, at: string, findings: SchemaFinding[], wrong?: RefusalName) => {
    const value = text(sent, at, findings, wrong);
    if (value === undefined || words.some((word) => word === value)) return value;
    const message = `must be one of ${words.join(', ')}`;
    addFinding(findings, refusal, at, message, value);
    return undefined;
  };
}

const readRule = wordReader(APPLICATION_RULES, 'FEE_RULE_UNKNOWN');
const readType = wordReader(CALCULATION_TYPES, 'FEE_CALCULATION_TYPE_UNKNOWN');

/** A model is sent and replaced as one value. */
function readModel(sent: unknown, at: string, findings: SchemaFinding[]): object | undefined {
  if (!isObject(sent)) {
    addFinding(findings, 'FEE_CALCULATION_TYPE', at, 'must be an object', sent);
    return undefined;
  }
  onlyMembers(sent, ['applicationRule', 'calculations'], `${at}.`, findings);
  const { applicationRule, calculations } = sent;
  const rule = isGiven(applicationRule, `${at}.applicationRule`, findings)
    ? readRule(applicationRule, `${at}.applicationRule`, findings, 'FEE_CALCULATION_TYPE')
    : undefined;
  const list = `${at}.calculations`;
  if (calculations === undefined || calculations === null) {
    isGiven(calculations, list, findings);
    return undefined;
  }
  if (!Array.isArray(calculations)) {
    addFinding(findings, 'FEE_CALCULATION_TYPE', list, 'must be an array', calculations);
    return undefined;
  }
  if (calculations.length === 0) {
    addFinding(findings, 'FEE_CALCULATIONS_EMPTY', list, 'must not be empty', calculations);
    return undefined;
  }
  if (calculations.length > CALCULATIONS_MAX) {
    const message = `must have at most ${CALCULATIONS_MAX} items`;
    addFinding(findings, 'MALFORMED_FIELD', list, message);
    return undefined;
  }
  const read = calculations.map((one, n) => readCalculation(one, `${list}[${n}]`, findings));
  return { applicationRule: rule, calculations: read };
}

function readCalculation(sent: unknown, at: string, findings: SchemaFinding[]) {
  if (!isObject(sent)) {
    addFinding(findings, 'FEE_CALCULATION_TYPE', at, 'must be an object', sent);
    return undefined;
  }
  onlyMembers(sent, ['type', 'value'], `${at}.`, findings);
  const type = isGiven(sent['type'], `${at}.type`, findings)
    ? readType(sent['type'], `${at}.type`, findings, 'FEE_CALCULATION_TYPE')
    : undefined;
  if (!isGiven(sent['value'], `${at}.value`, findings)) return undefined;
  const value = text(sent['value'], `${at}.value`, findings, 'FEE_CALCULATION_TYPE');
  if (type === undefined || value === undefined) return undefined;
  const bounds = type === 'flat' ? 'FEE_FLAT_OUT_OF_BOUNDS' : 'FEE_PERCENTAGE_OUT_OF_BOUNDS';
  return { type, value: readDecimal(value, `${at}.value`, findings, bounds) };
}

/** Adds a finding for a member of a model that is empty. */
function isGiven(value: unknown, at: string, findings: SchemaFinding[]): boolean {
  if (!isEmpty(value)) return true;
  addFinding(findings, 'FEE_CALCULATION_INCOMPLETE', at, 'is required');
  return false;
}
