import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Record } from './record.ts';
import { parseData } from '#src/kernel/event-data.ts';

/**
 * Reads log.db itself: every event follows the one before it in its journal by its hash; a transaction ends once and
 * is reverted once, a key is used once, and what a request wrote stands together. Throws at the first difference.
 */
export function auditLog(dataDir: string, record: Record): void {
  const db = new DatabaseSync(join(dataDir, 'log.db'), { readOnly: true, timeout: 5000 });
  const last = new Map<number, Last>();
  const audit = new Transactions();
  try {
    const rows = db
      .prepare('SELECT stream, revision, type, data, metadata FROM events ORDER BY position')
      .iterate();
    for (const row of rows as Iterable<Row>) {
      const before = last.get(row.stream) ?? FIRST;
      const metadata = JSON.parse(row.metadata) as Metadata;
      checkChain(row, metadata, before);
      audit.take(row, metadata);
      const owed = (metadata.keyedEvents ?? before.owed) - 1;
      if (before.owed > 0 && metadata.requestId !== before.requestId) {
        throw new Error(`${before.requestId} lacks ${before.owed} events of its batch`);
      }
      const { hash: chained, requestId } = metadata;
      last.set(row.stream, { revision: row.revision, hash: chained, requestId, owed });
    }
  } finally {
    db.close();
  }
  audit.compare(record);
}

function checkChain(row: Row, metadata: Metadata, before: Last): void {
  const { stream, revision, type, data } = row;
  const { hash: claimed, ...open } = metadata;
  const computed = hash('sha256', before.hash + type + data + JSON.stringify(open));
  const follows = revision === before.revision + 1 && open.prevHash === before.hash;
  if (follows && computed === claimed) return;
  throw new Error(`Event ${revision} of stream ${stream} does not follow the one before it`);
}

class Transactions {
  readonly #known = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #reverted = new Map<string, string>();
  readonly #keys = new Set<string>();

  take({ stream, type, data }: Row, { idempotencyKey: key }: Metadata): void {
    if (key !== undefined) once(this.#keys, `${stream} ${key}`, 'used');
    if (!type.startsWith('Transaction')) return;
    const { id, parentTransactionId: parent } = (parseData(data) as Data).transaction;
    if (type === 'TransactionPosted' || type === 'TransactionHeld') once(this.#known, id, 'begun');
    else if (type === 'TransactionCommitted' || type === 'TransactionCanceled') {
      once(this.#ended, id, 'ended');
    } else throw new Error(`Nobody asked for the ${type} of ${id}`);
    if (parent === undefined) return;
    if (this.#reverted.has(parent)) throw new Error(`${parent} was reverted twice`);
    this.#reverted.set(parent, id);
  }

  compare({ transactions, ended, reverted }: Record): void {
    same('transactions', [...this.#known], [...transactions.keys()]);
    same('ends', [...this.#ended], [...ended]);
    same('reversals', [...this.#reverted].map(String), [...reverted].map(String));
  }
}

function once(among: Set<string>, what: string, how: string): void {
  if (among.has(what)) throw new Error(`${what} was ${how} twice`);
  among.add(what);
}

function same(what: string, found: readonly string[], recorded: readonly string[]): void {
  if (found.toSorted().join() === recorded.toSorted().join()) return;
  throw new Error(`The log has ${found.length} ${what}, the clients know ${recorded.length}`);
}

type Last = Readonly<{
  revision: number;
  hash: string;
  requestId: string;
  /** So many events of its request are still to come. */
  owed: number;
}>;
const FIRST: Last = { revision: -1, hash: '0'.repeat(64), requestId: '', owed: 0 };

type Data = Readonly<{ transaction: Readonly<{ id: string; parentTransactionId?: string }> }>;
type Metadata = Readonly<{
  hash: string;
  prevHash: string;
  requestId: string;
  idempotencyKey?: string;
  keyedEvents?: number;
}>;
type Row = Readonly<{
  stream: number;
  revision: number;
  type: string;
  data: string;
  metadata: string;
}>;
