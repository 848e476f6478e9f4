import { projections } from '#projections/catalog.ts';
import { MemoryEventStore } from '#src/adapters/memory/event-store.ts';
import { MemoryIndexData, MemoryJournalIndex } from '#src/adapters/memory/journal-index.ts';
import {
  createReadMemory,
  memoryReadStoreWriter,
  type ReadMemory,
} from '#src/adapters/memory/read-store.ts';
import { createProjector } from '#src/runtime/project.ts';
import type { Books } from './books.ts';
import { insist, type Chronicle } from './chronicle.ts';
import type { Desk } from './desk.ts';
import { units } from './books.ts';
import type { Process } from './process.ts';
import type { Request } from './request.ts';
import type { World } from './world.ts';

type Options = Readonly<{
  world: World;
  chronicle: Chronicle;
  books: Books;
  desk: Desk;
  processes: () => readonly Process[];
  requests: readonly Request[];
}>;

/** The full check at the end, after one more restart and without any more faults. Throws at what is wrong. */
export async function verify(options: Options): Promise<void> {
  const { world, books, processes } = options;
  const [process] = processes();
  if (process === undefined) throw new Error('No process is left');
  await process.reading.caughtUp;
  await process.resumed;

  await checkKeys(options, process);
  for (const { id, reserved, settled } of books.organizations.values()) {
    const lost = [...reserved].filter((ledger) => !settled.has(ledger));
    insist(
      lost.length === 0,
      `Organization ${id} has ledgers that were never opened: ${lost.join()}`,
    );
  }
  await untilProjected(options, process);
  const fresh = await foldAnew(world);
  checkRows(world.rows, fresh.rows);
  checkIndex(world.index, fresh.index);
  checkReached(world.index, options.chronicle);
  checkBalances(world.rows, books);
}

/** Every key of the log, from the oldest on, still stands for its event. */
async function checkKeys({ chronicle, desk, requests }: Options, process: Process): Promise<void> {
  const keyed = requests.filter(
    ({ key, ttlSeconds }) => key !== undefined && ttlSeconds === undefined,
  );
  for (const request of keyed) {
    const [use] = chronicle.usesOf(request.journal.name, request.key ?? '');
    if (use?.metadata.requestHash !== request.hash) continue;
    const answer = await desk.ask(request, process);
    const right = request.tenantId === 'default' && answer === 'done';
    insist(
      right,
      `The key ${request.key ?? ''} of ${use.stored.stream} was not found again: ${answer}`,
    );
  }
}

async function untilProjected({ world }: Options, process: Process): Promise<void> {
  const last = world.log.readAll('' as never, 1e9).at(-1);
  if (last === undefined) return;
  const scheduler = world.loom.scheduler({ name: 'the final check' });
  process.reading.acknowledged(last.stream, last.revision, last.position);
  while (world.index.checkpoint < last.position) await scheduler.sleep(10);
  await scheduler.sleep(1_000);
}

async function foldAnew({
  log,
  loom,
}: World): Promise<{ rows: ReadMemory; index: MemoryIndexData }> {
  const scheduler = loom.scheduler({ name: 'the fresh fold' });
  const rows = createReadMemory();
  const data = new MemoryIndexData();
  const projector = createProjector({
    log: new MemoryEventStore({ scheduler, log }),
    writer: memoryReadStoreWriter(rows, scheduler),
    index: new MemoryJournalIndex({ scheduler, data }),
    scheduler,
    projections,
    onProgress: ({ caughtUp }) => caughtUp && void projector.stop(),
    onFault: ({ message }) => {
      throw new Error(message);
    },
  });
  await projector.run();
  return { rows, index: data };
}

function checkRows(lived: ReadMemory, fresh: ReadMemory): void {
  for (const { collection } of projections) {
    const { name } = collection;
    const rows = lived.collections.get(name)?.live.rows ?? new Map<string, unknown>();
    const expected = fresh.collections.get(name)?.live.rows ?? new Map<string, unknown>();
    insist(rows.size === expected.size, `${name} has ${rows.size} rows, not ${expected.size}`);
    for (const [id, row] of expected) {
      const same = JSON.stringify(rows.get(id)) === JSON.stringify(row);
      insist(
        same,
        `${name} ${id} differs from a fresh fold: ${JSON.stringify([rows.get(id), row])}`,
      );
    }
  }
}

function checkIndex(lived: MemoryIndexData, fresh: MemoryIndexData): void {
  const texts = ({ journals, reached }: MemoryIndexData): string[] => [
    ...[...reached].map((pair) => pair.join(' reached ')),
    ...[...journals].flatMap(([journal, kinds]) =>
      [...kinds].flatMap(([kind, keys]) =>
        [...keys].map(([key, revision]) => `${journal} ${kind} ${key} ${revision}`),
      ),
    ),
  ];
  const [is, expected] = [texts(lived).sort(), texts(fresh).sort()];
  const wrong = expected.find((line, n) => line !== is[n]) ?? is[expected.length];
  insist(wrong === undefined, `The index differs from a fresh fold at: ${wrong ?? ''}`);
}

/** The same without the program's own fold. */
function checkReached(index: MemoryIndexData, chronicle: Chronicle): void {
  for (const journal of chronicle.journals()) {
    const reached = index.reached.get(journal);
    const head = chronicle.headOf(journal);
    insist(reached === head, `The index has ${journal} up to ${reached ?? -1}, not ${head}`);
  }
  for (const { journal, key, uses } of chronicle.keys()) {
    const found = index.journals.get(journal)?.get('idempotency')?.get(key);
    insist(
      found === uses.at(-1)?.stored.revision,
      `The index has not the key ${key} of ${journal}`,
    );
  }
}

/** What readers are shown is what the simulator's own books say. */
function checkBalances(rows: ReadMemory, { ledgers }: Books): void {
  const shown = rows.collections.get('balance')?.live.rows;
  for (const { id, accounts } of ledgers.values()) {
    for (const { balanceId, available, version, alias } of accounts.values()) {
      const values = shown?.get(balanceId)?.values;
      const right =
        units(String(values?.['available'])) === available && values?.['version'] === version;
      insist(right, `Ledger ${id} shows ${alias} as ${JSON.stringify(values)}, not ${available}`);
    }
  }
}
