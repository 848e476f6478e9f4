import { MongoClient, type Db } from 'mongodb';
import { callServer } from './call.ts';

/** One database on a MongoDB-compatible server, shared by its stores. */
export type MongoDatabase = Readonly<{
  db: Db;
  /** Ends every connection. The stores opened on it hold nothing else. */
  close(): Promise<void>;
}>;

/**
 * Connects to the database that the path of the URL names, `quipu` when it names none. Every write is on the disks of a
 * majority when it resolves, and reads see only such writes; sessions, transactions and change streams are not used, so
 * that any topology will do. Broken connections are reopened on demand.
 *
 * Errors: Unavailable.
 */
export async function connectMongo(url: string): Promise<MongoDatabase> {
  const client = new MongoClient(url, {
    appName: 'quipu',
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    readPreference: 'primary', // Reads must see every acknowledged write.
    retryWrites: false, // It needs sessions; callers here repeat failed writes, which is harmless.
    ignoreUndefined: true,
    serverSelectionTimeoutMS: SELECTION_MS,
    connectTimeoutMS: SELECTION_MS,
    waitQueueTimeoutMS: SELECTION_MS,
    heartbeatFrequencyMS: SELECTION_MS,
    socketTimeoutMS: SILENCE_MS,
    maxPoolSize: CONNECTIONS,
  });
  try {
    await callServer(() => client.connect());
  } catch (error) {
    await client.close();
    throw error;
  }
  return { db: client.db(databaseIn(url)), close: () => client.close() };
}

const databaseIn = (url: string): string =>
  decodeURIComponent(/^[^:]+:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? 'quipu');

const SELECTION_MS = 2500;
/** A connection silent for this long is considered broken. */
const SILENCE_MS = 20_000;
const CONNECTIONS = 32;
