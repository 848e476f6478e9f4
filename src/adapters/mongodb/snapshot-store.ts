import { Binary, type Collection } from 'mongodb';
import { createHash, randomUUID, type Hash } from 'node:crypto';
import type { Revision } from '#src/kernel/ids.ts';
import type { Snapshot, SnapshotStore } from '#src/ports/snapshot-store.ts';
import type { MongoDatabase } from './database.ts';
import { callServer, WORK_MS } from './call.ts';
import { fromPieces, toPieces } from './snapshot-bytes.ts';

/**
 * Opens snapshots stored as pieces of their own generation, and one head document per journal that names the current
 * generation, with a checksum. Pieces are written first, then the head is switched, then the pieces it named before are
 * deleted. A torn snapshot, from a crash or from two processes that save at once, counts as absent.
 *
 * Errors: Unavailable.
 */
export function openMongoSnapshotStore(
  { db }: MongoDatabase,
  { pieceBytes = PIECE_BYTES }: MongoSnapshotStoreOptions = {},
): SnapshotStore {
  const heads: Collection<SnapshotHead> = db.collection('snapshots');
  const pieces: Collection<Piece> = db.collection('snapshot_pieces');

  const headOf = (journal: string) => callServer(() => heads.findOne({ _id: journal }));

  const loadPieces = async (head: SnapshotHead): Promise<readonly Uint8Array[]> => {
    const ids = Array.from({ length: head.pieces }, (_, n) => pieceId(head.generation, n));
    const found: Uint8Array[] = [];
    for (let n = 0; n < ids.length; n += PIECES_AT_ONCE) {
      const some = { _id: { $in: ids.slice(n, n + PIECES_AT_ONCE) } };
      const stored = await callServer(
        () => pieces.find(some).sort({ number: 1 }).toArray(),
        WORK_MS,
      );
      found.push(...stored.map(({ bytes }) => bytes.value()));
    }
    return found;
  };

  return {
    async load(journal) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const head = await headOf(journal);
        if (head === null) return undefined;
        const snapshot = wholeOne(head, await loadPieces(head));
        if (snapshot !== undefined) return snapshot;
        const now = await headOf(journal);
        if (now?.generation === head.generation) return undefined;
      } // Replaced while it was being read: retry.
      return undefined;
    },

    async save(journal, { revision, version, chunks }) {
      const generation = randomUUID();
      const hash = checksum(revision, version);
      let number = 0;
      for (const bytes of toPieces(chunks, pieceBytes)) {
        hash.update(bytes);
        const _id = pieceId(generation, number);
        const piece = { _id, journal, generation, revision, number, bytes: new Binary(bytes) };
        await callServer(() => pieces.insertOne(piece), WORK_MS);
        number += 1;
      }
      const head: SnapshotHead = {
        _id: journal,
        generation,
        revision,
        version,
        pieces: number,
        checksum: hash.digest('hex'),
      };
      const before = await callServer(() =>
        heads.findOneAndReplace({ _id: journal }, head, { upsert: true }),
      );
      // Pieces of the previous snapshot, and of failed saves.
      const past = [{ revision: { $lt: revision } }, { generation: before?.generation ?? '' }];
      await callServer(
        () => pieces.deleteMany({ journal, generation: { $ne: generation }, $or: past }),
        WORK_MS,
      );
    },

    async close() {
      // MongoDatabase owns the connections.
    },
  };
}

export type MongoSnapshotStoreOptions = Readonly<{ pieceBytes?: number }>;

type SnapshotHead = {
  _id: string;
  generation: string;
  revision: Revision;
  version: number;
  pieces: number;
  checksum: string;
};
type Piece = {
  _id: string;
  journal: string;
  generation: string;
  revision: Revision;
  number: number;
  bytes: Binary;
};

function wholeOne(head: SnapshotHead, pieces: readonly Uint8Array[]): Snapshot | undefined {
  const { revision, version } = head;
  const hash = checksum(revision, version);
  for (const bytes of pieces) hash.update(bytes);
  if (pieces.length !== head.pieces || hash.digest('hex') !== head.checksum) return undefined;
  const chunks = fromPieces(pieces);
  return chunks && { revision, version, chunks };
}

/** SHA-256 over revision, version and all bytes. */
const checksum = (revision: Revision, version: number): Hash =>
  createHash('sha256').update(`${revision} ${version} `);

const pieceId = (generation: string, number: number): string => `${generation}/${number}`;

const PIECE_BYTES = 4 * 1024 * 1024;
const PIECES_AT_ONCE = 2;
const ROUNDS = 3;
