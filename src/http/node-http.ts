import { createRequire } from 'node:module';

/**
 * Exports Node's HTTP server without its client. An `import` of `node:http` reads all of its names, one of which loads
 * undici: 9 MB of memory and time at every start, for code that is never called.
 */
export const { createServer, STATUS_CODES } = createRequire(import.meta.url)(
  'node:http',
) as typeof import('node:http');
