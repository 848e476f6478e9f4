import type { Collection } from 'mongodb';
import { Unavailable } from '#src/ports/errors.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { Change } from '#src/ports/read-store.ts';
import { writeInserts, writeUpdates, type Update } from './bulk.ts';
import { callServer, WORK_MS } from './call.ts';
import { fold, foldSets, type Setting } from './read-fold.ts';
import type { RowOrTombstone, DocumentValues } from './read-layout.ts';
import { writeSettings } from './read-settings.ts';
import { RecentIds } from './recent-ids.ts';

/**
 * The rows of one generation, written by the owner of the projector's lease. Every write is absolute and guarded by the
 * position of the row, so that a repeated write, or a late one from an earlier owner, changes nothing.
 *
 * The changes of a row in one batch become one operation. Changes above everything applied so far are new to their row:
 * a put of an unknown row is an insert, which costs half of an update; sets alone are an update without reading the
 * row. Everything else, and an insert that finds its row there, reads the row first.
 */
export class MongoReadTarget {
  readonly #rows: Collection<RowOrTombstone>;
  readonly #seen = new RecentIds();
  #applied: Position;

  constructor(rows: Collection<RowOrTombstone>, applied: Position) {
    this.#rows = rows;
    this.#applied = applied;
  }

  /** Errors: Unavailable; some rows may have been written then, and applying the batch again is harmless. */
  async apply(changes: readonly Change[]): Promise<void> {
    const plan = this.#plan(changes);
    const refused = writeInserts(this.#rows, plan.inserts);
    await Promise.all([
      refused,
      writeUpdates(this.#rows, plan.removals),
      writeSettings(this.#rows, plan.settings, this.#applied),
    ]);
    const looked = new Map(plan.looked);
    for (const { _id } of await refused) looked.set(_id, plan.byRow.get(_id) ?? []);
    await this.#rewrite(looked);
    for (const { _id } of plan.inserts) this.#seen.add(_id);
    for (const { position } of changes) if (position > this.#applied) this.#applied = position;
  }

  /** Returns the state of those rows that exist. Errors: Unavailable. */
  async current(ids: readonly string[]) {
    const found = new Map<string, Readonly<{ position: Position; values: DocumentValues }>>();
    for (let n = 0; n < ids.length; n += ROWS_AT_ONCE) {
      const some = ids.slice(n, n + ROWS_AT_ONCE);
      const rows = await callServer(
        () => this.#rows.find({ _id: { $in: some } }).toArray(),
        WORK_MS,
      );
      for (const row of rows) {
        if (row.pos !== undefined) found.set(row._id, { position: row.pos, values: row.v ?? {} });
      }
    }
    return found;
  }

  #plan(changes: readonly Change[]) {
    const byRow = new Map<string, Change[]>();
    for (const change of changes) {
      const id = idOf(change);
      const earlier = byRow.get(id);
      if (earlier === undefined) byRow.set(id, [change]);
      else earlier.push(change);
    }
    const inserts: RowOrTombstone[] = [];
    const removals: Update[] = [];
    const settings: Setting[] = [];
    const looked: [id: string, changes: readonly Change[]][] = [];
    for (const [id, ofRow] of byRow) {
      const removal = ofRow.find((change) => 'remove' in change);
      const isNew = ofRow.every(({ position }) => position > this.#applied);
      if (removal !== undefined) removals.push(removalOf(id, removal.position));
      else if (isNew && ofRow.every((change) => 'set' in change))
        settings.push(foldSets(id, ofRow));
      else if (isNew && 'put' in ofRow[0]! && !this.#seen.has(id)) {
        inserts.push(fold(undefined, ofRow)!);
      } else looked.push([id, ofRow]);
    }
    return { byRow, inserts, removals, settings, looked };
  }

  /** Reads rows, folds and writes them; repeats this for rows that another process wrote in between. */
  async #rewrite(changes: ReadonlyMap<string, readonly Change[]>): Promise<void> {
    let waiting = [...changes.keys()];
    for (let round = 0; waiting.length > 0; round += 1) {
      if (round === ROUNDS) throw new Unavailable('Rows are being written by another process.');
      const again: string[] = [];
      for (let n = 0; n < waiting.length; n += ROWS_AT_ONCE) {
        const ids = waiting.slice(n, n + ROWS_AT_ONCE);
        again.push(...(await this.#tryRewrite(ids, changes)));
      }
      waiting = again;
    }
  }

  /** Returns the rows to read again. */
  async #tryRewrite(
    ids: readonly string[],
    changes: ReadonlyMap<string, readonly Change[]>,
  ): Promise<readonly string[]> {
    const found = await callServer(
      () => this.#rows.find({ _id: { $in: [...ids] } }).toArray(),
      WORK_MS,
    );
    const known = new Map<string, RowOrTombstone>(found.map((row) => [row._id, row]));
    const inserts: RowOrTombstone[] = [];
    const updates: Update[] = [];
    for (const id of ids) {
      const before = known.get(id);
      const after = fold(before, changes.get(id) ?? []);
      if (after === undefined) continue;
      if (before === undefined) inserts.push(after);
      else updates.push({ q: { _id: id, pos: before.pos }, u: after });
    }
    const refused = await writeInserts(this.#rows, inserts);
    const matched = await writeUpdates(this.#rows, updates);
    const all = matched === updates.length;
    return [
      ...refused.map(({ _id }) => _id),
      ...(all ? [] : updates.map(({ q }) => String(q['_id']))),
    ];
  }
}

const idOf = (change: Change): string =>
  ('put' in change ? change.put : 'set' in change ? change.set : change.remove).id;

/** Removes a row unless it is newer: in that case it exists, and the insert is refused. */
const removalOf = (_id: string, gone: Position): Update => {
  return { q: { _id, pos: { $lt: gone } }, u: { _id, gone }, upsert: true };
};

const ROUNDS = 8;
const ROWS_AT_ONCE = 500;
