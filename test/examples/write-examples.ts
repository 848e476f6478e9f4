import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { components } from '#src/components/index.ts';
import { mounted } from '#src/http/mounted.ts';
import type { OperationExamples } from '#src/http/operation-examples.ts';
import type { Recorded } from './recorder.ts';

/** Writes the examples of each component. Those that equal the ones of an earlier operation name it instead. */
export async function writeExamples(recorded: Recorded): Promise<void> {
  for (const { name, mounts, routes } of components) {
    const served = (await routes()).routes.flatMap((route) => mounted(route, mounts));
    const written: [id: string, examples: OperationExamples][] = [];
    const entries = served.flatMap(({ operationId }) => {
      const examples = recorded.get(operationId);
      if (examples === undefined) return [];
      const same = written.find(([, others]) => isDeepStrictEqual(others, examples))?.[0];
      if (same === undefined) written.push([operationId, examples]);
      return [[operationId, same ?? examples] as const];
    });
    if (entries.length === 0) continue;
    const path = join(RESOURCES, name, 'examples.json');
    writeFileSync(path, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  }
}

const RESOURCES = join(import.meta.dirname, '..', '..', 'src', 'resources');
