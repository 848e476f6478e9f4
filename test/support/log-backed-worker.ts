import { serveReads } from '#src/adapters/embedded/reader.ts';
import { renderers } from '#src/bootstrap/renderers.ts';
import { BODIES } from './log-backed.ts';

serveReads(renderers, BODIES);
