import type { PublishedSchema, Schema } from '#src/kernel/schema.ts';
import { DECIMAL } from '#src/kernel/published.ts';
import { changedParts } from './schema-parts.ts';

/**
 * Returns the schema of a body for clients: with what the validator adds to a declaration (a required text is not
 * empty, a null counts as absent, a decimal is a string or a number) and with the rules that code checks.
 */
export function requestSchema(schema: Schema): PublishedSchema {
  const body = sent(schema);
  const mayBeEmpty = (body.required ?? []).length === 0;
  return body.type === 'object' && mayBeEmpty ? nullable(body) : body; // A whole body null counts as {}.
}

/** Returns one schema for each declaration, so that one with a title is described once. */
function sent(declared: PublishedSchema): PublishedSchema {
  const known = schemas.get(declared);
  if (known !== undefined) return known;
  const schema = newlySent(declared);
  schemas.set(declared, schema);
  return schema;
}

const schemas = new WeakMap<PublishedSchema, PublishedSchema>();

function newlySent(declared: PublishedSchema): PublishedSchema {
  const { reads, published, default: standard } = declared;
  const form = published ?? reads?.sent;
  if (form !== undefined) {
    const schema = sent(form);
    return standard === undefined ? schema : { anyOf: [schema], default: standard };
  }
  return declared.format === 'decimal' && declared.pattern === undefined
    ? DECIMAL
    : parts(declared);
}

function parts(schema: PublishedSchema): PublishedSchema {
  const { required = [] } = schema;
  const member = (one: PublishedSchema, name: string): PublishedSchema =>
    required.includes(name) ? requiredMember(one) : optionalMember(one);
  return { ...schema, ...changedParts(schema, sent, member) };
}

/** Forbids an empty text in a required member, which the validator refuses as missing. */
function requiredMember(declared: PublishedSchema): PublishedSchema {
  const schema = sent(declared);
  const isText = schema.type === 'string' && schema.format === undefined && !schema.enum;
  return isText ? { ...schema, minLength: schema.minLength ?? 1 } : schema;
}

function optionalMember(declared: PublishedSchema): PublishedSchema {
  const schema = declared.emptyIsAbsent ? emptiable(sent(declared)) : sent(declared);
  return declared.neverNull ? schema : nullable(schema);
}

function emptiable({ minLength, ...schema }: PublishedSchema): PublishedSchema {
  return schema.enum ? { ...schema, enum: [...schema.enum, ''] } : schema;
}

/** Allows null, which counts as absent. */
function nullable(schema: PublishedSchema): PublishedSchema {
  const { title, type, enum: words, anyOf, oneOf, not, const: value } = schema;
  if ([type].flat().includes('null')) return schema;
  if (title !== undefined) {
    return Array.isArray(type) ? optionalOf(schema) : { anyOf: [schema, NULL] };
  }
  if (type === undefined) {
    if (anyOf?.some((one) => one.type === 'null')) return schema;
    if (anyOf) return { ...schema, anyOf: [...anyOf, NULL] };
    return words && !words.includes(null) ? { ...schema, enum: [...words, null] } : schema;
  }
  if (anyOf || oneOf || not || value !== undefined) return { anyOf: [schema, NULL] };
  return {
    ...schema,
    type: [type, 'null'].flat() as NonNullable<PublishedSchema['type']>,
    ...(words && { enum: [...words, null] }),
  };
}

/**
 * Allows null next to the several types of a schema with a title, under a title of its own: a generator of clients fails
 * on a choice between null and such a schema.
 */
function optionalOf(schema: PublishedSchema): PublishedSchema {
  const { title = '', type = [], anyOf } = schema;
  const known = optionals.get(schema) ?? {
    ...schema,
    title: `Optional${title}`,
    type: [type, 'null'].flat() as NonNullable<PublishedSchema['type']>,
    ...(anyOf && { anyOf: [...anyOf, NULL] }),
  };
  optionals.set(schema, known);
  return known;
}

const optionals = new WeakMap<PublishedSchema, PublishedSchema>();

const NULL: PublishedSchema = { type: 'null' };
