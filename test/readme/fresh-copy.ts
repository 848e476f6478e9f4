import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The working tree as a clone of it would be: what is tracked or about to be, and nothing that was installed or made. */
export function freshCopy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-readme-'));
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--exclude=/node_modules'],
    { cwd: ROOT, encoding: 'utf8' },
  );
  for (const file of listed.split('\0')) {
    if (file === '' || !existsSync(join(ROOT, file))) continue; // Deleted, and not yet committed.
    const copy = join(folder, file);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(ROOT, file), copy);
  }
  return folder;
}

export const ROOT = resolve(import.meta.dirname, '..', '..');

/** What a new user's shell has: no settings of ours, nothing of the npm that runs the test, and its own Node. */
export function newUsersEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && KEPT.test(name) ? [[name, value] as const] : [],
  );
  const path = (process.env['PATH'] ?? '')
    .split(':')
    .filter((dir) => !dir.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: path.join(':') };
}

const KEPT =
  /^(HOME|USER|TMPDIR|LANG|LC_.*|CI|NO_COLOR|.*_proxy|.*_PROXY|SSL_CERT_.*|NODE_EXTRA_CA_CERTS|NPM_CONFIG_.*|npm_config_(registry|userconfig|globalconfig|cache))$/;
