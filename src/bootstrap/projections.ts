import { components } from '#src/components/index.ts';
import type { Projection } from '#src/ports/projection.ts';

const loaded = await Promise.all(components.flatMap((one) => one.projections?.() ?? []));

/** Every read model. */
export const projections: readonly Projection[] = loaded.flatMap(({ projections }) => projections);
