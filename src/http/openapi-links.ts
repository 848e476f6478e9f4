import type { Schema } from '#src/kernel/schema.ts';
import type { Route } from './route.ts';
import { parameterNames } from './route-table.ts';

type Expressions = Readonly<Record<string, string>>;

/**
 * Links from the reply of a creation to every operation on what it created, so that clients and fuzzers find the values
 * of path parameters. Links with the same expressions are described once.
 */
export class Links {
  readonly components: Record<string, object> = {};
  private readonly names = new Map<string, string>();
  private readonly routes: readonly Route[];

  constructor(routes: readonly Route[]) {
    this.routes = routes;
  }

  /** Returns the member `links` of a reply, or nothing. */
  of(source: Route, status: number): Readonly<{ links?: object }> {
    const schema = source.replies[status];
    if (!CREATIONS.has(status) || !schema) return {};
    const known = knownAfter(source, created(schema));
    const links = this.routes.flatMap((target) => {
      const expressions = expressionsFor(target, source, known);
      return expressions === undefined
        ? []
        : [[target.operationId, { $ref: this.reference(target, expressions) }] as const];
    });
    return links.length > 0 ? { links: Object.fromEntries(links) } : {};
  }

  private reference({ operationId, method }: Route, expressions: Expressions): string {
    const reads = method === 'get' || method === 'head';
    const parameters = {
      ...expressions,
      ...(reads && { 'X-Consistency-Token': '$response.header.X-Consistency-Token' }),
    };
    const key = JSON.stringify([operationId, parameters]);
    let name = this.names.get(key);
    if (name === undefined) {
      const others = Object.keys(this.components).filter(
        (one) => one.split('.')[0] === operationId,
      );
      name = others.length === 0 ? operationId : `${operationId}.${others.length + 1}`;
      this.names.set(key, name);
      this.components[name] = { operationId, parameters };
    }
    return `#/components/links/${name}`;
  }
}

type KnownParameters = Readonly<{
  expressions: Expressions;
  /** Parameters that only the reply contains: a target needs one of them. */
  fresh: ReadonlySet<string>;
}>;

/** Returns the path parameters known after a creation: its own, and those in the body of the reply. */
function knownAfter(source: Route, schema: Schema): KnownParameters {
  const sent = parameterNames(source.path);
  const told = Object.entries(toldBy(schema));
  const ownId = idNameOf(schema);
  const scope = schema.links?.scope ?? [];
  const fresh = told.filter(
    ([name]) => name === ownId || !(sent.includes(name) || scope.includes(name)),
  );
  return {
    expressions: {
      ...Object.fromEntries(told),
      ...Object.fromEntries(
        sent.map((name) => [declaredName(source, name), `$request.path.${name}`]),
      ),
      ...Object.fromEntries(fresh),
    },
    fresh: new Set(fresh.map(([name]) => name)),
  };
}

function expressionsFor(
  target: Route,
  source: Route,
  { expressions, fresh }: KnownParameters,
): Expressions | undefined {
  const names = parameterNames(target.path);
  if (target === source || versionOf(target) !== versionOf(source)) return undefined;
  if (!names.some((name) => fresh.has(declaredName(target, name)))) return undefined;
  const found = names.map((name) => [name, expressions[declaredName(target, name)]] as const);
  return found.every((one): one is readonly [string, string] => one[1] !== undefined)
    ? Object.fromEntries(found)
    : undefined;
}

const declaredName = ({ declaredNames }: Route, name: string): string =>
  declaredNames?.[name] ?? name;

/** Returns the schema of the created record; a reply of several forms is linked by the first, a single record. */
const created = (schema: Schema): Schema => schema.oneOf?.[0] ?? schema;

/**
 * Returns the parameters in a schema: `{asset_id}` is the id of an `Asset`, and a member `assetId` of another record.
 */
function toldBy(schema: Schema): Expressions {
  const { properties = {}, required = [], links = {} } = schema;
  const certain = required.filter((name) => properties[name]?.type === 'string');
  return Object.fromEntries([
    ...certain.filter((name) => name !== 'id').map((name) => [snakeCase(name), bodyAt(name)]),
    ...(certain.includes('id') ? [[idNameOf(schema), bodyAt('id')]] : []),
    ...Object.entries(links.members ?? {}).map(([name, at]) => [name, bodyAt(at)]),
  ]) as Expressions;
}

const titleOf = ({ title = '' }: Schema): string => title.replace(/V2$/, '');
const idNameOf = (schema: Schema): string => `${snakeCase(titleOf(schema))}_id`;
const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter, at) => `${at === 0 ? '' : '_'}${letter.toLowerCase()}`);
const bodyAt = (pointer: string): string => `$response.body#/${pointer}`;
const versionOf = ({ path }: Route): string | undefined => path.split('/')[1];

const CREATIONS: ReadonlySet<number> = new Set([201, 202]);
