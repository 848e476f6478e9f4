import { components } from '#src/components/index.ts';
import type { StoredExamples } from '#src/http/operation-examples.ts';

/** Loads the examples of all operations, which only the description of the API has a use for. */
export async function loadExamples(): Promise<StoredExamples> {
  const loaded = await Promise.all(components.map(async ({ examples }) => examples?.()));
  return Object.assign({}, ...loaded.map((one) => one?.default)) as StoredExamples;
}
