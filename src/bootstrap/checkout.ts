import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Reads which commit a git checkout is at from git's own files, because a start must not wait for a git process.
 * Returns undefined if the folder is not the root of a checkout.
 */
export function commitOf(root: string): string | undefined {
  try {
    const git = gitFolder(root);
    const head = textOf(join(git, 'HEAD'));
    const [, ref] = /^ref: (.+)$/.exec(head) ?? [];
    return ref === undefined ? hashIn(head) : commitOfRef(git, ref);
  } catch {
    return undefined; // No checkout, or one that this process may not read.
  }
}

/**
 * Returns whether the checkout differs from a commit in any tracked file. It asks git, and treats whatever git cannot
 * determine as a difference, because a difference must not be missed.
 */
export async function differsFrom(root: string, commit: string): Promise<boolean> {
  if (!existsSync(join(root, '.git'))) return true;
  const { PATH = '', HOME = '' } = process.env; // A GIT_DIR would name another checkout.
  const options = { cwd: root, env: { PATH, HOME }, timeout: GIT_MS_MAX };
  return new Promise((answer) => {
    execFile('git', ['--no-optional-locks', 'diff', '--quiet', commit, '--'], options, (error) =>
      answer(error !== null),
    );
  });
}

/** Returns git's folder: `.git` itself, or in a worktree the folder that this file names. */
function gitFolder(root: string): string {
  const path = join(root, '.git');
  try {
    const [, folder = path] = /^gitdir: (.+)$/.exec(textOf(path)) ?? [];
    return resolve(root, folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return path;
    throw error;
  }
}

/**
 * Reads the commit of a branch, which has its own file, or a line among the packed ones; the refs of a worktree are in
 * the main checkout.
 */
function commitOfRef(git: string, ref: string): string | undefined {
  const shared = existsSync(join(git, 'commondir'))
    ? resolve(git, textOf(join(git, 'commondir')))
    : git;
  const loose = [git, shared].map((folder) => join(folder, ref)).find((file) => existsSync(file));
  if (loose !== undefined) return hashIn(textOf(loose));
  const packed = textOf(join(shared, 'packed-refs')).split('\n');
  const line = packed.find((one) => one.endsWith(` ${ref}`));
  return line === undefined ? undefined : hashIn(line.slice(0, line.indexOf(' ')));
}

const textOf = (path: string): string => readFileSync(path, 'utf8').trimEnd();

/** Finds a hash: SHA-1, or SHA-256 in newer repositories. */
const hashIn = (text: string): string | undefined =>
  /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : undefined;

const GIT_MS_MAX = 5000;
