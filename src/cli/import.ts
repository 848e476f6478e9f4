import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { systemIds } from '#src/adapters/system.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { EventStore, NewEvent } from '#src/ports/event-store.ts';
import { CliError, EXIT, readArguments, type Command } from './command.ts';
import { counted, progressOf, print } from './output.ts';
import { eventsOfFile } from './source-file.ts';
import type { SourceItem } from './reads.ts';
import { makeLogIn } from './target.ts';
import { printDifference, verifySource } from './verify-source.ts';

export const importCommand: Command = {
  name: 'import',
  takes: '<file | -> <empty folder>',
  does: 'create a data folder from exported events, verifying them on the way',
  help: `Reads the output of export, or one downloaded journal; - reads stdin. Events keep their
ids, bytes and order, in a log with a new id. If an event does not match, or there are no
events, nothing is imported.`,

  async run(args) {
    const { positionals } = readArguments(args, ['The file', 'The empty folder'], {});
    const [file = '', to = ''] = positionals;
    let code: number = EXIT.difference;
    await makeLogIn(to, async (partial) => {
      const store = await openEmbeddedEventStore(partial, { ids: systemIds(), onFatal: () => {} });
      try {
        const appending = appendingTo(store);
        const progress = progressOf('Events imported');
        const checked = await verifySource(eventsOfFile(file), progress, {
          also: appending.take,
        });
        await appending.end();
        if (printDifference(checked, 'Nothing was imported.')) return false;
        const { events, journals } = checked;
        if (events === 0) throw new CliError(`${file} holds no events: nothing was imported.`);
        print(
          `Imported ${counted(events, 'event')} in ${counted(journals.length, 'journal')} as log ${store.logId}.`,
        );
      } finally {
        await store.close();
      }
      code = EXIT.fine;
      return true;
    });
    return code;
  },
};

/** Appends in the order of the lines; appends that are issued together are committed together. */
function appendingTo(store: EventStore) {
  let waiting: Promise<unknown>[] = [];
  let events = 0;

  const end = async (): Promise<void> => {
    const issued = waiting;
    waiting = [];
    events = 0;
    await Promise.all(issued);
  };
  return {
    end,
    take: (reads: readonly SourceItem[]): Promise<void> | undefined => {
      for (const run of runsOf(reads)) {
        const [{ journal, event }] = run;
        waiting.push(store.append(journal ?? '', run.map(newEvent), event.revision - 1));
      }
      events += reads.length;
      return events < EVENTS_AT_ONCE ? undefined : end();
    },
  };
}

type Run = [SourceItem, ...SourceItem[]];

/** Neighbours of one journal. */
function runsOf(reads: readonly SourceItem[]): Run[] {
  const runs: Run[] = [];
  for (const read of reads) {
    const run = runs.at(-1);
    if (run !== undefined && run[0].journal === read.journal) run.push(read);
    else runs.push([read]);
  }
  return runs;
}

const newEvent = ({ event: { id, type, data, metadata } }: SourceItem): NewEvent => ({
  ...{ type, data, metadata },
  id: id as Uuid,
});

const EVENTS_AT_ONCE = 4096;
