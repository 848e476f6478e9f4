import type { Schema } from '#src/kernel/schema.ts';
import type { Mount } from './mount.ts';
import type { Route } from './route.ts';

/** Returns an operation as the mounts of its component serve it. Throws when none does. */
export function mounted(declared: Route, mounts: readonly Mount[]): readonly Route[] {
  const { operationId, path, only } = declared;
  const isUnder = (prefix: string): boolean => path.startsWith(`${prefix}/`);
  const home = mounts.find(
    ({ prefix, parameter }) => isUnder(prefix) && !(only === 'path' && parameter),
  );
  if (home === undefined) throw new Error(`${operationId}: no mount for ${path}`);
  const copies = mounts.flatMap((mount) => {
    const { prefix, copies } = mount;
    if (only === 1 || mount === home || !copies || !isUnder(copies.prefix)) return [];
    const copy = {
      operationId: operationId + copies.idSuffix,
      path: prefix + path.slice(copies.prefix.length),
    };
    return [servedAt(mount, { ...declared, ...copy })];
  });
  return [servedAt(home, declared), ...copies];
}

function servedAt(mount: Mount, declaration: Route): Route {
  const { version, bodies = version, parameter, namespace, listener, codes } = mount;
  const { alwaysChecked } = mount;
  const rateLimit = declaration.rateLimit ?? mount.rateLimit;
  const { path, body, replies, repliesV2, permission, successor, ...declared } = declaration;
  const shortPath = shortened(path, mount);
  const served = renamed(shortPath, mount);
  const resource = mount.renames?.[permission.resource] ?? permission.resource;
  return {
    ...declared,
    version,
    path: served,
    ...(served !== shortPath && { declaredNames: declaredNamesOf(mount) }),
    ...(successor !== undefined && { successor: renamed(shortened(successor, mount), mount) }),
    ...(codes && { codes: { ...declared.codes, ...codes } }),
    permission: { ...permission, resource, ...(namespace !== undefined && { namespace }) },
    body: bodies === 2 ? body && bodyOfVersion2(body) : body,
    replies: version === 2 ? (repliesV2 ?? replies) : replies,
    ...(parameter && shortPath !== path && { headerParameter: parameter }),
    ...(listener !== undefined && { listener }),
    ...(alwaysChecked && { alwaysChecked }),
    ...(rateLimit !== undefined && { rateLimit }),
  };
}

const shortened = (path: string, { parameter }: Mount): string =>
  path.replace(parameter?.segments ?? '', '');

const renamed = (path: string, { renames = {} }: Mount): string =>
  path.replaceAll(/\w+/g, (name) => renames[name] ?? name);

const declaredNamesOf = ({ renames = {} }: Mount): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(renames).map(([declared, served]) => [served, declared]));

/** Returns the body for version 2, which may read metadata by its own rules (contract ledger §1.5). */
export function bodyOfVersion2<Body extends Schema>(body: Body): Body {
  const metadata = body.properties?.['metadata'];
  const reads = metadata?.reads?.version2;
  if (reads === undefined) return body;
  const { published } = body;
  const changed = { metadata: { ...metadata, reads } };
  return {
    ...body,
    properties: { ...body.properties, ...changed },
    ...(published && {
      published: { ...published, properties: { ...published.properties, ...changed } },
    }),
  };
}
