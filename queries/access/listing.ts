import { parseCursor } from '#queries/cursor.ts';
import { listed, type Reply } from '#src/http/reply.ts';
import type { PageRequest } from '#src/http/request.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { record } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

/** A page of a list, with the number of records on all pages. */
export const totaledPageOf = <const Item extends Schema>(items: Item) =>
  record(
    {
      items: { type: 'array', items },
      limit: { type: 'integer' },
      page: { type: 'integer' },
      total: { type: 'integer', description: 'The number of records on all pages' },
    },
    ['items', 'limit', 'page', 'total'],
  );

/**
 * Lists records in memory, which are in the order of their creation. Records without a text, such as those that are
 * deleted meanwhile, are left out. Errors: Refusal QUERY_INVALID, those of `textOf`.
 */
export async function directoryPage<One extends Readonly<{ createdAt: Instant }>>(
  all: readonly One[],
  { limit, page = 1, sortOrder, startDate, endDate, cursor }: PageRequest,
  textOf: (one: One) => Promise<string | undefined>,
): Promise<Reply> {
  if (cursor !== undefined) parseCursor(cursor); // Validated, but unused (contract ledger §1.7).
  const inRange = all.filter(
    ({ createdAt }) =>
      (startDate === undefined || createdAt >= startDate) &&
      (endDate === undefined || createdAt <= endDate),
  );
  const ordered = sortOrder === 'desc' ? inRange.toReversed() : inRange;
  const shown = ordered.slice((page - 1) * limit, page * limit);
  const texts = await Promise.all(shown.map(textOf));
  const items = texts.filter((text) => text !== undefined).join();
  return listed(items, { limit, page, total: inRange.length });
}
