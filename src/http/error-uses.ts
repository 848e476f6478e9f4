import type { RefusalName } from '#src/kernel/errors.ts';
import { refusalsOf } from './operation-refusals.ts';
import type { Route } from './route.ts';

/** Which operations may give each refusal, in the order of the table. */
export function usesOf(routes: readonly Route[]): ReadonlyMap<RefusalName, readonly Route[]> {
  const uses = new Map<RefusalName, Route[]>();
  for (const route of routes) {
    for (const name of [...refusalsOf(route).values()].flat()) {
      uses.set(name, [...(uses.get(name) ?? []), route]);
    }
  }
  return uses;
}
