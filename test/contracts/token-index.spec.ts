import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openEmbeddedSecretStore } from '#src/adapters/embedded/secret-store.ts';
import { openEmbeddedTokenIndex } from '#src/adapters/embedded/token-index.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { memorySecretStore, type MemorySecretData } from '#test/doubles/memory/secret-store.ts';
import { memoryTokenIndex } from '#test/doubles/memory/token-index.ts';
import { dataFolders, newUuid } from './samples.ts';
import { tokenIndexContract } from './token-index.contract.ts';

describe('token index: memory', () => {
  tokenIndexContract(async () => {
    const data: MemorySecretData = new Map();
    return {
      index: memoryTokenIndex(systemScheduler, data),
      secrets: memorySecretStore(systemScheduler, data),
    };
  });
});

describe('token index: embedded', () => {
  const newFolder = dataFolders();

  tokenIndexContract(async () => {
    const dir = newFolder();
    return { index: openEmbeddedTokenIndex(dir), secrets: openEmbeddedSecretStore(dir) };
  });

  it('leaves no byte of an erased record in any file, wherever it was among others', async () => {
    const dir = newFolder();
    const index = openEmbeddedTokenIndex(dir);
    const secrets = openEmbeddedSecretStore(dir);
    const organizationId = newUuid();
    const newToken = () => randomBytes(32).toString('base64url');
    const people = Array.from({ length: 2000 }, () => ({
      record: { organizationId, recordId: newUuid() },
      secret: randomBytes(90),
      traces: [newToken(), newToken(), newToken()],
      unique: newToken(),
    }));
    for (let n = 0; n < people.length; n += 100) {
      await Promise.all(
        people
          .slice(n, n + 100)
          .map(({ record, secret, traces, unique }) =>
            index.add(record, secret, { tokens: traces, claims: [{ token: unique }] }),
          ),
      );
    }
    const held = ({ secret, traces, unique }: (typeof people)[number]) => {
      const files = readdirSync(dir).map((file) => readFileSync(join(dir, file)));
      return [secret, ...traces, unique].filter((trace) =>
        files.some((content) => content.includes(trace)),
      );
    };

    for (let n = 0; n < 20; n += 1) {
      const [erased, twin] = [people[n * 37]!, people[n * 37 + 1]!];
      expect(held(erased)).to.have.length(5);
      await index.erase(erased.record);
      expect(held(erased)).to.deep.equal([]);
      expect(held(twin)).to.have.length(5);
    }
    await Promise.all([index.close(), secrets.close()]);
  });

  it('fails an erasure whose old values stay in a file, and only that one of the changes with it', async () => {
    const dir = newFolder();
    const index = openEmbeddedTokenIndex(dir);
    const nothing = { tokens: [], claims: [] };
    const [erased, added] = [0, 1].map(() => ({ organizationId: newUuid(), recordId: newUuid() }));
    await index.add(erased!, randomBytes(90), nothing);

    const reader = new DatabaseSync(join(dir, 'secrets.db'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM secrets').get(); // Keeps the write-ahead log in use.
    const settled = await Promise.allSettled([
      index.erase(erased!),
      index.add(added!, randomBytes(90), nothing),
    ]);
    reader.close();
    expect(settled.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled']);
    expect((settled[0] as PromiseRejectedResult).reason).to.be.instanceOf(Unavailable);

    await index.erase(erased!);
    await index.close();
    const late = index.erase(added!).catch((error: unknown) => error);
    expect(await late).to.be.instanceOf(Unavailable);
  }).timeout(20_000);
});
