import { balanceProjection } from '#projections/ledger/balance.ts';
import { projections } from '#src/bootstrap/projections.ts';
import { memoryReadStore, memoryReadStoreWriter } from '#test/doubles/memory/read-store.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import type { Journals } from '#src/journal/journals.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { EventStore, Position } from '#src/ports/event-store.ts';
import type { JournalIndex } from '#src/ports/journal-index.ts';
import type { CollectionSpec, ReadStoreWriter, Row } from '#src/ports/read-store.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { createProgress, type SeenRevisions } from '#src/runtime/progress.ts';
import { createProjector } from '#src/runtime/project.ts';
import type { World } from './world.ts';

/** The read side of one process, as its start would wire it. */
export type Reading = Readonly<{
  /** The index and the rows have reached the end of the log once. */
  caughtUp: Promise<void>;
  acknowledged: (journal: string, revision: number, position: Position) => void;
  /** A row once it shows what was written. Errors: Refusal UNAVAILABLE, Unavailable. */
  row: (
    collection: string,
    id: string,
    journal: string,
    token?: SeenRevisions,
  ) => Promise<Row | undefined>;
}>;

type Options = Readonly<{
  world: World;
  name: string;
  scheduler: Scheduler;
  store: EventStore;
  index: JournalIndex;
  journals: Pick<Journals, 'indexed'>;
}>;

export function openReading({ world, name, scheduler, store, index, journals }: Options): Reading {
  const progress = createProgress(store, scheduler);
  const rows = memoryReadStore(world.rows, scheduler);
  let done = (): void => undefined;
  const caughtUp = new Promise<void>((resolve) => (done = resolve));

  const projector = createProjector({
    log: store,
    writer: sometimesAway(memoryReadStoreWriter(world.rows, scheduler), world),
    index,
    indexTable,
    scheduler,
    projections,
    onProgress(report) {
      journals.indexed(report.indexed);
      progress.projected(report);
      if (report.caughtUp) done();
    },
    onFault: ({ message }) => world.fail(`${name}: ${message}`),
  });
  void projector.run();

  return {
    caughtUp,
    acknowledged(journal, revision, position) {
      progress.acknowledged(journal, revision, position);
      projector.wake();
    },
    async row(collection, id, journal, token) {
      await progress.reached(collection, journal, token);
      if (world.simFaults.readsFail()) throw new Unavailable('The read store is away');
      return rows.get(specs.get(collection) ?? balanceProjection.collection, { id });
    },
  };
}

const specs = new Map<string, CollectionSpec>(
  projections.map(({ collection }) => [collection.name, collection]),
);

/** What fails before it was tried, and what was done but not heard of. */
function sometimesAway(writer: ReadStoreWriter, { simFaults }: World): ReadStoreWriter {
  const faulty = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (simFaults.readsFail()) throw new Unavailable('The read store is away');
    const result = await work();
    if (simFaults.readsFail()) throw new Unavailable('The read store went away');
    return result;
  };
  return {
    open: (logId, collections) => faulty(() => writer.open(logId, collections)),
    anchors: () => faulty(() => writer.anchors()),
    forget: () => faulty(() => writer.forget()),
    apply: (batch) => faulty(() => writer.apply(batch)),
    current: (collection, ids) => faulty(() => writer.current(collection, ids)),
    indexMetadata: () => faulty(() => writer.indexMetadata()),
    swap: (collection) => faulty(() => writer.swap(collection)),
    close: () => writer.close(),
  };
}
