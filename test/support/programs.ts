import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const PRELOAD = join(ROOT, 'src', 'preload.js');

export const MAIN = join(ROOT, 'src', 'main.ts');
export const CLI = join(ROOT, 'src', 'cli', 'main.ts');

/** The flags of Node that `npm start` and `npm run quipu` use. Without them a start costs twice the processor time. */
export const NODE_FLAGS = ['--import', PRELOAD];
