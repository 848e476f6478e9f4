import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Schema, SchemaFinding } from '#src/kernel/schema.ts';
import { refusalOf } from './body-refusal.ts';
import { findingsOf } from './ajv-findings.ts';
import { keywords, rewritten } from './keywords.ts';
import { normalize } from './normalize.ts';

/** Returns the body in its normal form, or throws the refusal with every finding. */
export type Validator = (body: unknown) => unknown;

/**
 * Returns the validator of a body, which is compiled on first use, because compiling all of them would take most of a
 * start. Routes with the same body share it. A valid body is checked once, by a validator that stops at the first
 * error; an invalid one is normalized (absent nulls) and, if it still fails, searched for all errors. So hostile bodies
 * cost little, and valid ones nothing for the reporting.
 */
export function validatorOf(schema: Schema): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validator = newValidator(schema);
  validators.set(schema, validator);
  return validator;
}

const validators = new WeakMap<Schema, Validator>();

function newValidator(schema: Schema): Validator {
  let check: ValidateFunction | undefined;
  let search: ValidateFunction | undefined;

  return (sent) => {
    const body = sent ?? {}; // A whole body null counts as {}.
    check ??= quick.compile(rewritten(schema));
    if (check(body)) return body;
    normalize(schema, body);
    if (check(body)) return body;
    search ??= thorough.compile(rewritten(schema));
    search(body);
    const errors: readonly ErrorObject[] = search.errors ?? check.errors ?? [];
    const findings = errors.flatMap((error) => findingsOf(error, body));
    throw refusalOf(schema.confidential === true ? findings.map(withoutValue) : findings);
  };
}

const withoutValue = ({ value: _, ...finding }: SchemaFinding): SchemaFinding => finding;

const options = {
  strict: true,
  allowUnionTypes: true,
  coerceTypes: false,
  useDefaults: true,
  verbose: true, // Errors carry the value and the schema they are about.
} as const;

const quick = new Ajv({ ...options, allErrors: false, keywords });
const thorough = new Ajv({ ...options, allErrors: true, keywords });
