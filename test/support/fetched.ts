import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the folder in which `fetch` has left what these input files ask for, once for all runs; other inputs get another
 * folder. A folder gets its name only when it is complete.
 */
export async function fetched(
  name: string,
  inputs: readonly string[],
  fetch: (folder: string) => Promise<unknown>,
): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'quipu');
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(readFileSync(input));
  const whole = join(cache, `${name}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(whole)) return whole;
  mkdirSync(cache, { recursive: true });
  const partial = mkdtempSync(join(cache, `partial-${name}-`));
  try {
    await fetch(partial);
    renameSync(partial, whole);
  } catch (error) {
    if (!existsSync(whole)) throw error; // Another run may have been first.
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return whole;
}
