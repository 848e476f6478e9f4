import fc, { type Arbitrary } from 'fast-check';
import type { Description, Parameter, SchemaObject } from '#src/http/pages/description.ts';
import { formatScript } from '#test/support/format-script.ts';
import { anyScript } from '#test/support/any-script.ts';
import { bodyOf, HOSTILE, mostly, variant } from './json-text.ts';
import { anyWord } from './words.ts';

/** A request that is chosen; which ids it names is known when it is sent. */
export type Planned = Readonly<{
  operationId: string;
  method: string;
  template: string;
  /** By parameter of the path: which of those there are, or a text. */
  path: readonly (number | string)[];
  query: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}>;

/**
 * Requests of every operation of a description, each as often as the others. `accepted` is a body that an operation
 * would take, where its schema alone does not say enough.
 */
export function anyRequest(
  description: Description,
  accepted: (operationId: string) => object | undefined,
): Arbitrary<Planned> {
  const resolve = (pointer: string) => at(description, pointer) as SchemaObject;
  const operations = Object.entries(description.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => {
      const own = parameters.map((one) =>
        '$ref' in one ? (at(description, one.$ref) as Parameter) : one,
      );
      const queries = own.filter((one) => one.in === 'query').flatMap(onTheWire);
      const ids = [...template.matchAll(/\{\w+\}/g)].map(() => pathPart);
      // A collection that everything is in would be gone too soon.
      const gone = method === 'delete' && /\{(organization|ledger)_id\}$/.test(template);
      const arbitrary = fc.record({
        operationId: fc.constant(operationId),
        method: fc.constant(method.toUpperCase()),
        template: fc.constant(template),
        path: fc.tuple(...ids),
        query: queryOf(queries),
        headers,
        body: fc.constant<string | undefined>(undefined),
      });
      const [[, { schema }] = ['', { schema: undefined }]] = Object.entries(
        requestBody?.content ?? {},
      );
      const good = accepted(operationId);
      const texts = schema && bodyOf(schema, resolve);
      const bodies = texts && good ? fc.oneof(texts, variant(good, schema, resolve)) : texts;
      const types = Object.keys(requestBody?.content ?? {});
      return {
        weight: gone ? 1 : 20,
        arbitrary:
          bodies === undefined
            ? arbitrary
            : fc.tuple(arbitrary, typed(bodies, types)).map(([request, { type, text }]) => ({
                ...request,
                headers: { ...request.headers, ...(type !== '' && { 'Content-Type': type }) },
                body: text,
              })),
      };
    }),
  );
  return fc.oneof(...operations);
}

/** A body in one of the media types it may come in, rarely in another. */
const typed = (json: Arbitrary<string>, types: readonly string[]) =>
  mostly(fc.constantFrom(...types), 30, fc.constantFrom('', 'text/html', 'application/xml')).chain(
    (type) =>
      (type === 'text/plain'
        ? script
        : type === 'multipart/form-data'
          ? form
          : type === 'application/x-ndjson'
            ? fc.array(json, { maxLength: 4 }).map((lines) => lines.join('\n'))
            : json
      ).map((text) => ({
        type: type === 'multipart/form-data' ? `${type}; boundary=B` : type,
        text,
      })),
  );

const script = anyScript.map(formatScript).chain((text) =>
  mostly(
    fc.constant(
      text
        .replace(/\(send \S+ \S+/, '(send BRL 1')
        .replaceAll(/\(from [^]*?\n/g, '(from @alice :remaining)\n')
        .replaceAll(/\(to [^]*?\n/g, '(to @bob :remaining)\n'),
    ),
    2,
    fc.constantFrom(text, text.slice(5), text.slice(0, -9), ''),
  ),
);
const form = fc
  .tuple(script, mostly(fc.constant('name="dsl"; filename="a.gold"'), 6, anyWord))
  .map(
    ([text, part]) => `--B\r\nContent-Disposition: form-data; ${part}\r\n\r\n${text}\r\n--B--\r\n`,
  );

const pathPart: Arbitrary<number | string> = mostly<number | string>(
  fc.nat(10_000),
  25,
  fc.oneof(
    fc.constantFrom('0197f3a0-1111-7aaa-8bbb-000000000000', 'metrics', 'alias', ...HOSTILE),
    anyWord,
  ),
);

const headers = fc.record(
  {
    'X-Idempotency': mostly(
      fc.nat(300).map((n) => `key-${n}`),
      6,
      fc.constantFrom('a b', 'x'.repeat(1025), ''),
    ),
    'X-TTL': fc.constantFrom('1', '3600', '-1', 'x', '9'.repeat(30)),
    'X-Request-Id': fc.constantFrom('one', 'x'.repeat(200), '<script>'),
    'X-Consistency-Token': fc.constantFrom('?', 'e30', 'bnVsbA', 'WzFd', ''),
    Origin: fc.constantFrom('http://localhost:1', 'null', 'x'),
  },
  { requiredKeys: [] },
);

function queryOf(parameters: readonly Parameter[]): Arbitrary<string> {
  const pairs = parameters.map(({ name, schema }) =>
    mostly(
      fc.constant(''),
      5,
      mostly(valueOf(schema, name), 4, fc.oneof(anyWord, fc.constantFrom(...HOSTILE))).map(
        (value) => `${keyOf(name)}=${encoded(value)}`,
      ),
    ),
  );
  const more = mostly(
    fc.constant(''),
    10,
    fc.constantFrom('unheard=1', 'limit=1&limit=2', '&&==', 'page[]=1', '%=%', 'limit', 'a=%zz'),
  );
  return fc.tuple(...pairs, more).map((parts) => parts.filter(Boolean).join('&'));
}

/** An object in the query is a parameter for each of its members. */
const onTheWire = (parameter: Parameter): Parameter[] =>
  Object.entries(parameter.schema.properties ?? {})
    .map(([name, schema]) => ({
      ...parameter,
      name,
      schema,
    }))
    .concat(parameter.schema.properties ? [] : [parameter]);

const keyOf = (name: string): string => (name === 'metadata' ? 'metadata.a' : name);

function valueOf(schema: SchemaObject, name: string): Arbitrary<string> {
  const { type, format, minimum = 0 } = schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum.map(String));
  if (type === 'boolean') return fc.constantFrom('true', 'false', '1', '0');
  if (type === 'integer') {
    return fc.constantFrom(String(minimum), '2', '100', '101', '-1', '1.5', '9'.repeat(30));
  }
  if (format === 'uuid') return fc.nat(500).map((n) => `«${name.replace(/_id$/, '')}:${n}»`);
  if (format === 'date-time' || /(^|_)date$/.test(name)) {
    return fc.constantFrom(
      '2026-01-01',
      '2999-01-01',
      '2026-01-01 00:00:00',
      '2026-01-01T00:00:00Z',
      '2026-13-45',
    );
  }
  return fc.constantFrom('a', 'ACTIVE', 'APPROVED', '@alice', 'BRL', 'deposit', '7d', 'default');
}

/** Whatever it is, the line of a request can hold it. */
export function encoded(text: string): string {
  const wellFormed = text.toWellFormed();
  return text.includes('«') ? text : encodeURIComponent(wellFormed);
}

function at(description: object, pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], description);
}
