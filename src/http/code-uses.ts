import type { RefusalName } from '#src/kernel/errors.ts';
import type { ExplainedRefusal } from '#src/kernel/explanation.ts';
import { catalogOf, refusalIn } from './error-code.ts';
import { refusalsOf } from './operation-refusals.ts';
import type { Route } from './route.ts';

/** A code, and the operations that may return it, in the order of the table. */
export type CodeUse = Readonly<{
  name: RefusalName;
  refusal: ExplainedRefusal;
  users: readonly Route[];
}>;

/** Returns every code. A refusal has several if components assign their own codes to it. */
export function codesOf(routes: readonly Route[]): ReadonlyMap<string, CodeUse> {
  const found = new Map<string, CodeUse & { users: Route[] }>();
  const add = (name: RefusalName, refusal: ExplainedRefusal): void => {
    if (!found.has(refusal.code)) found.set(refusal.code, { name, refusal, users: [] });
  };
  for (const [name, refusal] of Object.entries(catalogOf(routes))) add(name, refusal);
  for (const route of routes) {
    for (const name of Object.keys(route.codes ?? {})) add(name, refusalIn(name, route));
    for (const name of [...refusalsOf(route).values()].flat()) {
      found.get(refusalIn(name, route).code)?.users.push(route);
    }
  }
  return found;
}
