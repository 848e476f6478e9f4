import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { IncomingHttpHeaders } from 'node:http';
import { openapiOf } from '#src/http/openapi.ts';
import type { Method } from '#src/http/route.ts';
import { Router } from '#src/http/router.ts';
import { routes } from '#src/bootstrap/routes.ts';

/** What came back for what was sent; `path` may have a query. */
export type Exchanged = Readonly<{
  method: string;
  path: string;
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}>;

/**
 * What an answer is not by the description of the API, the generated document: an undocumented status, another media
 * type, a body that breaks its schema. Undefined when it is as described, or is none of an operation and no problem.
 */
export function flawOf(exchanged: Exchanged): string | undefined {
  const { method, path, status, headers, text } = exchanged;
  const type = headers['content-type']?.split(';')[0];
  const operation = OF_CONNECTION.includes(status) ? undefined : operationAt(method, path);
  if (operation === undefined) {
    return type === PROBLEM ? bodyFlaw(`#/components/schemas/Problem`, text) : undefined;
  }
  const answer = operation.answers[status] ?? operation.answers.default;
  if (answer === undefined) return `status ${status} is not documented for ${operation.id}`;
  if (text === '') {
    const types = Object.keys(answer);
    const needed = method !== 'HEAD' && types.length > 0 && !types.includes(NDJSON);
    return needed ? `status ${status} of ${operation.id} needs a body` : undefined;
  }
  const pointer = answer[type ?? ''];
  if (pointer === undefined) {
    return `media type ${String(type)} is not documented for ${status} of ${operation.id}`;
  }
  const parts = type === NDJSON ? text.split('\n').slice(0, -1) : [text];
  for (const part of parts) {
    const flaw = bodyFlaw(pointer, part);
    if (flaw !== undefined) return `status ${status} of ${operation.id}: ${flaw}`;
  }
  return undefined;
}

/** Says how a value breaks the schema at this place of the description; undefined when it fits. */
export const exampleFlaw = (place: readonly string[], value: unknown): string | undefined =>
  valueFlaw(`#/${place.map(escaped).join('/')}`, value);

/** By status and media type, where the schema of the body stands in the document. */
type Answers = Readonly<Record<number | 'default', Readonly<Record<string, string>> | undefined>>;
type Operation = Readonly<{ id: string; answers: Answers }>;

function operationAt(method: string, path: string): Operation | undefined {
  const { table } = description();
  const methods = table.find(path.split('?', 1)[0] ?? '')?.endpoint.methods;
  return methods?.[method] ?? (method === 'HEAD' ? methods?.['GET'] : undefined);
}

function bodyFlaw(pointer: string, text: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'the body is not JSON';
  }
  return valueFlaw(pointer, body);
}

function valueFlaw(pointer: string, body: unknown): string | undefined {
  const validate = validatorAt(pointer);
  if (validate(body)) return undefined;
  const [error] = validate.errors ?? [];
  const { instancePath: at = '', message = '', params } = error ?? {};
  return `${at === '' ? 'the body' : at} ${message} ${JSON.stringify(params)}`;
}

const validators = new Map<string, ValidateFunction>();

/** Compiled when it is needed first. */
function validatorAt(pointer: string): ValidateFunction {
  let validate = validators.get(pointer);
  if (validate === undefined) {
    validate = description().ajv.compile({ $ref: `${ID}${pointer}` });
    validators.set(pointer, validate);
  }
  return validate;
}

type Described = Readonly<{
  operationId: string;
  responses: Readonly<Record<string, Answered>>;
}>;
type Answered = Readonly<{ $ref?: string; content?: Readonly<Record<string, unknown>> }>;
type Document = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  components: Readonly<{
    schemas: Readonly<Record<string, object>>;
    responses: Readonly<Record<string, Answered>>;
  }>;
}>;

let made: Readonly<{ table: Router<Operation>; ajv: Ajv2020 }> | undefined;

function description(): NonNullable<typeof made> {
  return (made ??= make(openapiOf(routes) as Document));
}

function make(document: Document): NonNullable<typeof made> {
  const table = new Router<Operation>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { operationId: id, responses }] of Object.entries(methods)) {
      const answers = Object.entries(responses).map(([status, answer]) => [
        status,
        contentOf(answer, `#/paths/${escaped(path)}/${method}/responses/${status}`, document),
      ]);
      table.add(method as Method, path, { id, answers: Object.fromEntries(answers) as Answers });
    }
  }
  const ajv = new Ajv2020({ strict: false, validateSchema: false, formats: FORMATS });
  // The document lets others add members to a problem (RFC 9457); we add none that it does not name.
  const { components } = document;
  const Problem = { ...components.schemas['Problem'], additionalProperties: false };
  const schemas = { ...components.schemas, Problem };
  ajv.addSchema({ ...document, components: { ...components, schemas } }, ID);
  return { table, ajv };
}

function contentOf(answer: Answered, at: string, { components }: Document) {
  const name = answer.$ref?.split('/').at(-1);
  const content = name === undefined ? answer.content : components.responses[name]?.content;
  const place = name === undefined ? at : `#/components/responses/${escaped(name)}`;
  const types = Object.keys(content ?? {});
  return Object.fromEntries(
    types.map((type) => [type, `${place}/content/${escaped(type)}/schema`]),
  );
}

/** As part of a JSON pointer in a URI. */
const escaped = (name: string): string =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Said before it is known what is asked for: slow or oversized heads. */
const OF_CONNECTION: readonly number[] = [408, 431];
const ID = 'https://api/';
const PROBLEM = 'application/problem+json';
const NDJSON = 'application/x-ndjson';

const FORMATS = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/,
  uri: (text: string) => URL.canParse(text),
  'uri-reference': (text: string) => URL.canParse(text, ID),
  decimal: /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/,
  int64: true,
} as const;
