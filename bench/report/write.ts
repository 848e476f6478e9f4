import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { Machine } from '../harness/machine.ts';

/** Puts table and figures beside those of earlier days. Returns the path without its ending. */
export function writeResults(bench: Bench, machine: Machine, date: string, table: string): string {
  mkdirSync(RESULTS, { recursive: true });
  const path = join(RESULTS, `${date}-${bench.options.label}`);
  const { only, ...options } = bench.options;
  const result = {
    date,
    machine,
    options: { ...options, only: [...only] },
    figures: Object.fromEntries(bench.figures),
    runs: bench.runs,
    failed: bench.failed,
    remarks: bench.remarks,
  };
  writeFileSync(`${path}.json`, JSON.stringify(result, null, 2) + '\n');
  writeFileSync(`${path}.md`, table);
  return path;
}

const RESULTS = join(import.meta.dirname, '..', 'results');
