import { REQUEST } from '#src/http/operation-examples.ts';
import type { Route } from '#src/http/route.ts';

/** Lists the bodies of an operation that have an example, such as `request application/json` and `201 application/json`. */
export function bodiesOf({ body, lines, forms = {}, media = JSON_TYPE, replies }: Route): string[] {
  const taken = body ? [JSON_TYPE, ...(lines ? [LINES] : []), ...Object.keys(forms)] : [];
  const returned = Object.entries(replies).flatMap(([status, schema]) => {
    if (schema === null) return [];
    return [media, ...(lines && status === '200' ? [LINES] : [])].map((one) => `${status} ${one}`);
  });
  return [...taken.map((one) => `${REQUEST} ${one}`), ...returned];
}

const JSON_TYPE = 'application/json';
const LINES = 'application/x-ndjson';
