import { closeSync, openSync } from 'node:fs';
import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { systemIds } from '#src/adapters/system.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import { appendRunsOf } from './append-runs.ts';
import { CliError, failed, readArguments, type Command } from './command.ts';
import { counted } from './output.ts';
import { eventsOfFile } from './source-file.ts';
import { createLogIn } from './new-log.ts';
import { resultIfDifferent, soundResult, verifySource, type Sink } from './pipeline.ts';

export const importCommand: Command = {
  name: 'import',
  takes: '<file | -> <empty folder>',
  does: 'create a data folder from exported events, verifying them on the way',
  help: `Reads the output of export, or one downloaded journal; - reads stdin. Events keep their
ids, bytes and order, in a log with a new id. If an event does not match, or there are no
events, nothing is imported.`,
  document: '{ sound, logId, events, journals } or { sound, difference }',

  async run(args, { print }) {
    const { positionals } = readArguments(args, ['The file', 'The empty folder'], {});
    const [file = '', to = ''] = positionals;
    mustBeReadable(file);
    return createLogIn(to, async (partial) => {
      const store = await openEmbeddedEventStore(partial, { ids: systemIds(), onFatal: () => {} });
      try {
        const sink = appendTo(store);
        const checked = await verifySource(eventsOfFile(file), 'Events imported', { sink });
        const different = resultIfDifferent(checked, print, 'Nothing was imported.');
        if (different !== undefined) return different;
        const { events, journals } = checked;
        if (events === 0) throw new CliError(`${file} holds no events: nothing was imported.`);
        print(
          `Imported ${counted(events, 'event')} in ${counted(journals.length, 'journal')} as log ${store.logId}.`,
        );
        return soundResult(checked, { logId: store.logId });
      } finally {
        await store.close();
      }
    });
  },
};

/** Errors: CliError, before a folder is created for nothing. */
function mustBeReadable(file: string): void {
  try {
    if (file !== '-') closeSync(openSync(file, 'r'));
  } catch (cause) {
    throw failed(`${file} cannot be read`, cause);
  }
}

/** Appends in the order of the lines; appends that are issued together are committed together. */
function appendTo(store: EventStore): Sink {
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
    take(items) {
      for (const { journal, events: run } of appendRunsOf(items)) {
        const append = store.append(journal, run, run[0]!.revision - 1);
        append.catch(() => undefined); // It may fail before it is waited for.
        waiting.push(append);
      }
      events += items.length;
      return events < EVENTS_AT_ONCE ? undefined : end();
    },
  };
}

const EVENTS_AT_ONCE = 4096;
