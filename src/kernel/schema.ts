import type { Finding, RefusalName } from './errors.ts';
import type { Uuid } from './ids.ts';
import type { Instant } from './instant.ts';

/**
 * The part of JSON Schema this program uses, and what it says beyond it. Declared `as const satisfies Schema`.
 *
 * Formats: `uuid` (arrives lower-cased and branded), `decimal` (string or number outside, exact text inside),
 * `instant` (a date or date-time outside, an Instant inside).
 * In a body, a null that the schema does not allow counts as absent, unless the member is required.
 */
export type Schema = Readonly<{
  type?: TypeName | readonly TypeName[];
  title?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  examples?: readonly unknown[];
  deprecated?: boolean;

  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: 'uuid' | 'decimal' | 'instant' | 'date-time';
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;

  items?: Schema;
  minItems?: number;
  maxItems?: number;

  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
}> &
  Annotations;

/**
 * A schema only for the API description, with JSON Schema 2020-12 keywords that the validator does not receive: it
 * states rules that code checks, because their refusals have codes of their own, and patterns in a form that every
 * engine compiles.
 */
export type PublishedSchema = Readonly<
  Omit<Schema, Nested | 'format' | keyof Annotations> & {
    format?: Schema['format'] | 'date';
    items?: PublishedSchema;
    properties?: Readonly<Record<string, PublishedSchema>>;
    additionalProperties?: boolean | PublishedSchema;
    propertyNames?: PublishedSchema;
    uniqueItems?: boolean;
    minProperties?: number;
    maxProperties?: number;
    dependentRequired?: Readonly<Record<string, readonly string[]>>;
    exclusiveMaximum?: number;
    anyOf?: readonly PublishedSchema[];
    oneOf?: readonly PublishedSchema[];
    allOf?: readonly PublishedSchema[];
    not?: PublishedSchema;
    if?: PublishedSchema;
    then?: PublishedSchema;
  }
> &
  Annotations;

type Nested = 'items' | 'properties' | 'additionalProperties' | 'anyOf' | 'oneOf' | 'allOf';

/** src/http/validator.ts reads these in addition to JSON Schema. */
export type Annotations = Readonly<{
  /** The schema of requests in the API description, in place of this one. */
  published?: PublishedSchema;
  /** The code of a malformed value, instead of the general one. */
  refusal?: RefusalName;
  /** The code of a value of another JSON type, instead of the general one. */
  wrongType?: RefusalName;
  /** The message of a finding, if pattern or enum would not explain it. */
  must?: string;
  /** Null is refused as unknown: the member is required on creation, and this is its update. */
  neverNull?: true;
  /** `""` counts as absent: for names on update, and members that are shown as `""` when absent. */
  emptyIsAbsent?: true;
  /** 0 counts as absent. */
  zeroIsAbsent?: true;
  /** For a body: findings do not repeat values, because any member, misspelled ones too, may have a secret. */
  confidential?: true;
  /** The items are checked by code, one by one; the schema only describes them. */
  unchecked?: true;
  /**
   * Defines which path parameters of operations on a created record are in the response of its creation; see
   * RecordLinks.
   */
  links?: RecordLinks;
  /** Reads the value by code; the rest of the schema only describes the result. */
  reads?: ValueReader;
}>;

export type RecordLinks = Readonly<{
  /** Path parameters that are in a member of another name: `{ asset_code: 'code' }`, `{ index: 'items/0/key' }`. */
  members?: Readonly<Record<string, string>>;
  /** Path parameters that only locate the record: not every operation below them concerns it. */
  scope?: readonly string[];
}>;

/** A problem with a value, and its refusal. Locations are relative to the value that is read. */
export type SchemaFinding = Finding &
  Readonly<{
    refusal: RefusalName;
    /** The kind of resource that the refusal names instead of the operation's. */
    entityType?: string;
  }>;

/** Rules on a value that code checks. Each reader is one object, so that the API description has its form once. */
export type ValueReader = Readonly<{
  /** Returns the normalized value, or adds its findings. `around` has the value as a member. */
  read: (sent: unknown, findings: SchemaFinding[], around?: unknown) => unknown;
  /** Describes what a client may send, if that is not what the schema describes. */
  sent?: PublishedSchema;
  /** The refusals it may give beyond those of every body. */
  refusals?: readonly RefusalName[];
  /** Replaces this reader under /v2. */
  version2?: ValueReader;
}>;

/**
 * The type of a value that a schema accepts, after normalization. It covers only the subset above: the general library
 * took ten times as long to compile and gave up inside generic functions.
 */
export type Shaped<S> = S extends { const: infer Value }
  ? Value
  : S extends { enum: readonly (infer Value)[] }
    ? Value
    : S extends { anyOf: readonly (infer Option)[] } | { oneOf: readonly (infer Option)[] }
      ? Shaped<Option>
      : S extends { type: readonly (infer Type)[] }
        ? OfType<S, Type>
        : S extends { type: infer Type }
          ? OfType<S, Type>
          : unknown;

type OfType<S, Type> = Type extends 'string'
  ? Text<S>
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? readonly (S extends { items: infer Item } ? Shaped<Item> : unknown)[]
          : ObjectOf<S>;

type Text<S> = S extends { format: 'uuid' }
  ? Uuid
  : S extends { format: 'instant' }
    ? Instant
    : string;

type ObjectOf<S> = S extends { properties: infer Properties }
  ? Flat<
      { readonly [Name in Present<S, Properties>]: Shaped<Properties[Name]> } & {
        readonly [Name in Exclude<keyof Properties, Present<S, Properties>>]?: Shaped<
          Properties[Name]
        >;
      }
    >
  : S extends { additionalProperties: infer Value extends object }
    ? Readonly<Record<string, Shaped<Value>>>
    : Readonly<Record<string, unknown>>;

/** Required members, and those a default fills in. */
type Present<S, Properties> = {
  [Name in keyof Properties]: Properties[Name] extends { default: unknown }
    ? Name
    : S extends { required: readonly (infer Required)[] }
      ? Name extends Required
        ? Name
        : never
      : never;
}[keyof Properties];

type Flat<T> = { [Name in keyof T]: T[Name] };

type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';
