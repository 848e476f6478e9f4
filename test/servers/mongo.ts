import { randomUUID } from 'node:crypto';
import { keepUp } from '#test/support/engines.ts';
import { connectMongo, type MongoDatabase } from '#src/adapters/mongodb/database.ts';

/** Where a MongoDB-compatible server is; without one these suites are pending, or fail where it must be there. */
export const MONGODB_URL = process.env['MONGODB_URL'] ?? '';

/** `describe` where there is a server. */
export function describeOnMongo(title: string, suite: () => void): void {
  const required = process.env['REQUIRE_ENGINES'] === '1';
  if (MONGODB_URL !== '') {
    describe(title, function () {
      this.timeout(180_000);
      before(function () {
        this.timeout(120_000);
        return keepUp('mongodb', MONGODB_URL);
      });
      suite();
    });
  } else if (required) {
    it(title, () => {
      throw new Error('MONGODB_URL is not set');
    });
  } else {
    describe.skip(title, suite);
  }
}

/** A database of its own, dropped by `remove`. */
export async function newMongoPlace(
  url = MONGODB_URL,
): Promise<MongoDatabase & { remove: () => Promise<void> }> {
  const place = await connectMongo(databaseUrl(url, `quipu_test_${randomUUID().slice(0, 8)}`));
  return {
    ...place,
    async remove() {
      await place.db.dropDatabase();
      await place.close();
    },
  };
}

/** The same server, another database. */
export function databaseUrl(url: string, database: string): string {
  const named = new URL(url);
  named.pathname = `/${database}`;
  return named.href;
}
