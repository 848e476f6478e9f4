import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { CLI, NODE_FLAGS } from '#test/support/programs.ts';
import { quipu } from '#test/support/quipu.ts';
import { removeFolder, startServer, stopServer, temporaryFolder } from '#test/support/server.ts';

const OLD = join(import.meta.dirname, '..', 'upgrades', '0.2.0');

/** Needs root, to mount a small file system. */
describe('quipu on a full disk', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  const disk = at('disk');
  before(async function () {
    if (process.getuid?.() !== 0) this.skip();
    cpSync(OLD, at('data'), { recursive: true });
    await stopServer(await startServer({ dataDir: at('data') })); // Its read models are those of this release then.
    expect((await quipu(['export', at('data'), '--out', at('lines')])).code).to.equal(0);
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'tmpfs', disk]);
  });
  after(() => {
    if (existsSync(disk)) execFileSync('umount', [disk]);
    removeFolder(folder);
  });

  it('fails with 2 and one line, and leaves nothing that looks whole', async () => {
    for (const args of [
      ['backup', at('data'), join(disk, 'backup')],
      ['restore', at('data'), join(disk, 'restored')],
      ['import', at('lines'), join(disk, 'imported')],
      ['export', at('data'), '--out', join(disk, 'lines')],
    ]) {
      const said = await quipu(args);
      expect(said, args[0]).to.include({ code: 2, stdout: '' });
      expect(said.stderr).to.match(/^quipu \w+: .*no space is left on the .*\n$/i);
    }
    for (const name of readdirSync(disk)) expect(readdirSync(join(disk, name))).to.eql(['lock.db']);
  });

  it('does not take a part of an export for all of it', async () => {
    const out = openSync(join(disk, 'part'), 'w');
    const child = spawn(process.execPath, [...NODE_FLAGS, CLI, 'export', at('data')], {
      stdio: ['ignore', out, 'pipe'],
    });
    let stderr = '';
    child.stderr!.on('data', (more: Buffer) => (stderr += more.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    closeSync(out);
    expect(stderr).to.match(/^quipu export: stdout cannot be written: ENOSPC/);
    expect(code).to.equal(2);
  });

  it('finds no difference where there is no space to compare', async () => {
    const said = await quipu(['replay', at('data')], '', { TMPDIR: disk });
    expect(said, said.stderr).to.include({ code: 2, stdout: '' });
    writeFileSync(at('file'), '');
    const nowhere = await quipu(['replay', at('data')], '', { TMPDIR: at('file') });
    expect(nowhere.stderr).to.match(
      /^quipu replay: The temporary folder cannot be created: ENOTDIR/,
    );
  });
});
