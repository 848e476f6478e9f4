import { components } from '#src/components/index.ts';
import { indexTable as fold } from '#src/kernel/index-table.ts';

const loaded = await Promise.all(components.flatMap((one) => one.indexed?.() ?? []));

/** The names that the journal index holds of every event. */
export const indexTable = fold(loaded.map(({ indexed }) => indexed));
