import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openBook, posted, transfer } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import { quipu, type Said } from '#test/support/quipu.ts';
import { removeFolder, serverOfBlock, temporaryFolder } from '#test/support/server.ts';

describe('quipu … --json', function () {
  this.timeout(120_000);
  const server = serverOfBlock();
  const client = clientOf(server);
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  before(async () => {
    const book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '1000' } });
    await posted(client, book.at, transfer('@alice', '@bob', '1'));
  });
  after(() => {
    client.close();
    removeFolder(folder);
  });

  it('prints the log and the journals that were backed up, restored, exported and imported', async () => {
    const backup = documentIn(await quipu(['backup', server().dataDir, at('backup'), '--json']));
    expect(backup).to.have.keys('sound', 'logId', 'events', 'journals');
    expect(backup).to.include({ sound: true });
    const { logId, events } = backup;

    const restore = ['restore', '--json', at('backup'), at('restored'), '--to-revision', '2'];
    const restored = documentIn(await quipu(restore));
    expect(restored).to.include({ sound: true, of: events, events: 2 });
    expect(restored['logId']).to.be.a('string').that.is.not.equal(logId);

    const exported = await quipu(['export', at('backup'), '--out', at('lines'), '--json']);
    expect(documentIn(exported)).to.deep.equal({ events });
    const imported = documentIn(await quipu(['import', at('lines'), at('imported'), '--json']));
    expect(imported).to.deep.include({ sound: true, events, journals: backup['journals'] });

    const verified = documentIn(await quipu(['verify', at('imported'), '--json']));
    expect(verified).to.deep.equal({
      ...{ sound: true, keptHashes: 0, events, journals: backup['journals'] },
    });
  });

  it('prints what was compared, and the first difference', async () => {
    const equal = documentIn(await quipu(['replay', server().dataDir, '--json']));
    expect(equal).to.have.keys('equal', 'compared', 'notCompared', 'snapshots');
    expect(equal['compared']).to.deep.include({ name: 'account', items: 3 });

    const lines = readFileSync(at('lines'), 'utf8').replace('"type":"', '"type":"X');
    const forged = await quipu(['import', '-', at('forged'), '--json'], lines);
    expect(forged).to.include({ code: 1, stderr: '' });
    const { sound, difference } = JSON.parse(forged.stdout) as Document;
    expect(sound).to.equal(false);
    expect(difference).to.have.keys('journal', 'revision', 'eventId', 'what');
  });

  it('prints the keys that were wrapped, the change of a tenant, and the program', async () => {
    const settings = { DATA_DIR: at('restored') };
    const rewrapped = documentIn(await quipu(['rewrap', '--json'], '', settings));
    expect(rewrapped).to.deep.equal({ rewrapped: 0, complete: true });
    const added = documentIn(await quipu(['tenant', 'add', 'acme', '--json'], '', settings));
    expect(added).to.deep.equal({ id: 'acme', status: 'active', changed: true });
    const program = documentIn(await quipu(['--version', '--json']));
    expect(program).to.have.keys('version', 'api', 'commit', 'buildTime', 'dirty');
  });

  it('prints errors as documents, with the same exit code', async () => {
    for (const [args, code, error, settings] of [
      [['verify', at('nowhere')], 2, 'nowhere'],
      [['backup', at('nowhere'), at('other')], 2, 'There is no folder'],
      [['export', at('backup')], 2, '--json needs --out FILE'],
      [['replay'], 2, 'The data folder is missing'],
      [['tenant', 'list'], 2, 'There is no folder', { DATA_DIR: at('nowhere') }],
      [['tenant', 'list'], 78, 'PORT=x must be an integer', { PORT: 'x' }],
    ] as const) {
      const said = await quipu([...args, '--json'], '', settings);
      expect(said).to.include({ code, stderr: '' });
      const document = JSON.parse(said.stdout) as Document;
      expect(document).to.have.keys('error');
      expect(document['error']).to.include(error);
    }
  });

  it('is described in the help and in docs/operations.md with the same members', async () => {
    const docs = readFileSync('docs/operations.md', 'utf8');
    const rows = [...docs.matchAll(/^\| `([a-z]+)` \| `(\{ [^`]* \})`/gm)];
    expect(rows.map(([, name]) => name)).to.have.length(9);
    for (const [, name = '', members = ''] of rows) {
      const { stdout } = await quipu([name, '--help']);
      expect(stdout).to.include('[--json]');
      expect(stdout.replaceAll('\n', ' ')).to.include(members);
    }
  });

  it('is not an option of serve, which has no result', async () => {
    const said = await quipu(['serve', '--json']);
    expect(said).to.include({ code: 2, stdout: '' });
    expect(said.stderr).to.include('--json');
  });
});

type Document = Readonly<Record<string, unknown>>;

/** One line on stdout, and nothing on stderr. */
function documentIn({ code, stdout, stderr }: Said): Document {
  expect(stderr).to.equal('');
  expect(code).to.equal(0);
  expect(stdout.trimEnd().split('\n')).to.have.length(1);
  return JSON.parse(stdout) as Document;
}
