import type { Definition } from '#src/bridge/definition.ts';
import { components } from '#src/components/index.ts';

const loaded = await Promise.all(components.flatMap((one) => one.definitions?.() ?? []));

/** The event catalog: every event that is published. */
export const definitions: readonly Definition[] = loaded.flatMap(({ definitions }) => definitions);
