import type { RefusalName } from '#src/kernel/errors.ts';
import type { Schema } from '#src/kernel/schema.ts';
import { SAFE_METHODS } from './cors.ts';
import { refusalIn } from './error-code.ts';
import { statuses } from './problem.ts';
import type { Route } from './route.ts';

/** Returns every refusal of an operation by status, declared and common ones (contract §10). */
export function refusalsOf(route: Route): ReadonlyMap<number, readonly RefusalName[]> {
  const { path, body, paging, filters, method, headerParameter } = route;
  const names = new Set<RefusalName>(ALWAYS);
  if (!SAFE_METHODS.has(method.toUpperCase())) names.add('ORIGIN_NOT_ALLOWED');
  if (path.includes('{')) names.add('PATH_INVALID');
  if (headerParameter) names.add(headerParameter.absent).add(headerParameter.malformed);
  if (method === 'get' || method === 'head') names.add('QUERY_INVALID'); // A consistency token.
  if (paging) for (const name of LISTS) names.add(name);
  if (paging === 'page' || paging === 'union') names.add('LIST_TOO_LARGE');
  if (route.pageRefusal) names.add(route.pageRefusal);
  if (route.loneDates) names.delete('BOTH_DATES_NEEDED');
  for (const filter of Object.values(filters)) {
    names.add('QUERY_INVALID');
    if (filter.required) names.add('QUERY_MISSING');
    if (filter.format === 'instant' || filter.format === 'moment') names.add('DATE_FORMAT');
    if (filter.refusal) names.add(filter.refusal);
  }
  if (route.idempotent) names.add('MALFORMED_FIELD');
  if (body) {
    for (const name of WITH_BODY) names.add(name);
    if (body.reads || takesAnything(body)) names.delete('UNEXPECTED_FIELDS'); // A reader has its own code.
    collect(body, names);
    if (route.noUniqueMetadata) names.delete('INDEX_CONFLICT');
  }
  for (const name of route.refusals) names.add(name);

  const found = new Map<number, RefusalName[]>();
  for (const name of names) {
    const status = statusIn(route, name);
    found.set(status, [...(found.get(status) ?? []), name]);
  }
  const code = (name: RefusalName): string => refusalIn(name, route).code;
  for (const list of found.values()) list.sort((a, b) => (code(a) < code(b) ? -1 : 1));
  return new Map([...found].sort(([a], [b]) => a - b));
}

/** A body with a required member still refuses null as its value. */
const takesAnything = ({ type, additionalProperties, required = [] }: Schema): boolean =>
  type === 'object' && additionalProperties === undefined && required.length === 0;

function statusIn(route: Route, name: RefusalName): number {
  if (name === 'TOO_LARGE' && route.tooLargeStatus) return route.tooLargeStatus;
  if (route.malformedQueryStatus && LISTS.includes(name)) return route.malformedQueryStatus;
  return statuses[refusalIn(name, route).kind];
}

/** Collects the refusals of a schema beyond the general ones. */
function collect(schema: Schema, names: Set<RefusalName>): void {
  if (schema.refusal) names.add(schema.refusal);
  if (schema.wrongType) names.add(schema.wrongType);
  if (schema.format === 'decimal') names.add('NUMBER_OUT_OF_RANGE');
  if (schema.type !== 'object' && schema.type !== 'boolean') names.add('MALFORMED_FIELD');
  // A value with a reader may omit required members, because the reader completes it.
  if (schema.required?.length && !schema.reads) names.add('REQUIRED_FIELDS');
  for (const name of schema.reads?.refusals ?? []) names.add(name);
  const {
    properties = {},
    items,
    additionalProperties,
    anyOf = [],
    oneOf = [],
    allOf = [],
  } = schema;
  const parts = [...Object.values(properties), ...anyOf, ...oneOf, ...allOf];
  if (items) parts.push(items);
  if (typeof additionalProperties === 'object') parts.push(additionalProperties);
  for (const part of parts) collect(part, names);
}

const ALWAYS: readonly RefusalName[] = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'TOKEN_WITHOUT_SUBJECT',
  'PRIVILEGES_INSUFFICIENT',
  'PERMISSION_CHECK_FAILED',
  'KEYS_UNAVAILABLE',
  'TENANT_NOT_PROVISIONED',
  'TENANT_SUSPENDED',
  'TENANT_NOT_FOUND',
  'TENANTS_UNAVAILABLE',
  'INTERNAL',
  'MISDIRECTED',
  'ROUTE_UNKNOWN',
  'METHOD_NOT_ALLOWED',
  'UNAVAILABLE',
  'TOO_MANY_REQUESTS',
];

const LISTS: readonly RefusalName[] = [
  'END_BEFORE_START',
  'WINDOW_TOO_LONG',
  'LIMIT_TOO_HIGH',
  'SORT_ORDER_INVALID',
  'QUERY_INVALID',
  'BOTH_DATES_NEEDED',
  'DATE_FORMAT',
];

const WITH_BODY: readonly RefusalName[] = [
  'UNEXPECTED_FIELDS',
  'MALFORMED_FIELD', // A NUL character.
  'BODY_UNREADABLE',
  'TOO_LARGE',
  'TOO_DEEP',
];
