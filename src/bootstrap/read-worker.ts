import { shows } from '#queries/shown.ts';
import { serveReads } from '#src/adapters/embedded/reader.ts';

serveReads(shows);
