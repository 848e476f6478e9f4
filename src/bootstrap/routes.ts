import type { Component } from '#src/components/component.ts';
import { components, readingOrder } from '#src/components/index.ts';
import { joined, NO_DESCRIPTIONS, type Descriptions } from '#src/kernel/descriptions.ts';
import { platformDescriptions } from '#src/kernel/platform-descriptions.ts';
import { mounted } from '#src/http/mounted.ts';
import type { Route } from '#src/http/route.ts';
import { catalog } from './refusals.ts';

const described = async ({ descriptions }: Component): Promise<Descriptions> =>
  (await descriptions?.())?.descriptions ?? NO_DESCRIPTIONS;

/** Has the groups of operations of all components, whose order is not that of the routes. */
const shared = (await Promise.all(readingOrder.map(described))).reduce<Descriptions>(
  (before, { tags }) => ({ ...before, tags: { ...before.tags, ...tags } }),
  platformDescriptions,
);

const loaded = await Promise.all(
  components.map(async (component) => {
    const { codes = {}, mounts, routes } = component;
    const descriptions = joined(shared, await described(component));
    return { codes, mounts, descriptions, ...(await routes()) };
  }),
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
