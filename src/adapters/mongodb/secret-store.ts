import { Binary, type Collection } from 'mongodb';
import { Unavailable } from '#src/ports/errors.ts';
import { Destroyed, type Secret, type SecretStore } from '#src/ports/secret-store.ts';
import type { MongoDatabase } from './database.ts';
import { insertedNew, callServer } from './call.ts';

/**
 * Opens secrets stored in their own collection. A destroyed secret leaves only its name. When its bytes are overwritten
 * on disk is up to the server.
 */
export function openMongoSecretStore({ db }: MongoDatabase): SecretStore {
  const secrets: Collection<SecretDocument> = db.collection('secrets');
  const find = (name: string) => callServer(() => secrets.findOne({ _id: name }));

  const compareAndSet: SecretStore['compareAndSet'] = async (name, expected, value) => {
    const stored = { value: new Binary(value), version: (expected ?? 0) + 1 };
    if (expected === undefined) {
      const inserted = await callServer(() => insertedNew(secrets, { _id: name, ...stored }));
      return inserted ? stored.version : undefined;
    }
    const guard = { _id: name, version: expected, destroyed: { $exists: false } };
    const { matchedCount } = await callServer(() => secrets.updateOne(guard, { $set: stored }));
    return matchedCount === 1 ? stored.version : undefined;
  };

  async function* all(): AsyncIterable<SecretDocument> {
    let after = '';
    for (;;) {
      const found = await callServer(() =>
        secrets
          .find({ _id: { $gt: after } })
          .sort({ _id: 1 })
          .limit(PAGE)
          .toArray(),
      );
      yield* found;
      if (found.length < PAGE) return;
      after = found.at(-1)!._id;
    }
  }

  return {
    async get(name) {
      const found = await find(name);
      return found === null ? undefined : secretOf(found);
    },

    compareAndSet,

    async put(name, value) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const found = await find(name);
        if (found?.destroyed === true) throw new Destroyed(name);
        const version = await compareAndSet(name, found?.version, value);
        if (version !== undefined) return version;
      }
      throw new Unavailable(`The secret ${name} is being changed by others.`);
    },

    async destroy(name) {
      const tombstone: SecretDocument = { _id: name, version: 0, destroyed: true };
      await callServer(() => secrets.replaceOne({ _id: name }, tombstone, { upsert: true }));
    },

    async *list() {
      for await (const stored of all()) {
        const secret = secretOf(stored);
        if (secret !== undefined) yield { name: stored._id, secret };
      }
    },

    async *listDestroyed() {
      for await (const { _id, destroyed } of all()) if (destroyed === true) yield _id;
    },

    async close() {
      // MongoDatabase owns the connections.
    },
  };
}

type SecretDocument = { _id: string; version: number; value?: Binary; destroyed?: true };

const secretOf = ({ value, version }: SecretDocument): Secret | undefined =>
  value && { value: new Uint8Array(value.value()), version };

const ROUNDS = 100;
const PAGE = 500;
