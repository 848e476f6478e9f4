import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetched } from './fetched.ts';

/** Returns the Python of an environment that has what a file of requirements asks for. */
export async function pythonWith(name: string, requirements: string): Promise<string> {
  const folder = await fetched(name, [requirements], async (partial) => {
    await run('python3', ['-m', 'venv', partial]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    await run(pythonOf(partial), [...pip, '--requirement', requirements]);
  });
  return pythonOf(folder);
}

const run = promisify(execFile);
/** By path and not by its scripts: they name the folder that the environment was made in. */
const pythonOf = (folder: string): string => join(folder, 'bin', 'python');
