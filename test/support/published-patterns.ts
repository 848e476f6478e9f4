import { openapiOf } from '#src/http/openapi.ts';
import { routes } from '#src/bootstrap/routes.ts';

/** Every pattern of the API description, once. */
export const publishedPatterns = (): readonly string[] => [
  ...new Set(patternsIn(openapiOf(routes))),
];

function* patternsIn(part: unknown): Generator<string> {
  if (typeof part !== 'object' || part === null) return;
  for (const [name, member] of Object.entries(part)) {
    if (name === 'pattern' && typeof member === 'string') yield member;
    else yield* patternsIn(member);
  }
}
