import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Types are stripped and code is compiled once, not at every start and in every thread: half the time and a quarter
// of the memory of a start. A folder that cannot be written costs only that.
const { directory } = enableCompileCache(
  fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)),
);
process.env['NODE_COMPILE_CACHE'] ??= directory; // For the threads.
await import('./serve.ts');
