import { cpSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { clientOf } from '#test/support/client.ts';
import { quipu } from '#test/support/quipu.ts';
import {
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  type Server,
} from '#test/support/server.ts';
import type { Expected } from './expected.ts';
import { ruled, rulings } from './rulings.ts';

/** Folders that earlier releases left (see make.ts). */
const releases = globSync('*/expected.json', { cwd: import.meta.dirname }).map(dirname);

describe('upgrades', () => {
  it('keep the folder of every release', () => {
    expect(releases).to.include('0.1.0');
  });

  it('list no ruling that changes nothing', () => {
    const changed = releases.map((release) => {
      const text = readFileSync(join(import.meta.dirname, release, 'expected.json'), 'utf8');
      const { reads } = JSON.parse(text) as Expected;
      return reads.reduce((sum, { body }) => sum + ruled(body, basename(release)).changed, 0);
    });
    for (const { why } of rulings)
      expect(
        changed.some((count) => count > 0),
        why,
      ).to.equal(true);
  });

  for (const release of releases) {
    describe(`from ${basename(release)}`, () => {
      const kept = join(import.meta.dirname, release);
      const text = readFileSync(join(kept, 'expected.json'), 'utf8');
      const { reads, keyed, next } = JSON.parse(text) as Expected;
      let server: Server;
      const client = clientOf(() => server);

      before(async () => {
        const dataDir = temporaryFolder();
        cpSync(kept, dataDir, { recursive: true });
        server = await startServer({ dataDir, env: { CLOCK_CONFIRMED_UNTIL: tomorrow() } });
      });
      after(async () => {
        client.close();
        await stopServer(server);
        removeFolder(server.dataDir);
      });

      it('answers every question as the release did, but for what was ruled since', async () => {
        for (const { path, status, body } of reads) {
          const answer = await client.get(path);
          const due = ruled(body, basename(release)).body;
          expect([path, answer.status, answer.json()]).to.deep.equal([path, status, due]);
        }
      });

      it('gives the answer to a key again, byte for byte', async () => {
        const { path, body, key, answer } = keyed;
        const repeated = await client.post(path, body, { 'X-Idempotency': key });
        expect(repeated.text).to.equal(answer);
        expect(repeated.status).to.equal(201);
        expect(repeated.headers['x-idempotency-replayed']).to.equal('true');
      });

      it('moves money on', async () => {
        const answer = await client.post(next.path, next.body);
        expect(answer.status, answer.text).to.equal(201);
      });

      it('is sound, with what was added', async () => {
        const said = await quipu(['verify', server.dataDir]);
        expect(said).to.include({ code: 0, stderr: '' });
        expect(said.stdout).to.include('Sound: ');
      });
    });
  }
});

/** These logs grow old; one of years ago is opened only by whoever says that the clock is right. */
const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();
