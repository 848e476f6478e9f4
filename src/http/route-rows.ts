import { permissionText } from '#src/kernel/permission.ts';
import type { Route } from './route.ts';

/** An operation once, even if several versions have it; `path` and `operationId` are those of the first. */
export type RouteRow = Readonly<{
  method: string;
  path: string;
  operationId: string;
  permission: string;
  versions: readonly string[];
  summary: string;
}>;

/** Returns operations in the order of their paths, so that related ones are together. */
export function routeRows(routes: readonly Route[]): readonly RouteRow[] {
  const rows = new Map<string, RouteRow>();
  for (const { method, path, operationId, permission, summary } of routes) {
    const [, version = '', rest = path] = /^\/(v\d+)(\/.*)$/.exec(path) ?? [];
    const key = `${rest} ${method}`;
    const row = rows.get(key) ?? {
      method: method.toUpperCase(),
      path,
      operationId,
      permission: permissionText(permission),
      versions: [],
      summary,
    };
    rows.set(key, { ...row, versions: [...row.versions, version] });
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
