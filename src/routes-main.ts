import { routeRows } from './http/route-rows.ts';
import { routeText } from './http/route-text.ts';
import { routes } from '#src/bootstrap/routes.ts';

/** Prints the table of operations for people; with --json, for programs. */
const rows = routeRows(routes);
/** A file or a pipe has no width of its own. */
const COLUMNS = 100;
const json = process.argv.includes('--json');

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0); // The reader has seen enough, as in `npm run routes | head`.
  throw error;
});
const { isTTY, columns } = process.stdout;
const text = json ? JSON.stringify(rows, null, 2) : routeText(rows, isTTY ? columns : COLUMNS);
process.stdout.write(`${text}\n`);
