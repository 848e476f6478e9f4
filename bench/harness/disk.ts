import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The space that the files of a folder take on its disk, those of its folders included. */
export function diskBytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + blocksOf(join(parentPath, name)), 0);
}

const blocksOf = (file: string): number => statSync(file).blocks * BLOCK_BYTES;
const BLOCK_BYTES = 512; // The unit of st_blocks, whatever the file system uses.
