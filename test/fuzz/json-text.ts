import fc, { type Arbitrary } from 'fast-check';
import type { SchemaObject } from '#src/http/pages/description.ts';
import { anyWord } from './words.ts';

export type Resolve = (pointer: string) => SchemaObject;

/**
 * JSON texts that mostly fit a schema and now and then do not: texts and not values, since much of what can be sent
 * is no value of this language, such as numbers beyond doubles, a member twice, or half a body.
 */
export function bodyOf(schema: SchemaObject, resolve: Resolve): Arbitrary<string> {
  const text = jsonText(schema, resolve);
  return mostly(
    text,
    30,
    fc.oneof(
      junk,
      fc.tuple(text, fc.nat(400)).map(([whole, at]) => whole.slice(0, at)),
      fc.tuple(text, fc.nat(400), anyWord).map(([whole, at, word]) => {
        return whole.slice(0, at) + word + whole.slice(at + 1);
      }),
      text.map((whole) => whole + whole),
      fc.constant(''),
    ),
  );
}

/** A body as it is, or with one member more or another. */
export function variant(good: object, schema: SchemaObject, resolve: Resolve): Arbitrary<string> {
  const { properties = {} } = schema;
  const placed = (value: unknown): string =>
    JSON.stringify(value).replaceAll(/"the (organization|ledger)"/g, '"«$1:0»"');
  const own = new Map(Object.entries(good).map(([name, value]) => [name, placed(value)]));
  const written = (members: ReadonlyMap<string, string>): string =>
    `{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
  const changed = Object.entries(properties).map(([name, member]) =>
    jsonText(member, resolve, name).map((text) => written(new Map(own).set(name, text))),
  );
  return fc.oneof(fc.constant(written(own)), ...changed);
}

function jsonText(schema: SchemaObject, resolve: Resolve, name = ''): Arbitrary<string> {
  const { $ref, oneOf, anyOf, type, enum: words, const: only } = schema;
  if ($ref !== undefined) return jsonText(resolve($ref), resolve, name);
  const choices = oneOf ?? anyOf;
  if (choices !== undefined && type === undefined) {
    return rarelyNull(
      choices,
      (one) => one.type === 'null',
      (one) => jsonText(one, resolve, name),
    );
  }
  if (type === undefined && (words !== undefined || only !== undefined)) {
    return fc.constantFrom(...(words ?? [only])).map((word) => JSON.stringify(word));
  }
  const types = [type ?? 'object'].flat() as readonly string[];
  const text = rarelyNull(
    types,
    (one) => one === 'null',
    (one) => ofType(one, schema, resolve, name),
  );
  return mostly(text, 60, junk);
}

/** Every optional member may be null: one that always is would say nothing. */
const rarelyNull = <Choice>(
  choices: readonly Choice[],
  isNull: (choice: Choice) => boolean,
  arbitrary: (choice: Choice) => Arbitrary<string>,
): Arbitrary<string> =>
  fc.oneof(...choices.map((one) => ({ weight: isNull(one) ? 1 : 8, arbitrary: arbitrary(one) })));

function ofType(
  type: string,
  schema: SchemaObject,
  resolve: Resolve,
  name: string,
): Arbitrary<string> {
  switch (type) {
    case 'null':
      return fc.constant('null');
    case 'boolean':
      return fc.boolean().map(String);
    case 'integer':
    case 'number':
      return schema.format === 'decimal' ? decimal : numberText(schema);
    case 'array':
      return arrayText(schema, resolve, name);
    case 'object':
      return objectText(schema, resolve);
    default:
      return stringText(schema, name);
  }
}

const numberText = ({ minimum = 0, maximum = 1000 }: SchemaObject): Arbitrary<string> =>
  mostly(
    fc.integer({ min: minimum, max: Math.max(minimum, maximum) }).map(String),
    8,
    fc.constantFrom(String(minimum - 1), String(maximum + 1), '1.5', '1e2', ...NUMBERS),
  );

function stringText(schema: SchemaObject, name: string): Arbitrary<string> {
  const { format, maxLength } = schema;
  const words = schema.enum;
  const texts = words?.filter((word) => word !== null);
  if (texts !== undefined) return fc.constantFrom(...texts).map((word) => JSON.stringify(word));
  if (format === 'decimal') return decimal.map((text) => `"${text}"`);
  if (format === 'uuid') return idText(name);
  const long =
    maxLength === undefined ? [] : [maxLength, maxLength + 1].map((size) => 'é'.repeat(size));
  const hostile = fc.oneof(anyWord, fc.constantFrom(...HOSTILE, ...long));
  return mostly(wordFor(schema, name), 12, hostile).map((text) => JSON.stringify(text));
}

/** `«segment:17»` stands for the 17th segment there is, once the request is sent. */
const idText = (name: string): Arbitrary<string> => {
  const [, kind = 'account'] = /^(?:parent)?(\w+?)Ids?$/.exec(name) ?? [];
  const snake = kind.replaceAll(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return mostly(
    fc.nat(500).map((n) => `"«${snake}:${n}»"`),
    8,
    fc.constantFrom('"0197f3a0-1111-7aaa-8bbb-000000000000"', '"X"', '""'),
  );
};

/** What such a member is likely to hold, so that much is accepted. */
function wordFor({ format }: SchemaObject, name: string): Arbitrary<string> {
  if (format === 'date-time') {
    return fc.constantFrom('2026-01-05', '2026-01-05T10:00:00Z', '2999-01-01', 'then');
  }
  const found = Object.entries(WORDS).find(([names]) => names.split(' ').includes(name))?.[1];
  const word = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 8 });
  return found === undefined ? word : mostly(fc.constantFrom(...found), 6, word);
}

function arrayText({ items = {} }: SchemaObject, resolve: Resolve, name: string) {
  const list = fc.array(jsonText(items, resolve, name), { minLength: 1, maxLength: 3 });
  const long = fc.tuple(list, fc.constantFrom(101, 501)).map(([all, n]) => {
    return Array.from({ length: n }, (_, at) => all[at % all.length] ?? 'null');
  });
  return mostly(list, 40, fc.oneof(fc.constant([]), long)).map((all) => `[${all.join(',')}]`);
}

function objectText(
  { properties = {}, required = [], additionalProperties }: SchemaObject,
  resolve: Resolve,
): Arbitrary<string> {
  const members = Object.entries(properties).map(([name, schema]) => {
    const text = jsonText(schema, resolve, name).map((value) => `${JSON.stringify(name)}:${value}`);
    const [there, not] = required.includes(name) ? [40, 1] : [1, 3];
    return fc.oneof(
      { weight: there, arbitrary: text },
      { weight: not, arbitrary: fc.constant('') },
    );
  });
  const free =
    typeof additionalProperties === 'object'
      ? fc.array(
          fc
            .tuple(
              mostly(fc.constantFrom('a', 'b', 'c'), 4, anyWord),
              jsonText(additionalProperties, resolve),
            )
            .map(([key, value]) => `${JSON.stringify(key)}:${value}`),
          { maxLength: 3 },
        )
      : fc.constant([]);
  const extra = mostly(fc.constant(''), 40, fc.constantFrom(...MEMBERS));
  return fc
    .tuple(fc.tuple(...members), free, extra)
    .map(([own, others, more]) => `{${[...own, ...others, more].filter(Boolean).join(',')}}`);
}

export const mostly = <T>(usual: Arbitrary<T>, times: number, other: Arbitrary<T>): Arbitrary<T> =>
  fc.oneof({ weight: times, arbitrary: usual }, { weight: 1, arbitrary: other });

const NUMBERS = ['-0', '1e400', '-1', '0.1', '9'.repeat(400), '1e-400', '123456789012345678901.5'];
const decimal = mostly(
  fc.constantFrom('1', '2', '0.01', '10', '100', '5.50', '1e1'),
  8,
  fc.constantFrom('0', '-1', '1e30', '9'.repeat(31), `0.${'1'.repeat(31)}`, ...NUMBERS),
);
const junk: Arbitrary<string> = fc.oneof(
  fc.constantFrom('null', 'true', '[]', '{}', '""', '"\\u0000"', '"\\ud800"', '{"__proto__":1}'),
  fc.constantFrom(...NUMBERS),
  fc.constant('['.repeat(12) + ']'.repeat(12)),
  fc.constantFrom('NaN', '01', '.5', '+1', 'undefined', '"\n"', '"\\x"', '{"a":1,"a":1}', '{'),
  anyWord.map((word) => JSON.stringify(word)),
);
const MEMBERS = ['"unheard":1', '"__proto__":{}', '"constructor":1', '"id":"x"', '"a":1,"a":2'];
export const HOSTILE = [
  '',
  ' ',
  '\0',
  '..',
  '%00',
  '%',
  '$where',
  'a.b',
  "' OR 1=1 --",
  '<script>',
  '\u202e𝕏',
  '\ud800',
  'x'.repeat(3000),
  '-'.repeat(100),
];
const LETTERS = ['a', 'B', 'z', '0', '9', '-', '_', ' ', 'é', '.'] as const;
/** By names of members. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  'alias accountAlias': ['@alice', '@bob', '@carol', '@alice', '@bob', '@external/BRL', '@usd'],
  'asset assetCode from to': ['BRL', 'BRL', 'BRL', 'USD'],
  code: ['ACTIVE', 'EUR', 'JPY', 'ABC', 'XYZ', 'INACTIVE'],
  type: ['deposit', 'savings', 'currency', 'others', 'external'],
  'balanceKey key': ['default', 'default', 'frozen', 'spare'],
  metadataKey: ['a', 'b', 'c'],
};
