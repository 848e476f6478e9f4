import type { IndexedEvents } from '#src/kernel/index-table.ts';
import { indexBuild } from './open-processes.ts';

/** The index entries of settings events: the unique indexes that are being built. */
export const indexed: IndexedEvents = { names: {}, processes: [indexBuild] };
