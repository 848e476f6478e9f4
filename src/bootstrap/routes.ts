import type { Component } from '#src/components/component.ts';
import { components } from '#src/components/index.ts';
import { legacyCodeOf } from '#src/http/error-code.ts';
import { inItsVersions, type Route } from '#src/http/route.ts';
import type { RefusalCatalog } from '#src/kernel/explanation.ts';
import { catalog } from './refusals.ts';

const loaded = await Promise.all(
  components.map(async (component) => ({ component, ...(await component.routes()) })),
);

/** Every operation as it is declared, with the catalog of its component. Throws for a refusal that nobody declares. */
export const declaredRoutes: readonly Route[] = loaded.flatMap(({ component, routes }) => {
  const own = withCodes(catalog, component);
  return routes.map((route) => {
    const unknown = route.refusals.find((name) => !Object.hasOwn(own, name));
    if (unknown !== undefined) throw new Error(`${route.operationId}: no refusal ${unknown}`);
    return { ...route, catalog: own };
  });
});

/** Every operation that is served. Router, validators, authorization and OpenAPI follow from this table. */
export const routes: readonly Route[] = declaredRoutes.flatMap(inItsVersions);

function withCodes(catalog: RefusalCatalog, { name, codes = {} }: Component): RefusalCatalog {
  const entries = Object.entries(codes).map(([refusal, code]) => {
    const facts = catalog[refusal];
    if (facts === undefined)
      throw new Error(`${name} has a code for ${refusal}, which nobody declares`);
    return [refusal, { ...facts, code, legacyCode: legacyCodeOf(facts) }] as const;
  });
  return entries.length === 0 ? catalog : { ...catalog, ...Object.fromEntries(entries) };
}
