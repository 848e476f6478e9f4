import type { RouteRow } from './route-rows.ts';

/**
 * Lists operations below their paths as text, in lines of at most `width` columns (at least 60, which the longest name
 * needs). Paths are shown without their version, because most operations have the same path under each.
 */
export function routeText(rows: readonly RouteRow[], width: number): string {
  const columns = Math.max(width, WIDTH_MIN);
  const lines: string[] = [];
  let path = '';
  for (const row of rows) {
    const own = row.path.replace(/^\/v\d+(?=\/)/, '');
    if (own !== path) lines.push('', ...fold(own.split(/(?=\/)/), '', columns, '    '));
    path = own;
    const { method, operationId, permission, versions, summary } = row;
    const names = [operationId.padEnd(NAME), versions.join(' ').padEnd(VERSIONS), permission];
    lines.push(...fold([`  ${method.padEnd(METHOD)}`, ...names], ' ', columns, INDENT));
    lines.push(...fold([INDENT.slice(1), ...summary.split(' ')], ' ', columns, INDENT));
  }
  const served = rows.reduce((sum, { versions }) => sum + versions.length, 0);
  lines.push('', `${rows.length} operations, ${served} counting each version`);
  return lines.slice(1).join('\n');
}

/** Joins parts into lines, each as long as it may be; lines after the first are indented. */
function fold(parts: readonly string[], joint: string, width: number, indent: string): string[] {
  const [first = '', ...others] = parts;
  const lines: string[] = [];
  let line = first;
  for (const part of others) {
    const longer = `${line}${joint}${part}`;
    if (longer.trimEnd().length <= width) {
      line = longer;
    } else {
      lines.push(line.trimEnd());
      line = indent + part;
    }
  }
  return [...lines, line.trimEnd()];
}

const METHOD = 6;
const NAME = 36;
const VERSIONS = 5;
const INDENT = ' '.repeat(METHOD + 3);
const WIDTH_MIN = 60;
