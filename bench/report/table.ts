import type { Bench } from '../bench.ts';
import type { Machine } from '../harness/machine.ts';
import { FIGURES, type FigureDefinition, type FigureId } from './figures.ts';

/** The report a person reads: the machine, the figures beside their bars, each run, what was void. */
export function tableOf(bench: Bench, machine: Machine, date: string): string {
  return [
    `# Bench ${date}, ${bench.options.label}`,
    '',
    machineLine(machine),
    '',
    ...figureRows(bench),
    '',
    ...runRows(bench),
    ...remarkRows(bench),
    '',
  ].join('\n');
}

function machineLine(machine: Machine): string {
  const { cpu, cores, memoryGiB, system, node, loadBefore, fdatasyncMs } = machine;
  return (
    `${cpu}, ${cores} cores shared by server and load generator, ${memoryGiB} GiB, ${system}, ` +
    `Node ${node}; fdatasync p50 ${fdatasyncMs.p50} ms, p99 ${fdatasyncMs.p99} ms; ` +
    `load average before the first run ${loadBefore}.`
  );
}

function figureRows(bench: Bench): readonly string[] {
  const rows = [['What', 'Bar', 'Stretch', 'Measured', '÷ bar', 'Verdict', 'Note']];
  for (const [id, definition] of Object.entries(FIGURES) as [FigureId, FigureDefinition][]) {
    const figure = bench.figures.get(id);
    if (figure === undefined) continue;
    const { what, unit, bar, stretch } = definition;
    rows.push([
      what,
      bar === undefined ? '' : bound(definition, bar),
      stretch === undefined ? '' : bound(definition, stretch),
      `${plain(figure.value)} ${unit}`,
      bar === undefined ? '' : plain(figure.value / bar),
      verdict(definition, figure.value),
      figure.note ?? '',
    ]);
  }
  return markdown(rows);
}

function runRows(bench: Bench): readonly string[] {
  const rows = [
    [
      'Run',
      '/s',
      'p50 ms',
      'p90',
      'p99',
      'max',
      'worst second',
      'server µs',
      'main µs',
      'generator µs',
      'others %',
      'drain ms',
      'checks',
    ],
  ];
  for (const { name, report, findings, voidedBy } of bench.runs) {
    const { latencyMs, series, perSecond, serverMicros, threadMicros, generatorMicros } = report;
    rows.push([
      name,
      voidedBy.length > 0 ? 'void' : plain(perSecond),
      ...[latencyMs.p50, latencyMs.p90, latencyMs.p99, latencyMs.max].map(plain),
      plain(Math.min(...series.slice(0, Math.max(1, Math.floor(report.seconds))))),
      plain(serverMicros),
      plain(threadMicros['main thread'] ?? NaN),
      plain(generatorMicros),
      plain(100 * report.others),
      findings === undefined ? '' : String(findings.drainMs),
      voidedBy.length > 0 ? 'void' : findings === undefined ? 'answers' : 'answers, books',
    ]);
  }
  return rows.length === 1 ? [] : markdown(rows);
}

function remarkRows(bench: Bench): readonly string[] {
  const failed = bench.failed.map((why) => `- FAILED ${why}`);
  const lines = [...failed, ...bench.remarks.map((text) => `- ${text}`)];
  return lines.length === 0 ? [] : ['', ...lines];
}

const bound = ({ better }: FigureDefinition, value: number): string =>
  `${better === 'higher' ? '≥' : '≤'} ${plain(value)}`;

function verdict({ better, bar, stretch }: FigureDefinition, value: number): string {
  const reaches = (limit: number): boolean =>
    better === 'higher' ? value >= limit : value <= limit;
  if (stretch !== undefined && reaches(stretch)) return 'stretch';
  if (bar === undefined) return '';
  return reaches(bar) ? 'met' : 'MISSED';
}

function plain(value: number): string {
  if (!Number.isFinite(value)) return '';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Math.round(value * 100) / 100);
}

/** Columns padded, so that it reads well on a terminal as well. */
function markdown(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)];
}
