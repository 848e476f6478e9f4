import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from '#src/http/once.ts';
import type { About } from '#src/http/probes.ts';
import { commitOf, differsFrom } from './checkout.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** A build without git, such as a container image, gets its commit and its time from the environment. */
const { QUIPU_COMMIT: builtCommit, QUIPU_BUILD_TIME: buildTime = '' } = process.env;
const commit = (builtCommit === '' ? undefined : builtCommit) ?? commitOf(ROOT);

export const about: About = {
  version: 'v4.0.0',
  programVersion: programVersion(),
  commit: commit ?? 'unknown',
  buildTime,
  /** Checked once, because a process keeps running the sources it was started from. */
  dirty: once(async () => {
    if (builtCommit !== undefined && builtCommit !== '') return false; // The build names its commit.
    return commit === undefined || differsFrom(ROOT, commit);
  }),
};

/** Returns the program with its version, for operators: `quipu 0.2.0 (commit 1234567)`. */
export async function programText(): Promise<string> {
  const changed = commit !== undefined && (await about.dirty()) ? ', with changes' : '';
  const of = commit === undefined ? '' : ` (commit ${commit.slice(0, 12)}${changed})`;
  return `quipu ${about.programVersion}${of}, API ${about.version}`;
}

/** Returns the same for programs. */
export const programDocument = async (): Promise<object> => ({
  version: about.programVersion,
  api: about.version,
  commit: about.commit,
  buildTime: about.buildTime,
  dirty: commit !== undefined && (await about.dirty()),
});

function programVersion(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
