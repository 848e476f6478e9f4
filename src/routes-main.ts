import { routeRows } from './http/route-rows.ts';
import { routes } from './profiles/routes.ts';

/** Prints the table of operations for people; with --json, for programs. */
const rows = routeRows(routes);

if (process.argv.includes('--json')) {
  console.log(JSON.stringify(rows, null, 2));
} else {
  const head = ['METHOD', 'PATH', 'OPERATION', 'PERMISSION', 'IN', 'SUMMARY'];
  const lines = [
    head,
    ...rows.map(({ versions, ...row }) => [
      row.method,
      row.path,
      row.operationId,
      row.permission,
      versions.join(' '),
      row.summary,
    ]),
  ];
  const widths = head.map((_, n) => Math.max(...lines.map((line) => line[n]?.length ?? 0)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
  const served = rows.reduce((sum, { versions }) => sum + versions.length, 0);
  console.log(`\n${rows.length} operations, ${served} with their versions`);
}
