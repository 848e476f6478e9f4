import type { DumpItem } from '#src/adapters/embedded/dump.ts';

/** Finds the first difference between two lists in the same order; without one, returns how many items are equal. */
export function firstDifference(
  kept: Iterable<DumpItem>,
  folded: Iterable<DumpItem>,
  onProgress: (items: number) => void,
): Readonly<{ what: string } | { items: number }> {
  const other = folded[Symbol.iterator]();
  let items = 0;
  for (const [name, text] of kept) {
    const next = other.next();
    if (next.done === true) return { what: `${name} does not follow from the log` };
    const [dueName, due] = next.value;
    if (name !== dueName)
      return { what: `${name} was found where ${dueName} follows from the log` };
    if (text !== due) return { what: `${name} ${parting(text, due)}` };
    items += 1;
    onProgress(items);
  }
  const next = other.next();
  return next.done === true ? { items } : { what: `${next.value[0]} is missing` };
}

/** Shows both texts from shortly before their first difference. */
export function parting(kept: string, due: string): string {
  let at = 0;
  while (at < kept.length && kept[at] === due[at]) at += 1;
  const from = Math.max(0, at - BEFORE);
  const shown = (text: string): string => text.slice(from, from + SHOWN);
  return `is ${shown(kept)}, but ${shown(due)} follows from the log`;
}

const BEFORE = 24;
const SHOWN = 100;
