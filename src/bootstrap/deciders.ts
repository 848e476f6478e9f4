import type { AnyDecider } from '#src/components/component.ts';
import { components } from '#src/components/index.ts';

const loaded = await Promise.all(components.flatMap((one) => one.deciders?.() ?? []));

/** The rules of every kind of journal this program writes. */
export const deciders: readonly AnyDecider[] = loaded.flatMap(({ deciders }) => deciders);
