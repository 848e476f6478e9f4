import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openLoggedBodies } from '#src/adapters/embedded/logged-bodies.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import { GENESIS, seal } from '#src/journal/chain.ts';
import type { Position } from '#src/ports/event-store.ts';
import type {
  BodiesFromLog,
  CollectionBatch,
  CollectionSpec,
  KeyType,
  ReadStoreWriter,
} from '#src/ports/read-store.ts';
import { metadataOf } from './stored-samples.ts';

/** The data of an event has the body of the row that it puts where renderers of transactions look for it. */
const dataOf = (body: string): string => `${OPENING}${body}}`;
const bodyOf = (data: string): string => data.slice(OPENING.length, -1);
const OPENING = '{"transaction":';

export const BODIES: BodiesFromLog = Object.fromEntries(
  ['transfer', 'token', 'note'].map((name) => [name, bodyOf]),
);

/** A writer that keeps no bodies of these collections, beside a log in which each put finds its own. */
export function logBackedWriter(dir: string): ReadStoreWriter {
  const log = openTestLog(dir);
  const writer = openEmbeddedReadStoreWriter(dir, { bodies: openLoggedBodies(dir, BODIES) });
  return {
    open: (logId, collections) => writer.open(logId, collections.map(logBacked)),
    anchors: () => writer.anchors(),
    forget: () => writer.forget(),
    async apply(batch) {
      for (const { collection, changes } of batch) {
        if (!(collection in BODIES)) continue;
        for (const change of changes) {
          if ('put' in change) log.append(change.position, dataOf(change.put.body));
        }
      }
      await writer.apply(batch.map(placed));
    },
    current: (collection, ids) => writer.current(collection, ids),
    indexMetadata: () => writer.indexMetadata(),
    swap: (collection) => writer.swap(collection),
    async close() {
      await writer.close();
      log.close();
    },
  };
}

export function logBacked(spec: CollectionSpec): CollectionSpec {
  if (!(spec.name in BODIES)) return spec;
  const dated = (types: Readonly<Record<string, KeyType>>) =>
    'createdAt' in types ? { ...types, createdAt: 'instant' as const } : types;
  const { keys, entries } = spec;
  return {
    ...spec,
    keys: dated(keys),
    ...(entries && { entries: { ...entries, facts: dated(entries.facts) } }),
    bodyFromLog: true,
  };
}

/** Positions of a log file have sixteen digits. */
const placed = (batch: CollectionBatch): CollectionBatch =>
  batch.collection in BODIES
    ? { ...batch, changes: batch.changes.map((one) => ({ ...one, position: wide(one.position) })) }
    : batch;

const wide = (position: Position): Position => position.padStart(16, '0') as Position;

/** The part of log.db that bodies are read from. */
export function openTestLog(dir: string) {
  const db = new DatabaseSync(join(dir, 'log.db'));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS events (position INTEGER PRIMARY KEY, type TEXT, data TEXT, metadata TEXT)`);
  const insert = db.prepare('INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?)');
  return {
    append(position: Position, data: string) {
      const { metadata } = seal('Put', data, metadataOf(GENESIS));
      insert.run(Number(position), 'Put', data, metadata);
    },
    close: () => db.close(),
  };
}
