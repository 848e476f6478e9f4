import { components } from '#src/components/index.ts';
import type { RefusalCatalog } from '#src/kernel/explanation.ts';
import { platformCatalog } from '#src/kernel/platform-catalog.ts';

const loaded = await Promise.all(components.flatMap((one) => one.refusals?.() ?? []));

/** Every refusal, by name. */
export const catalog = joined([platformCatalog, ...loaded.map(({ refusals }) => refusals)]);

function joined(catalogs: readonly RefusalCatalog[]): RefusalCatalog {
  const entries = catalogs.flatMap((one) => Object.entries(one));
  const names = new Set<string>();
  for (const [name] of entries) {
    if (names.has(name)) throw new Error(`Two components declare the refusal ${name}`);
    names.add(name);
  }
  return Object.fromEntries(entries);
}
