import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessRefusals } from '#src/events/access/refusals.ts';
import { feeRefusals } from '#src/events/fees/refusals.ts';
import { ledgerRefusals } from '#src/events/ledger/refusals.ts';
import { registryRefusals } from '#src/events/registry/refusals.ts';
import { settingsRefusals } from '#src/events/settings/refusals.ts';
import { streamingRefusals } from '#src/events/streaming/refusals.ts';
import type { RefusalSample } from '#src/kernel/explanation.ts';
import type { Problem } from './problems.ts';

/**
 * Collects the first problem document that a test provoked for each refusal: the samples of the error pages. With
 * SAMPLES=write they replace the files, otherwise the files must equal them.
 */
export function createSamples() {
  const found = new Map<string, RefusalSample>();
  return {
    take(name: string, { detail, errors, entityType }: Problem): void {
      if (found.has(name)) return;
      const sample = { detail, ...(errors && { errors }), ...(entityType && { entityType }) };
      found.set(name, timeless(sample));
    },
    check(): void {
      for (const [component, refusals] of Object.entries(COMPONENTS)) {
        const own = [...found].filter(([name]) => name in refusals);
        const samples = Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)));
        const path = join(RESOURCES, component, 'samples.json');
        if (process.env['SAMPLES'] === 'write') {
          writeFileSync(path, `${JSON.stringify(samples, null, 2)}\n`);
        } else {
          const written: unknown = JSON.parse(readFileSync(path, 'utf8'));
          expect(samples, 'run npm run samples').to.deep.equal(written);
        }
      }
    },
  };
}

/** Replaces ids and instants, which differ from run to run, by fixed ones. */
function timeless(sample: RefusalSample): RefusalSample {
  const ids: string[] = [];
  const text = JSON.stringify(sample)
    .replace(UUID, (id) => {
      if (!ids.includes(id)) ids.push(id);
      return `0197f3a0-2222-7aaa-8bbb-${String(ids.indexOf(id) + 1).padStart(12, '0')}`;
    })
    .replace(INSTANT, '2026-01-05T10:00:00.000000Z');
  return JSON.parse(text) as RefusalSample;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const INSTANT = /20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/g;
const RESOURCES = join(import.meta.dirname, '..', '..', 'src', 'resources');
const COMPONENTS = {
  access: accessRefusals,
  fees: feeRefusals,
  ledger: ledgerRefusals,
  registry: registryRefusals,
  settings: settingsRefusals,
  streaming: streamingRefusals,
};
