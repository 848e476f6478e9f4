import { components } from '#src/components/index.ts';
import { joined, NO_DESCRIPTIONS } from '#src/kernel/descriptions.ts';
import { platformDescriptions } from '#src/kernel/platform-descriptions.ts';
import { mounted } from '#src/http/mounted.ts';
import type { Route } from '#src/http/route.ts';
import { catalog } from './refusals.ts';

const loaded = await Promise.all(
  components.map(async ({ codes = {}, mounts, routes, descriptions }) => ({
    codes,
    mounts,
    descriptions: joined(
      platformDescriptions,
      (await descriptions?.())?.descriptions ?? NO_DESCRIPTIONS,
    ),
    ...(await routes()),
  })),
);

const declared = loaded.flatMap(({ codes, mounts, descriptions, routes }) =>
  routes.map((route) => ({
    route: { ...route, catalog, descriptions, codes: { ...codes, ...route.codes } },
    mounts,
  })),
);

for (const { route, mounts } of declared) {
  const fromHeader = mounts.flatMap(({ parameter }) =>
    parameter ? [parameter.absent, parameter.malformed] : [],
  );
  const known = mounts.flatMap((mount) => Object.keys(mount.codes ?? {}));
  const unknown = [...route.refusals, ...Object.keys(route.codes), ...fromHeader, ...known].find(
    (name) => !Object.hasOwn(catalog, name),
  );
  if (unknown !== undefined) throw new Error(`${route.operationId}: no refusal ${unknown}`);
}

/** Every operation once, as its own mount serves it, without copies; with the codes of its component. */
export const declaredRoutes: readonly Route[] = declared.flatMap(({ route, mounts }) =>
  mounted(route, mounts).slice(0, 1),
);

/** Every operation that is served. Router, validators, authorization and OpenAPI are derived from this table. */
export const routes: readonly Route[] = declared.flatMap(({ route, mounts }) =>
  mounted(route, mounts),
);
