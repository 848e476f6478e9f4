import { bodiesFromLog } from './bodies-from-log.ts';
import { renderers } from './renderers.ts';
import { serveReads } from '#src/adapters/embedded/reader.ts';

serveReads(renderers, bodiesFromLog);
