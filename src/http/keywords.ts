import type {
  DataValidateFunction,
  DataValidationCxt,
  KeywordDefinition,
} from 'ajv/dist/types/index.js';
import { readAmount } from '#src/kernel/amount.ts';
import type { RefusalName } from '#src/kernel/errors.ts';
import { parseUuid } from '#src/kernel/ids.ts';
import type { SchemaFinding, Schema, ValueReader } from '#src/kernel/schema.ts';
import { readMoment } from './instants.ts';

/** The parameters of an error of our own keywords, in addition to ajv's. */
export type OwnParams = Readonly<{ finding: SchemaFinding }>;

/**
 * Prepares a schema for ajv: formats that change the value become keywords, values read by code lose their description,
 * and each required member is marked as such.
 */
export function rewritten(schema: Schema, required = false): object {
  if (schema.unchecked === true) return {};
  if (schema.reads !== undefined) {
    return { reads: schema.reads, ...('default' in schema && { default: schema.default }) };
  }
  const { published, confidential, format, properties, items, additionalProperties, ...others } =
    schema;
  const { anyOf, oneOf, allOf, ...rest } = others;
  const needed = schema.required ?? [];
  const text = schema.type === 'string' && format === undefined;
  return {
    ...rest,
    ...(required && { isRequired: true, ...(text && { minLength: rest.minLength ?? 1 }) }),
    ...(format && format !== 'date-time' && { [format]: true }),
    ...(properties && {
      properties: mapped(properties, (member, name) => rewritten(member, needed.includes(name))),
    }),
    ...(items && { items: rewritten(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object'
          ? rewritten(additionalProperties)
          : additionalProperties,
    }),
    ...(anyOf && { anyOf: anyOf.map((option) => rewritten(option)) }),
    ...(oneOf && { oneOf: oneOf.map((option) => rewritten(option)) }),
    ...(allOf && {
      allOf: allOf.map((part) => ({ ...rewritten(part), ...(required && { isRequired: true }) })),
    }),
  };
}

/** `code`, once per process: keywords are registered with both ajv instances. */
export const keywords: KeywordDefinition[] = [
  ...[
    ...['refusal', 'wrongType', 'must'],
    ...['neverNull', 'emptyIsAbsent', 'zeroIsAbsent', 'isRequired'],
  ].map((keyword) => ({ keyword })),
  changing('uuid', (text) => parseUuid(text) ?? refused('MALFORMED_FIELD', 'must be a UUID')),
  changing('instant', (text) => {
    const moment = readMoment(text);
    if (moment === undefined) return refused('MALFORMED_FIELD', 'must be a date or a date-time');
    return moment.first;
  }),
  changing('decimal', (text) => {
    const amount = readAmount(text);
    if (amount === 'malformed') return refused('BODY_UNREADABLE', 'must be a decimal number');
    return amount === 'out-of-range' ? OUT_OF_RANGE : text;
  }),
  {
    keyword: 'reads',
    schemaType: 'object',
    modifying: true,
    errors: 'full',
    compile: (reader: ValueReader, schema) => validatorBy(reader, schema),
  },
];

/** Defines a keyword on strings that normalizes the value or adds a finding. */
function changing(
  keyword: string,
  change: (text: string) => string | SchemaFinding,
): KeywordDefinition {
  return {
    keyword,
    type: 'string',
    schemaType: 'boolean',
    modifying: true,
    errors: 'full',
    compile: (_: true, schema) => {
      const validate: DataValidateFunction = (sent: string, at) => {
        const value = change(sent);
        if (typeof value === 'string') {
          if (value !== sent && at) replace(at, value);
          return true;
        }
        report(validate, [value], { at, keyword, schema, data: sent });
        return false;
      };
      return validate;
    },
  };
}

function validatorBy(reader: ValueReader, schema: object): DataValidateFunction {
  const validate: DataValidateFunction = (sent: unknown, at) => {
    const findings: SchemaFinding[] = [];
    const value = reader.read(sent, findings, at?.parentData);
    if (findings.length > 0) {
      report(validate, findings, { at, keyword: 'reads', schema, data: sent });
      return false;
    }
    if (value !== sent && at) replace(at, value);
    return true;
  };
  return validate;
}

const replace = (at: DataValidationCxt, value: unknown): void => {
  (at.parentData as Record<string | number, unknown>)[at.parentDataProperty] = value;
};

type KeywordError = Readonly<{
  at: DataValidationCxt | undefined;
  keyword: string;
  schema: object;
  data: unknown;
}>;

function report(
  validate: DataValidateFunction,
  findings: readonly SchemaFinding[],
  about: KeywordError,
): void {
  const { at, keyword, schema, data } = about;
  validate.errors = findings.map((own) => ({
    keyword,
    instancePath: at?.instancePath ?? '',
    schemaPath: '',
    params: { finding: own } satisfies OwnParams,
    parentSchema: schema,
    data,
  }));
}

const refused = (refusal: RefusalName, message: string): SchemaFinding => ({
  refusal,
  location: '',
  message,
});

const OUT_OF_RANGE = refused(
  'NUMBER_OUT_OF_RANGE',
  'must have at most 30 integer and 30 fractional digits',
);

const mapped = (
  members: Readonly<Record<string, Schema>>,
  change: (member: Schema, name: string) => object,
): object =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]));
