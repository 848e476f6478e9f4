import type { IndexedEvents } from '#src/kernel/index-table.ts';
import { indexBuild } from './open-processes.ts';

/** What the journal index holds of settings events: which unique indexes are being built. */
export const indexed: IndexedEvents = { names: {}, processes: [indexBuild] };
