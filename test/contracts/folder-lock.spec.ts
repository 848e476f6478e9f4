import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { FolderLocked, lockFolder } from '#src/adapters/embedded/folder-lock.ts';
import { dataFolders } from './samples.ts';

describe('folder lock', () => {
  const newFolder = dataFolders();
  let holder: ChildProcess | undefined;
  afterEach(() => holder?.kill('SIGKILL'));

  /** Starts another process that takes the folder and keeps it. */
  async function taken(dir: string): Promise<ChildProcess> {
    holder = spawn(process.execPath, ['-e', takeAndStay, dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (holder.stdout !== null) await once(holder.stdout, 'data');
    return holder;
  }

  it('refuses a folder that another process works on, naming the folder and the process', async () => {
    const dir = newFolder();
    const { pid } = await taken(dir);
    expect(() => lockFolder(dir))
      .to.throw(FolderLocked)
      .with.property('message')
      .that.contains(dir)
      .and.contains(`process ${String(pid)} `);
  });

  it('is given back when that process is killed', async () => {
    const dir = newFolder();
    const process = await taken(dir);
    process.kill('SIGKILL');
    await once(process, 'exit');
    lockFolder(dir).release();
  });

  it('is held until it is released, and may be released twice', () => {
    const dir = newFolder();
    const lock = lockFolder(dir);
    expect(() => lockFolder(dir))
      .to.throw(FolderLocked)
      .with.property('message')
      .that.contains(`process ${process.pid} `);

    lock.release();
    lock.release();
    lockFolder(dir).release();
  });

  it('takes the folder from other users, unless files of others are in it', () => {
    const ours = ['log.db', 'read.db.seal', 'deliveries.db', 'keys', 'refused.1.ndjson'];
    for (const [others, mode] of [
      [[], 0o700],
      [['notes.txt'], 0o755],
    ] as const) {
      const dir = newFolder();
      for (const name of [...ours, ...others]) writeFileSync(join(dir, name), '', { mode: 0o644 });
      chmodSync(dir, 0o755);
      lockFolder(dir).release();
      const modeOf = (path: string) => statSync(path).mode & 0o777;
      expect(modeOf(dir)).to.equal(mode);
      for (const name of ours) expect(modeOf(join(dir, name)), name).to.equal(0o600);
      for (const name of others) expect(modeOf(join(dir, name)), name).to.equal(0o644);
    }
  });

  it('leaves other folders alone, and makes one that is not there', () => {
    const one = lockFolder(newFolder());
    lockFolder(`${newFolder()}/deep/down`).release();
    one.release();
  });
});

const takeAndStay = `
  import { lockFolder } from '#src/adapters/embedded/folder-lock.ts';

  lockFolder(process.argv[1]);
  console.log('taken');
  setInterval(() => {}, 1000);
`;
