import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the files of a folder that contain a text. */
export const filesWith = (dir: string, text: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text),
    )
    .map(({ name }) => name);
