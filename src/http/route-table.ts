import type { JsonHints } from './json.ts';
import { jsonHintsOf } from './json-hints.ts';
import type { HeaderParameter } from './mount.ts';
import type { Route } from './route.ts';
import { allowOf, Router, type Endpoint } from './router.ts';
import { validatorOf, type Validator } from './validator.ts';

/** A route with values that are computed once instead of for each request. */
export type PreparedRoute = Readonly<{
  route: Route;
  version: 1 | 2;
  names: readonly string[];
  /** The names under which handlers find the parameters. */
  declaredNames: readonly string[];
  /** By parameter: whether it is a UUID. */
  ids: readonly boolean[];
  /** The parameter that a header carries. */
  parameter: (HeaderParameter & Readonly<{ name: string }>) | undefined;
  /** True if the operation takes query parameters. */
  queried: boolean;
  places: JsonHints | undefined;
  /** Headers of every reply. */
  headers: Readonly<Record<string, string>> | undefined;
  validate: Validator | undefined;
}>;

/** Builds the router. Errors: two routes with one operation id, or one method and path; a route without a permission. */
export function tableOf(routes: readonly Route[]): Router<PreparedRoute> {
  const router = new Router<PreparedRoute>();
  const seen = new Set<string>();
  for (const route of routes) {
    if (seen.has(route.operationId)) throw new Error(`Two operations are ${route.operationId}`);
    seen.add(route.operationId);
    router.add(route.method, route.path, prepared(route));
  }
  return router;
}

/** Returns the endpoint of a path that has one route. Errors: a route without a permission. */
export function endpointOf(route: Route): Endpoint<PreparedRoute> {
  const method = route.method.toUpperCase();
  return { methods: { [method]: prepared(route) }, allow: allowOf([method]) };
}

/** A permission that lacks a word would be granted to nobody, or by a careless comparison to all. */
function mustNeedPermission({ operationId, permission }: Route): void {
  const { namespace, resource, action } = permission;
  if ([namespace, resource].every((word) => WORD.test(word)) && ACTIONS.has(action)) return;
  throw new Error(`${operationId} needs no permission: ${namespace}:${resource}:${action}`);
}

const WORD = /^[a-z]+(-[a-z]+)*$/;
const ACTIONS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete', 'head']);

function prepared(route: Route): PreparedRoute {
  mustNeedPermission(route);
  const names = parameterNames(route.path);
  return {
    route,
    version: route.version ?? 1,
    names,
    declaredNames: names.map((name) => route.declaredNames?.[name] ?? name),
    ids: names.map(isId),
    parameter: route.headerParameter && named(route.headerParameter),
    queried: route.paging !== undefined || Object.keys(route.filters).length > 0,
    places: route.body && jsonHintsOf(route.body),
    headers: route.successor === undefined ? undefined : deprecationHeaders(route.successor),
    validate: route.body && validatorOf(route.body),
  };
}

const deprecationHeaders = (successor: string) => ({
  Deprecation: 'true',
  Link: `<${successor}>; rel="successor-version"`,
});

const named = (parameter: HeaderParameter) => ({
  ...parameter,
  name: parameterNames(parameter.segments)[0] ?? '',
});

export const parameterNames = (path: string): string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);

export const isId = (name: string): boolean => name === 'id' || name.endsWith('_id');
