import type { SQLInputValue } from 'node:sqlite';
import { join } from 'node:path';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { Delivery, DeliveryStore } from '#src/ports/delivery-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { Position } from '#src/ports/event-store.ts';
import { inTransaction, openDatabase, prepareQuery } from './sqlite.ts';

/**
 * Opens the state of deliveries, `deliveries.db` of a data folder. It cannot be derived from the log: a change is on
 * disk when it resolves.
 *
 * Errors: Unavailable, here and in every operation; a damaged file is not recreated.
 */
export function openEmbeddedDeliveryStore(dir: string): DeliveryStore {
  const db = reaching(() =>
    openDatabase(join(dir, 'deliveries.db'), { synchronous: 'FULL', schema: SCHEMA }),
  );
  const selectProgress = prepareQuery<[Position, Micros | null]>(
    db,
    'SELECT cursor, failing_since FROM progress WHERE subscription = ?',
  );
  const insertProgress = db.prepare('INSERT OR IGNORE INTO progress VALUES (?, ?, NULL)');
  const moveCursor = db.prepare(
    'UPDATE progress SET cursor = ? WHERE subscription = ? AND cursor = ?',
  );
  const updateFailing = db.prepare('UPDATE progress SET failing_since = ? WHERE subscription = ?');
  const insert = db.prepare(`INSERT OR IGNORE INTO deliveries VALUES (${marks(COLUMNS.length)})`);
  const update = db.prepare(`
    UPDATE deliveries SET version = ?, status = ?, due_at = ?, finished_at = ?, body = ?
    WHERE id = ? AND version = ?`);
  const selectDue = prepareQuery<[string]>(
    db,
    `SELECT body FROM deliveries WHERE ${DUE} ORDER BY ${EARLIEST} LIMIT ?`,
  );
  const selectFirstDue = prepareQuery<[string]>(
    db,
    `SELECT body FROM deliveries AS d WHERE ${DUE} AND NOT EXISTS (
       SELECT 1 FROM deliveries AS before
       WHERE before.subscription = d.subscription AND before.record_key = d.record_key
         AND before.due_at IS NOT NULL
         AND (before.position, before.ordinal) < (d.position, d.ordinal)
     ) ORDER BY ${EARLIEST} LIMIT ?`,
  );
  const selectBacklog = prepareQuery<[string, number, Micros | null]>(
    db,
    `SELECT status, COUNT(*), MIN(due_at) FROM deliveries
     WHERE subscription = ? AND status != 'delivered' GROUP BY status`,
  );
  const selectSubscriptions = prepareQuery<[Uuid]>(
    db,
    'SELECT subscription FROM progress UNION SELECT DISTINCT subscription FROM deliveries',
  );
  const purgeDead = db.prepare(`
    DELETE FROM deliveries WHERE id IN (
      SELECT id FROM deliveries
      WHERE subscription = ? AND status = 'dead' AND finished_at < ? LIMIT ?)`);
  const purgeDelivered = db.prepare(`
    DELETE FROM deliveries WHERE id IN (
      SELECT id FROM (
        SELECT id, finished_at, ROW_NUMBER() OVER (ORDER BY finished_at DESC) AS age
        FROM deliveries WHERE subscription = ? AND status = 'delivered')
      WHERE age > ? OR finished_at < ? LIMIT ?)`);
  const deleteSome = db.prepare(`
    DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE subscription = ? LIMIT ?)`);
  const deleteProgress = db.prepare('DELETE FROM progress WHERE subscription = ?');

  const add = (delivery: Delivery): boolean => {
    const { id, subscriptionId, tenantId, position, ordinal, eventId, recordKey } = delivery;
    const place = [subscriptionId, tenantId, position, ordinal, eventId, recordKey];
    const [version, ...state] = stateOf(delivery);
    return insert.run(id, ...place, version, ...state).changes === 1;
  };
  const changing = <Result>(work: () => Result): Result => reaching(() => inTransaction(db, work));

  return {
    async progress(subscriptionId) {
      const found = reaching(() => selectProgress.get(subscriptionId));
      if (found === undefined) return undefined;
      const [cursor, failingSince] = found;
      return { cursor, ...(failingSince !== null && { failingSince }) };
    },

    async plan({ subscriptionId, from, to, deliveries }) {
      return changing(() => {
        const { changes } =
          from === undefined
            ? insertProgress.run(subscriptionId, to)
            : moveCursor.run(to, subscriptionId, from);
        if (changes === 0) return false;
        for (const delivery of deliveries) add(delivery);
        return true;
      });
    },

    async markFailing(subscriptionId, since) {
      reaching(() => updateFailing.run(since ?? null, subscriptionId));
    },

    async add(deliveries) {
      return changing(() => new Set(deliveries.filter(add).map(({ id }) => id)));
    },

    async due(subscriptionId, { now, limit, ordered }) {
      const query = ordered ? selectFirstDue : selectDue;
      return deliveriesIn(reaching(() => query.all(subscriptionId, now, subscriptionId, limit)));
    },

    async get(ids) {
      const sql = `SELECT body FROM deliveries WHERE id IN (${marks(ids.length)})`;
      return deliveriesIn(reaching(() => prepareQuery<[string]>(db, sql).all(...ids)));
    },

    async replace(deliveries) {
      return changing(() => {
        const replaced = deliveries.filter((delivery) => {
          const { id, version } = delivery;
          return update.run(...stateOf(delivery), id, version - 1).changes === 1;
        });
        return new Set(replaced.map(({ id }) => id));
      });
    },

    async list({ tenantId, subscriptionId, status, eventId, from, to }, offset, limit) {
      const tests: [sql: string, value: SQLInputValue | undefined][] = [
        ['tenant = ?', tenantId],
        ['subscription = ?', subscriptionId],
        ['status = ?', status],
        ['event_id = ?', eventId],
        ['finished_at >= ?', from],
        ['finished_at < ?', to],
      ];
      const given = tests.filter(([, value]) => value !== undefined);
      const where = given.map(([sql]) => sql).join(' AND ');
      const sql = `SELECT body FROM deliveries WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`;
      const values = given.map(([, value]) => value!);
      return deliveriesIn(
        reaching(() => prepareQuery<[string]>(db, sql).all(...values, limit, offset)),
      );
    },

    async backlog(subscriptionId) {
      const found = reaching(() => selectBacklog.all(subscriptionId));
      const counts = Object.fromEntries(found.map(([status, count]) => [status, count]));
      const dues = found.flatMap(([, , dueAt]) => dueAt ?? []);
      return {
        ...{ pending: 0, retrying: 0, dead: 0 },
        ...counts,
        ...(dues.length > 0 && { dueAt: Math.min(...dues) as Micros }),
      };
    },

    async subscriptions() {
      return reaching(() => selectSubscriptions.all()).map(([id]) => id);
    },

    async purge(subscriptionId, { deliveredBefore, deliveredKept, deadBefore, limit }) {
      return changing(() => {
        const dead = Number(purgeDead.run(subscriptionId, deadBefore, limit).changes);
        const age = [deliveredKept, deliveredBefore, limit - dead];
        return dead + Number(purgeDelivered.run(subscriptionId, ...age).changes);
      });
    },

    async forget(subscriptionId, limit) {
      return changing(() => {
        if (Number(deleteSome.run(subscriptionId, limit).changes) === limit) return false;
        deleteProgress.run(subscriptionId);
        return true;
      });
    },

    async close() {
      if (db.isOpen) db.close();
    },
  };
}

/** The members that change: version, status, times, and the whole delivery as JSON. */
const stateOf = (delivery: Delivery): [number, string, number | null, number | null, string] => {
  const { version, status, dueAt = null, finishedAt = null } = delivery;
  return [version, status, dueAt, finishedAt, JSON.stringify(delivery)];
};

const deliveriesIn = (rows: readonly [string][]): readonly Delivery[] =>
  rows.map(([body]) => JSON.parse(body) as Delivery);

function reaching<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof Unavailable) throw cause;
    throw new Unavailable('The state of deliveries cannot be reached', { cause });
  }
}

const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');

const COLUMNS = [
  ...['id', 'subscription', 'tenant', 'position', 'ordinal', 'event_id', 'record_key'],
  ...['version', 'status', 'due_at', 'finished_at', 'body'],
];

const DUE = `subscription = ? AND due_at <= ?
  AND position <= (SELECT cursor FROM progress WHERE progress.subscription = ?)`;
const EARLIEST = 'due_at, position, ordinal';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS progress (
    subscription TEXT PRIMARY KEY, cursor TEXT NOT NULL, failing_since INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS deliveries (
    id TEXT PRIMARY KEY, subscription TEXT NOT NULL, tenant TEXT NOT NULL, position TEXT NOT NULL, ordinal INTEGER NOT NULL,
    event_id TEXT NOT NULL, record_key TEXT NOT NULL, version INTEGER NOT NULL, status TEXT NOT NULL, due_at INTEGER,
    finished_at INTEGER, body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS due ON deliveries (subscription, due_at, position, ordinal) WHERE due_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS in_order ON deliveries (subscription, record_key, position, ordinal) WHERE due_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS finished ON deliveries (subscription, status, finished_at);
  CREATE INDEX IF NOT EXISTS of_event ON deliveries (event_id);
  CREATE INDEX IF NOT EXISTS of_tenant ON deliveries (tenant, id);
`;
