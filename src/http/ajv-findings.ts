import type { ErrorObject } from 'ajv';
import type { RefusalName } from '#src/kernel/errors.ts';
import { locationOf } from './json.ts';
import type { OwnParams } from './keywords.ts';
import type { SchemaFinding } from '#src/kernel/schema.ts';

/** Translates an error of ajv; empty for errors that only repeat their parts. */
export function findingsOf(error: ErrorObject, body: unknown): SchemaFinding[] {
  const path = pathOf(error.instancePath, body);
  const schema = (error.parentSchema ?? {}) as OwnSchema;
  const params = error.params as Params;
  const value: unknown = error.data;

  if (params.finding !== undefined) return [keywordFinding(params.finding, path, schema, error)];
  switch (error.keyword) {
    case 'additionalProperties': {
      const name = params.additionalProperty ?? '';
      const location = locationOf([...path, name]);
      const unknown = (value as Record<string, unknown>)[name];
      const message = 'is not a field of this operation';
      return [{ refusal: 'UNEXPECTED_FIELDS', location, message, value: unknown }];
    }
    case 'required': {
      const location = locationOf([...path, params.missingProperty ?? '']);
      return [{ refusal: 'REQUIRED_FIELDS', location, message: 'is required' }];
    }
    case 'type': {
      if (value === null && path.length > 0 && (schema.isRequired ?? schema.neverNull) === true) {
        const message = 'must not be null';
        return [{ refusal: 'UNEXPECTED_FIELDS', location: locationOf(path), message, value }];
      }
      const words = schema.decimal ? 'a decimal number' : typeWords(params.type ?? []);
      const message = `must be ${words}`;
      const refusal = schema.wrongType ?? 'BODY_UNREADABLE';
      return [{ refusal, location: locationOf(path), message, value }];
    }
    default:
      return [malformed(error, locationOf(path), schema)];
  }
}

function malformed(error: ErrorObject, location: string, schema: OwnSchema): SchemaFinding {
  const value: unknown = error.data;
  if (value === '' && schema.isRequired === true) {
    return { refusal: 'REQUIRED_FIELDS', location, message: 'must not be empty', value };
  }
  if (value === 0 && schema.zeroIsAbsent === true) {
    return { refusal: 'REQUIRED_FIELDS', location, message: 'must not be 0', value };
  }
  const message = messageOf(error, schema);
  return { refusal: schema.refusal ?? 'MALFORMED_FIELD', location, message, value };
}

function keywordFinding(
  own: SchemaFinding,
  path: readonly (string | number)[],
  schema: OwnSchema,
  { keyword, data }: ErrorObject,
): SchemaFinding {
  if (keyword === 'reads') {
    const location = [locationOf(path), own.location].filter((part) => part !== '').join('.');
    return { ...own, location };
  }
  const location = locationOf(path);
  if (data === '' && schema.isRequired === true && own.refusal === 'MALFORMED_FIELD') {
    return { refusal: 'REQUIRED_FIELDS', location, message: 'must not be empty', value: data };
  }
  const refusal = own.refusal === 'MALFORMED_FIELD' ? (schema.refusal ?? own.refusal) : own.refusal;
  return { refusal, location, message: own.message, value: data };
}

type OwnSchema = {
  refusal?: RefusalName;
  wrongType?: RefusalName;
  must?: string;
  decimal?: true;
  isRequired?: boolean;
  neverNull?: boolean;
  zeroIsAbsent?: boolean;
};

type Params = Partial<OwnParams> & {
  additionalProperty?: string;
  missingProperty?: string;
  type?: string | readonly string[];
  limit?: number;
  allowedValues?: readonly unknown[];
};

/** Converts ajv's pointer to names and indexes; the body tells an index from a name made of digits. */
function pathOf(pointer: string, body: unknown): (string | number)[] {
  const path: (string | number)[] = [];
  let at: unknown = body;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(at) ? Number(name) : name);
    at = (at as Record<string, unknown> | undefined)?.[name];
  }
  return path;
}

const typeWords = (types: string | readonly string[]): string =>
  (typeof types === 'string' ? [types] : types)
    .map((type) => (type === 'null' ? 'null' : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`))
    .join(' or ');

function messageOf(error: ErrorObject, { must }: OwnSchema): string {
  const { limit, allowedValues } = error.params as Params;
  switch (error.keyword) {
    case 'maxLength':
      return `must have at most ${counted(limit, 'character')}`;
    case 'minLength':
      return `must have at least ${counted(limit, 'character')}`;
    case 'maxItems':
      return `must have at most ${counted(limit, 'item')}`;
    case 'minItems':
      return `must have at least ${counted(limit, 'item')}`;
    case 'pattern':
      return must === undefined ? 'has a form that is not allowed' : `must ${must}`;
    case 'enum':
      if (must !== undefined) return `must ${must}`;
      return (allowedValues?.length ?? 0) <= ALLOWED_SHOWN_MAX
        ? `must be one of ${(allowedValues ?? []).map((value) => JSON.stringify(value)).join(', ')}`
        : 'is not one of the allowed values';
    default:
      return error.message ?? 'is not valid';
  }
}

const counted = (n = 0, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

const ALLOWED_SHOWN_MAX = 12;
