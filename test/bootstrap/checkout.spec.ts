import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { commitOf, differsFrom } from '#src/bootstrap/checkout.ts';
import { removeFolder, temporaryFolder } from '#test/support/server.ts';

describe('the git checkout that a process runs from', () => {
  let folder: string;
  let main: string;
  let head: string;
  const git = (cwd: string, ...args: readonly string[]): string => {
    const { PATH = '' } = process.env;
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    const env = { PATH, HOME: folder };
    return execFileSync('git', [...who, ...args], { cwd, env, encoding: 'utf8' }).trim();
  };

  beforeEach(() => {
    folder = temporaryFolder();
    main = join(folder, 'main');
    mkdirSync(main);
    git(main, 'init', '--quiet', '--initial-branch', 'trunk');
    writeFileSync(join(main, 'file'), 'one');
    git(main, 'add', 'file');
    git(main, 'commit', '--quiet', '--message', 'one');
    head = git(main, 'rev-parse', 'HEAD');
  });
  afterEach(() => removeFolder(folder));

  it('is at the commit of its branch, whether that is loose, packed, or checked out by itself', () => {
    expect(commitOf(main)).to.equal(head);
    git(main, 'pack-refs', '--all');
    rmSync(join(main, '.git', 'refs', 'heads'), { recursive: true });
    expect(commitOf(main), 'packed').to.equal(head);
    git(main, 'checkout', '--quiet', '--detach');
    expect(commitOf(main), 'detached').to.equal(head);
  });

  it('may be a worktree or a clone', () => {
    git(main, 'worktree', 'add', '--quiet', '-b', 'topic/one', '../tree');
    git(join(folder, 'tree'), 'commit', '--quiet', '--allow-empty', '--message', 'two');
    const topic = git(main, 'rev-parse', 'topic/one');
    expect(commitOf(join(folder, 'tree')))
      .to.equal(topic)
      .and.not.to.equal(head);
    git(folder, 'clone', '--quiet', main, 'clone');
    expect(commitOf(join(folder, 'clone'))).to.equal(head);
  });

  it('is no checkout when only a folder above it is one, or before the first commit', () => {
    mkdirSync(join(main, 'inner'));
    expect(commitOf(join(main, 'inner'))).to.equal(undefined);
    const fresh = join(folder, 'fresh');
    mkdirSync(fresh);
    git(fresh, 'init', '--quiet');
    expect(commitOf(fresh)).to.equal(undefined);
  });

  it('differs from its commit when a tracked file does, staged or not, or when git cannot tell', async () => {
    expect(await differsFrom(main, head)).to.equal(false);
    writeFileSync(join(main, 'untracked'), 'two');
    expect(await differsFrom(main, head), 'untracked').to.equal(false);
    writeFileSync(join(main, 'file'), 'two');
    expect(await differsFrom(main, head), 'changed').to.equal(true);
    git(main, 'add', 'file');
    expect(await differsFrom(main, head), 'staged').to.equal(true);
    expect(await differsFrom(main, 'f'.repeat(40)), 'unknown commit').to.equal(true);
    expect(await differsFrom(folder, head), 'no checkout').to.equal(true);
  });
});
