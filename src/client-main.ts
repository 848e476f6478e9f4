import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

/** Writes what quipu/client knows of the API from its description; with --check, fails when a file is out of date. */
type ApiDescription = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}>;
type ApiOperation = Readonly<{
  parameters: readonly Readonly<{ $ref?: string }>[];
  requestBody?: Readonly<{ content: object }>;
  responses: Readonly<
    Record<string, Readonly<{ description: string; content?: object | undefined }>>
  >;
}>;

const NDJSON = 'application/x-ndjson';
/** The client sends these itself, or the request may do without them. */
const UNTYPED = ['X-Request-Id', 'X-Consistency-Token', 'Idempotency-Key'];
const HEADING = '/** Generated from docs/openapi.json by `npm run client`. */\n';

const api = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as ApiDescription;
const files: Readonly<Record<string, string>> = {
  'src/library/client/keyed-operations.ts': keyedOperations(api),
  'src/library/client/api.ts': `${HEADING}${problemCodes(api)}\n${await typesOf(api)}`,
};
for (const [file, text] of Object.entries(files)) {
  if (text === current(file)) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file} is out of date: run npm run client`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`Wrote ${file}`);
  }
}

/** Lists the operations for which the client makes a key. Where a body can be lines, each line has its own instead. */
function keyedOperations({ paths }: ApiDescription): string {
  const keyed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { parameters }]) => parameters.some(refersTo('X-Idempotency')))
      .filter(([, { requestBody }]) => !(NDJSON in (requestBody?.content ?? {})))
      .map(([method]) => `  '${method} ${path}',\n`),
  );
  const of = 'ReadonlySet<string> = new Set';
  return `${HEADING}export const keyedOperations: ${of}([\n${keyed.join('')}]);\n`;
}

function problemCodes({ components }: ApiDescription): string {
  const text = JSON.stringify(components['responses']);
  const codes = new Set(text.match(/"[A-Z]{3}-\d{4}"/g));
  return `export type ProblemCode =\n  | ${[...codes].sort().join('\n  | ')};\n`;
}

/**
 * Generates the types of requests and successes. Problems are thrown, so no operation repeats theirs. An amount is a text
 * in requests as well, although the API would take a number.
 */
async function typesOf({ paths, components }: ApiDescription): Promise<string> {
  const { schemas, parameters = {} } = components;
  const reduced = {
    openapi: '3.1.0',
    info: { title: '', version: '' },
    paths: mapped(paths, (methods) => mapped(methods, withoutProblems)),
    components: {
      schemas,
      parameters: Object.fromEntries(
        Object.entries(parameters).filter(([name]) => !UNTYPED.includes(name)),
      ),
    },
  };
  const withTexts = JSON.parse(JSON.stringify(reduced), withoutNumbers) as OpenAPI3;
  const types = await openapiTS(withTexts, {
    silent: true,
    defaultNonNullable: false, // A request may leave out what has a default.
    emptyObjectsUnknown: true,
  });
  return compact(astToString(types));
}

function withoutProblems(operation: ApiOperation): ApiOperation {
  return {
    ...operation,
    parameters: operation.parameters.filter((one) => !refersTo(...UNTYPED)(one)),
    responses: Object.fromEntries(
      Object.entries(operation.responses)
        .filter(([status]) => Number(status) < 400)
        .map(([status, { description, content }]) => [status, { description, content }]),
    ),
  };
}

function mapped<In, Out>(
  of: Readonly<Record<string, In>>,
  map: (value: In) => Out,
): Readonly<Record<string, Out>> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, map(value)]));
}

function refersTo(...names: string[]) {
  return ({ $ref = '' }: { $ref?: string }): boolean =>
    names.some((name) => $ref === `#/components/parameters/${name}`);
}

/** Amounts are the only values that may be a text or a number, but nothing else. */
function withoutNumbers(key: string, value: unknown): unknown {
  if (!['type', 'anyOf'].includes(key) || !Array.isArray(value)) return value;
  const types = value.map((one: string | Readonly<{ type?: unknown }>) =>
    typeof one === 'string' ? one : one.type,
  );
  const isAmount = types.includes('string') && types.includes('number');
  return isAmount && !types.includes('boolean')
    ? value.filter((_, n) => types[n] !== 'number')
    : value;
}

/** Leaves out what says nothing: methods that a path does not have, and headers and cookies that no operation has. */
function compact(text: string): string {
  const [paths = '', ...others] = text.split(/^(?=export type webhooks)/m);
  return [paths.replace(/^ +\w+\?: never;\n/gm, '').replace(/^ +parameters: \{\n +\};\n/gm, '')]
    .concat(others)
    .join('')
    .replace(/^ +cookie\?: never;\n/gm, '')
    .replace(/^ +headers: \{\n +\[name: string\]: unknown;\n +\};\n/gm, '')
    .replace(/^ +/gm, (spaces) => spaces.slice(spaces.length / 2));
}

function current(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // Not written yet.
  }
}
