import { DatabaseSync } from 'node:sqlite';
import { createKafkaSource } from '#src/adapters/kafka/source.ts';
import { createConsumer, sqliteSeenIds } from '#src/library/consumer.ts';

/** Writes the number of each event into a table, in one transaction with the id of the event, until it is killed. */
const [, , file = '', brokers = '', topic = ''] = process.argv;

const db = new DatabaseSync(file, { timeout: 5000 });
db.exec('PRAGMA journal_mode = WAL');
db.exec('PRAGMA synchronous = NORMAL');
db.exec(`CREATE TABLE IF NOT EXISTS effects
  (place INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT, number INTEGER, id TEXT) STRICT`);
const insert = db.prepare('INSERT INTO effects (key, number, id) VALUES (?, ?, ?)');

const consumer = createConsumer({
  source: createKafkaSource({
    ...{ brokers: brokers.split(','), clientId: 'consuming', group: 'consuming', topics: [topic] },
    ...{ startAt: 'beginning', pollTimeoutMs: 100, closeTimeoutMs: 1000 },
    ...{ deadLetterSuffix: '.dlq', sessionTimeoutMs: 1000 },
  }),
  store: sqliteSeenIds(db),
  platform: 'quipu',
  handle({ id, recordKey, data }, { remember }) {
    db.exec('BEGIN IMMEDIATE');
    try {
      if (remember()) insert.run(recordKey, Number(data['number']), id);
      db.exec('COMMIT');
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  },
});
await consumer.run();
