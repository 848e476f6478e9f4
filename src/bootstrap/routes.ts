import { components } from '#src/components/index.ts';
import { inItsVersions, type Route } from '#src/http/route.ts';
import { catalog } from './refusals.ts';

const loaded = await Promise.all(
  components.map(async ({ codes = {}, routes }) => ({ codes, ...(await routes()) })),
);

/** Every operation as it is declared, with the codes of its component. Throws for a refusal that nobody declares. */
export const declaredRoutes: readonly Route[] = loaded.flatMap(({ codes, routes }) =>
  routes.map((route) => {
    const unknown = [...route.refusals, ...Object.keys(codes)].find(
      (name) => !Object.hasOwn(catalog, name),
    );
    if (unknown !== undefined) throw new Error(`${route.operationId}: no refusal ${unknown}`);
    return { ...route, catalog, codes };
  }),
);

/** Every operation that is served. Router, validators, authorization and OpenAPI follow from this table. */
export const routes: readonly Route[] = declaredRoutes.flatMap(inItsVersions);
