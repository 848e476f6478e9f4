import { components } from '#src/components/index.ts';
import type { Process } from '#src/journal/process.ts';

const loaded = await Promise.all(components.flatMap((one) => one.processes?.() ?? []));

/** Every process that is resumed after an interruption. */
export const processes: readonly Process[] = loaded.flatMap(({ processes }) => processes);
