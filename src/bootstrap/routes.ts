import { components } from '#src/components/index.ts';
import { inItsVersions, type Route } from '#src/http/route.ts';

const loaded = await Promise.all(components.map(({ routes }) => routes()));

/** Every operation as it is declared. */
export const declaredRoutes: readonly Route[] = loaded.flatMap(({ routes }) => routes);

/** Every operation that is served. Router, validators, authorization and OpenAPI follow from this table. */
export const routes: readonly Route[] = declaredRoutes.flatMap(inItsVersions);
