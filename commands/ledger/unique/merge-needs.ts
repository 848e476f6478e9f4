import type { Needs } from '#src/kernel/decider.ts';

/** What is missing for several things, to be looked up at once. */
export function together(needs: readonly (Needs | undefined)[]): Needs | undefined {
  const missing = needs.filter((one) => one !== undefined);
  if (missing.length === 0) return undefined;
  return {
    names: missing.flatMap(({ names = [] }) => names),
    events: [...new Set(missing.flatMap(({ events = [] }) => events))],
  };
}
