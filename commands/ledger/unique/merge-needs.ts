import type { Needs } from '#src/kernel/decider.ts';

/** Merges the needs of several values into one lookup; undefined when nothing is missing. */
export function mergeNeeds(needs: readonly (Needs | undefined)[]): Needs | undefined {
  const missing = needs.filter((one) => one !== undefined);
  if (missing.length === 0) return undefined;
  return {
    names: missing.flatMap(({ names = [] }) => names),
    events: [...new Set(missing.flatMap(({ events = [] }) => events))],
  };
}
