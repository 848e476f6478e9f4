import type { Collection, Document } from 'mongodb';
import type { Position } from '#src/ports/event-store.ts';
import { inOrder, inParallel, writeUpdates } from './bulk.ts';
import { callServer, WORK_MS } from './call.ts';
import type { Setting } from './read-fold.ts';
import type { RowOrTombstone } from './read-layout.ts';

/**
 * Sets values of existing rows; a missing or newer row stays as it is. `applied` is below the position of every
 * setting: rows at or below it, which are all of them except after a crash, are changed by one statement per some
 * hundred, four times as fast as one each. When it did not match them all, each is updated separately.
 *
 * Errors: Unavailable.
 */
export async function writeSettings(
  rows: Collection<RowOrTombstone>,
  settings: readonly Setting[],
  applied: Position,
): Promise<void> {
  await inParallel(
    inOrder(settings, ({ _id }) => _id),
    async (chunk) => {
      const ids = chunk.map(({ _id }) => _id);
      const { matchedCount } = await callServer(
        () =>
          rows.updateMany({ _id: { $in: ids }, pos: { $lte: applied } }, pipelineOf(ids, chunk)),
        WORK_MS,
      );
      if (matchedCount < chunk.length) await writeUpdates(rows, chunk.map(alone));
    },
    ROWS_AT_ONCE,
  );
}

/** Returns a pipeline that gives each row its own values. */
function pipelineOf(ids: readonly string[], settings: readonly Setting[]): Document[] {
  const all = settings.map(({ pos, v }) => ({ pos, v }));
  const mine = {
    $arrayElemAt: [{ $literal: all }, { $indexOfArray: [{ $literal: ids }, '$_id'] }],
  };
  return [
    { $set: { to: mine } },
    { $set: { pos: '$to.pos', v: { $mergeObjects: ['$v', '$to.v'] } } },
    { $unset: 'to' },
  ];
}

const alone = ({ _id, pos, v }: Setting) => {
  const values = Object.entries(v).map(([name, value]) => [`v.${name}`, value]);
  return {
    q: { _id, pos: { $lt: pos } },
    u: { $set: { pos, ...(Object.fromEntries(values) as Document) } },
  };
};

const ROWS_AT_ONCE = 250;
