import { seededRandom } from '#test/doubles/memory/simulated.ts';

/** The one source of chance of a run. Whoever draws from it draws in the same order in every replay. */
export type Random = Readonly<{
  fraction: () => number;
  /** A whole number in [0, below). */
  below: (limit: number) => number;
  /** True once in so many times. */
  oneIn: (times: number) => boolean;
  pick: <Item>(items: readonly Item[]) => Item;
  /** A name, each as often as its weight says. */
  weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name;
  fill: (pool: Uint8Array) => void;
}>;

export function createRandom(seed: number): Random {
  const fraction = seededRandom(seed);
  const below = (limit: number): number => Math.floor(fraction() * limit);

  return {
    fraction,
    below,
    oneIn: (times) => fraction() * times < 1,
    pick: <Item>(items: readonly Item[]): Item => {
      if (items.length === 0) throw new Error('Nothing to pick from');
      return items[below(items.length)] as Item;
    },
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const entries = Object.entries(weights) as [Name, number][];
      let left = fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      throw new Error('Weights without weight');
    },
    fill: (pool) => {
      for (let at = 0; at < pool.length; at += 1) pool[at] = below(256);
    },
  };
}
