import type { Uuid } from '#src/kernel/ids.ts';
import type { Places } from './json.ts';
import { placesOf } from './places.ts';
import type { Request } from './request.ts';
import type { Route } from './route.ts';
import { Router } from './router.ts';
import type { Commands } from './submit.ts';
import { validatorOf, type Validator } from './validate.ts';

/** A route, with everything computed once that no request should compute again. */
export type Prepared = Readonly<{
  route: Route;
  version: 1 | 2;
  names: readonly string[];
  /** By parameter: whether it is a UUID. */
  ids: readonly boolean[];
  /** Whether the query has anything to say. */
  queried: boolean;
  places: Places | undefined;
  validate: Validator | undefined;
  /** Finds the organization and the ledger of the path, where it has them; a handler asks again. */
  parents: (request: Omit<Request, 'body'>, commands: Commands) => Promise<void> | undefined;
}>;

/** Errors: two routes with one operation id, or one method and path. */
export function tableOf(routes: readonly Route[]): Router<Prepared> {
  const router = new Router<Prepared>();
  const seen = new Set<string>();
  for (const route of routes) {
    if (seen.has(route.operationId)) throw new Error(`Two operations are ${route.operationId}`);
    seen.add(route.operationId);
    router.add(route.method, route.path, prepared(route));
  }
  return router;
}

function prepared(route: Route): Prepared {
  const names = parameterNames(route.path);
  return {
    route,
    version: route.path.startsWith('/v2/') ? 2 : 1,
    names,
    ids: names.map(isId),
    queried: route.paging !== undefined || Object.keys(route.filters).length > 0,
    places: route.body && placesOf(route.body),
    validate: route.body && validatorOf(route.body),
    parents: parentsOf(route.path),
  };
}

export const parameterNames = (path: string): string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);

export const isId = (name: string): boolean => name === 'id' || name.endsWith('_id');

/** The settings of a ledger are a part of it: their own operation says that the ledger is not found (contract §1.10). */
function parentsOf(template: string): Prepared['parents'] {
  const hasOrganization = template.includes('{organization_id}/');
  const hasLedger = template.includes('{ledger_id}/') && !template.endsWith('{ledger_id}/settings');
  if (!hasOrganization) return () => undefined;
  return async (request, commands) => {
    const { organization_id: organizationId, ledger_id: ledgerId } = request.path as ParentIds;
    const asked = { ...request, body: undefined };
    await commands.requireOrganization(asked, organizationId);
    if (hasLedger) await commands.requireLedger(asked, organizationId, ledgerId);
  };
}

type ParentIds = Readonly<{ organization_id: Uuid; ledger_id: Uuid }>;
