import type { BodiesFromLog } from '#src/ports/read-store.ts';
import { projections } from './projections.ts';

/** The bodies of every read model that may be read from the log. */
export const bodiesFromLog: BodiesFromLog = Object.fromEntries(
  projections.flatMap((one) =>
    'on' in one && one.bodyOf !== undefined ? [[one.collection.name, one.bodyOf]] : [],
  ),
);
