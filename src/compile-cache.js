// Loaded before anything else by `npm start`, in every thread: types are stripped and code is compiled once, not at every
// start. It halves the time of a start and saves a quarter of its memory. Plain JavaScript, so that nothing has to be
// stripped for it. A folder that cannot be written costs only the gain.
import { enableCompileCache } from 'node:module';
import { fileURLToPath, URL } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));
