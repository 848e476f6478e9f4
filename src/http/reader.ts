import type { Schema, Shaped } from '#src/kernel/schema.ts';
import { parse } from './json.ts';
import { jsonHintsOf } from './json-hints.ts';
import { validatorOf } from './validator.ts';

/** Reads values of a schema that arrive one by one, by the rules of whole bodies. Errors: Refusal. */
export type SchemaReader<S> = Readonly<{
  /** Parses a JSON text without checking it. */
  parse: (text: string) => unknown;
  check: (value: unknown) => Shaped<S>;
}>;

export function reader<const S extends Schema>(schema: S): SchemaReader<S> {
  const places = jsonHintsOf(schema);
  const validate = validatorOf(schema);
  return {
    parse: (text) => parse(text, places),
    check: (value) => validate(value) as Shaped<S>,
  };
}
