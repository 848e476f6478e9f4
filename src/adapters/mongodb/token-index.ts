import { setTimeout as sleep } from 'node:timers/promises';
import { Binary, MongoServerError, type Collection } from 'mongodb';
import type { Uuid } from '#src/kernel/ids.ts';
import { RECORD_SECRETS, recordInName, recordSecretName } from '#src/kernel/record-secret.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { Destroyed } from '#src/ports/secret-store.ts';
import type {
  RecordAddress,
  SearchToken,
  TakenToken,
  TokenClaim,
  TokenEntry,
  TokenIndex,
} from '#src/ports/token-index.ts';
import { callServer, DUPLICATE_KEY, isRolledBack, WORK_MS } from './call.ts';
import type { MongoDatabase } from './database.ts';

/**
 * Opens search tokens, stored in the document of the secret of their record: one write without a transaction creates or
 * erases both. A unique index over the claims of all documents decides between claimants. A claim that is taken over is
 * free for a moment, so that it may go to a third record instead.
 *
 * Errors: Unavailable.
 */
export async function openMongoTokenIndex({ db }: MongoDatabase): Promise<TokenIndex> {
  const records: Collection<RecordDocument> = db.collection('secrets');
  await callServer(
    () =>
      records.createIndexes([
        { name: 'tokens', key: { tokens: 1, _id: 1 } },
        {
          name: 'claims',
          key: { claims: 1 },
          unique: true,
          partialFilterExpression: { claims: { $exists: true } },
        },
      ]),
    WORK_MS,
  );

  const holderOf = async (token: SearchToken): Promise<string | undefined> =>
    (await callServer(() => records.findOne({ claims: token }, { projection: { _id: 1 } })))?._id;

  /** Returns the first claim that may not pass to a record, and frees those that may. */
  const takenFrom = async (name: string, claims: TokenEntry['claims']) => {
    const held: [string, SearchToken][] = [];
    for (const { token, expected } of claims) {
      const by = (await holderOf(token)) ?? name;
      if (by === name) continue;
      const recordId = recordIn(by);
      if (recordId !== expected) return { token, recordId };
      held.push([by, token]);
    }
    for (const [by, token] of held) {
      await callServer(() => records.updateOne({ _id: by }, { $pull: { claims: token } }));
    }
    return undefined;
  };

  const inTurn = createTurns();
  /** Repeats a write until its claims are decided. */
  const claiming = (name: string, { claims }: TokenEntry, write: () => Promise<unknown>) =>
    inTurn(claims, async (): Promise<TakenToken | undefined> => {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const taken = await takenFrom(name, claims);
        if (taken !== undefined) return taken;
        if (await callServer(() => succeeds(write))) return undefined;
        await sleep(Math.random() * round * PAUSE_MS); // Other processes may claim the same token.
      }
      throw new Unavailable(`The claims of ${name} are being changed by others.`);
    });

  return {
    async add(record, secret, entry) {
      const name = nameOf(record);
      return claiming(name, entry, async () => {
        if ((await records.findOne({ _id: name })) !== null) throw new Destroyed(name);
        const { tokens, claims } = stored(name, entry);
        await records.insertOne({
          _id: name,
          value: new Binary(secret),
          version: 1,
          tokens,
          claims,
        });
      });
    },

    async extend(record, entry) {
      const name = nameOf(record);
      return claiming(name, entry, async () => {
        const { tokens, claims } = stored(name, entry);
        const { matchedCount } = await records.updateOne(
          { _id: name, value: { $exists: true } },
          { $addToSet: { tokens: { $each: tokens }, claims: { $each: claims } } },
        );
        if (matchedCount === 0) throw new Destroyed(name);
      });
    },

    async retain(record, kept) {
      const name = nameOf(record);
      await callServer(() =>
        records.updateOne(
          { _id: name, value: { $exists: true }, claims: { $exists: true } },
          {
            $pull: { tokens: { $nin: [...kept.tokens] }, claims: { $nin: [name, ...kept.claims] } },
          },
        ),
      );
    },

    async erase(record) {
      const _id = nameOf(record);
      const tombstone: RecordDocument = { _id, version: 0, destroyed: true };
      await callServer(() => records.replaceOne({ _id }, tombstone, { upsert: true }));
    },

    async find(organizationId, token, { after, limit }) {
      const from = recordSecretName(organizationId, after ?? ('' as Uuid));
      const found = await callServer(() =>
        records
          .find({ tokens: token, _id: { $gt: from } }, { projection: { _id: 1 } })
          .sort({ _id: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(({ _id }) => recordIn(_id));
    },

    async holder(token) {
      const name = await holderOf(token);
      return name === undefined ? undefined : recordIn(name);
    },

    async *list() {
      let after = RECORD_SECRETS;
      for (;;) {
        const found = await callServer(() =>
          records
            .find({ _id: { $gt: after }, claims: { $exists: true } })
            .sort({ _id: 1 })
            .limit(PAGE)
            .toArray(),
        );
        for (const { _id: name, tokens = [], claims = [] } of found) {
          const claimed = claims.filter((token) => token !== name);
          if (tokens.length + claimed.length === 0) continue;
          yield { ...recordInName(name)!, tokens: tokens.toSorted(), claims: claimed.toSorted() };
        }
        if (found.length < PAGE) return;
        after = found.at(-1)!._id;
      }
    },

    async close() {
      // MongoDatabase owns the connections.
    },
  };
}

/** The document of a secret, as the secret store writes it, with the tokens of its record. */
type RecordDocument = {
  _id: string;
  version: number;
  value?: Binary;
  destroyed?: true;
  tokens?: SearchToken[];
  /** Contains the name as well: a unique index takes empty arrays for equal. */
  claims?: string[];
};

const stored = (name: string, { tokens, claims }: TokenEntry) => ({
  tokens: [...new Set(tokens)],
  claims: [name, ...new Set(claims.map(({ token }) => token))],
});

/** Returns false if another document has the id or one of the claims, or is just being given one. */
async function succeeds(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    const isTaken = error instanceof MongoServerError && error.code === DUPLICATE_KEY;
    if (isTaken || isRolledBack(error)) return false;
    throw error;
  }
}

const nameOf = ({ organizationId, recordId }: RecordAddress): string =>
  recordSecretName(organizationId, recordId);

const recordIn = (name: string): Uuid => recordInName(name)!.recordId;

/**
 * Returns a function that lets work on the same claims wait for each other. A server may need a second to notice that
 * two writes of equal claims block each other.
 */
function createTurns() {
  const last = new Map<SearchToken, Promise<unknown>>();
  return async <Result>(
    claims: readonly TokenClaim[],
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const tokens = claims.map(({ token }) => token);
    const done = Promise.allSettled(tokens.flatMap((token) => last.get(token) ?? [])).then(work);
    for (const token of tokens) last.set(token, done);
    try {
      return await done;
    } finally {
      for (const token of tokens) if (last.get(token) === done) last.delete(token);
    }
  };
}

const ROUNDS = 20;
const PAUSE_MS = 50;
const PAGE = 500;
