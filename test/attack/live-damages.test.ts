import { copyFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { asRun } from '#test/support/hosted-server.ts';
import { chanceOf, seedOfRun } from '#test/support/random.ts';
import {
  killServer,
  launchServer,
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  type Server,
} from '#test/support/server.ts';
import { Asking, Stuck } from './damages/asking.ts';
import { copyFolder, makeBank, type Bank } from './damages/bank.ts';
import { checkReads, checkRepeats } from './damages/checks.ts';
import { addedTo, verify } from './damages/log-state.ts';

const SEED = seedOfRun(13);
const DERIVED = ['index', 'read', 'snapshots'];

/** What an operator, a backup or a cleaner may do to the files of a server that runs. */
describe('a data folder that is meddled with while a server runs on it', function () {
  this.timeout(300_000);

  let bank: Bank;
  before(async () => {
    bank = await makeBank(SEED);
  });

  const cases: Readonly<Record<string, (dir: string) => void>> = {
    'derived files are removed': (dir) => {
      for (const file of DERIVED) remove(dir, file);
    },
    'index.db is removed': (dir) => remove(dir, 'index'),
    'index.db is overwritten in place with an older copy': (dir) => overwrite(bank, dir, 'index'),
    'read.db is overwritten in place with an older copy': (dir) => overwrite(bank, dir, 'read'),
    'all derived files are overwritten with older copies': (dir) => {
      for (const file of DERIVED) overwrite(bank, dir, file);
    },
    'write-ahead logs of derived files are removed': (dir) => {
      for (const file of DERIVED) {
        for (const suffix of ['-wal', '-shm']) rmSync(join(dir, `${file}.db${suffix}`), FORCE);
      }
    },
  };

  for (const [name, meddle] of Object.entries(cases)) {
    it(`executes nothing again when ${name}, nor after it was killed`, async () => {
      const dir = copyFolder(bank.killed);
      const chance = chanceOf(SEED);
      const found: object[] = [];
      const use = async (server: Server, also: () => void = () => undefined): Promise<void> => {
        const asking = new Asking(
          asRun(server, true, () => stopServer(server)),
          'strict',
        );
        try {
          await checkReads(asking, bank.answers, chance, 'strict');
          also();
          await checkRepeats(asking, bank.keyed, chance, 'strict');
          await checkReads(asking, bank.answers, chance, 'strict');
        } catch (error) {
          if (!(error instanceof Stuck)) throw error;
        }
        asking.client.close();
        found.push(...asking.found.slice(0, 3));
        await killServer(server);
      };
      await use(await startServer({ dataDir: dir }), () => meddle(dir));
      await use(await startServer({ dataDir: dir }));
      expect({ found, ...addedTo(dir, bank) }).to.deep.equal({ found: [], lost: 0, added: [] });
      expect(await verify(dir)).to.include({ isSound: true });
      removeFolder(dir);
    });
  }

  it('is not opened twice by another name', async () => {
    const dir = copyFolder(bank.stopped);
    const link = join(temporaryFolder(), 'link');
    symlinkSync(dir, link);
    const server = await startServer({ dataDir: dir });
    const second = await launchServer({ dataDir: link });
    expect(await second.ready().catch(String)).to.be.a('string');
    expect(second.child.exitCode, second.output()).to.equal(78);
    expect(await stopServer(server)).to.equal(0);
    removeFolder(dir);
  });
});

function remove(dir: string, file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dir, `${file}.db${suffix}`), FORCE);
}

/** As `cp` does: the same file, with other bytes, beneath whoever has it open. */
function overwrite(bank: Bank, dir: string, file: string): void {
  copyFileSync(join(bank.olderFolded, `${file}.db`), join(dir, `${file}.db`));
}

const FORCE = { force: true };
