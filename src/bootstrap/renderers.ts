import { components } from '#src/components/index.ts';
import type { Renderers } from '#src/ports/read-store.ts';

const loaded = await Promise.all(components.flatMap((one) => one.renderers?.() ?? []));

/** Renders the rows and entries of every read model as JSON. */
export const renderers: Renderers = {
  rows: Object.fromEntries(loaded.flatMap(({ renderers }) => Object.entries(renderers.rows))),
  entries: Object.fromEntries(loaded.flatMap(({ renderers }) => Object.entries(renderers.entries))),
};
