import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ok, type Reply } from '#src/http/reply.ts';

const FOLDER = join(import.meta.dirname, 'browser');

/** The modules that reference pages load: the files of the folder `browser`, as they are. */
const scripts: ReadonlyMap<string, string> = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.js'))
    .map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]),
);

/** Changes with the scripts, so that browsers may keep them. */
const version = createHash('sha256')
  .update([...scripts.values()].join())
  .digest('hex')
  .slice(0, 12);

/** The folder of the scripts below `/`. */
export const SCRIPTS = `docs/scripts/${version}`;

export const scriptReplies: ReadonlyMap<string, Reply> = new Map(
  Array.from(scripts, ([file, text]) => [
    file,
    ok(text, {
      headers: {
        'Content-Type': 'text/javascript; charset=utf-8',
        'Cache-Control': 'public, max-age=31536000, immutable',
      },
    }),
  ]),
);
