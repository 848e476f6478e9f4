import { readFileSync, writeFileSync } from 'node:fs';
import { errorsPage } from './http/errors-page.ts';
import { openapiOf } from './http/openapi.ts';
import { catalog, producers } from '#src/bootstrap/definitions.ts';
import { catalogPage, schemaFile, schemaFileName } from '#src/bridge/event-pages.ts';
import { loadExamples } from '#src/bootstrap/examples.ts';
import { routes } from '#src/bootstrap/routes.ts';

const examples = await loadExamples();

/** Writes the files that are generated from the route table and the catalog of events; with --check, fails when one is out of date. */
const files: Readonly<Record<string, string>> = {
  'docs/openapi.json': JSON.stringify(openapiOf(routes, { examples }), null, 2) + '\n',
  'docs/errors.md': errorsPage(routes),
  'docs/events.md': catalogPage(producers),
  ...Object.fromEntries(
    catalog.map((definition) => [
      `docs/events/${schemaFileName(definition)}`,
      schemaFile(definition),
    ]),
  ),
};

const checking = process.argv.includes('--check');
const stale = Object.entries(files).filter(([file, text]) => text !== current(file));

if (checking) {
  for (const [file] of stale) console.error(`${file} is out of date: run npm run openapi`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [file, text] of stale) writeFileSync(file, text);
  console.log(stale.length > 0 ? `Wrote ${stale.map(([file]) => file).join(', ')}` : 'Up to date');
}

function current(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // Not written yet.
  }
}
