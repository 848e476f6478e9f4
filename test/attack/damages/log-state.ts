import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifySource } from '#src/cli/pipeline.ts';
import { eventsOfFolder } from '#src/cli/source-folder.ts';
import { removeFolder } from '#test/support/server.ts';
import { copyFolder, type Bank } from './bank.ts';
import { readEvents, sameEvent } from './log-events.ts';

/** What a damage did to the log, by its file alone; and what `verify` says of it. */
export type LogState = Readonly<{
  /**
   * `whole`: every event, and a sound file. `prefix`: the last events are gone, which a file alone cannot tell.
   * `foreign`: a log of another bank. `none`: no log any more. `damaged`: anything else.
   */
  is: 'whole' | 'prefix' | 'foreign' | 'none' | 'damaged';
  /** How many events there are from the beginning on as they were. */
  events: number;
  isSound: boolean;
  why: string;
}>;

/** Looks at a copy: opening a log changes what is beside it. */
export async function stateOfLog(dir: string, bank: Bank): Promise<LogState> {
  const copy = copyFolder(dir);
  const { isSound, why } = await verify(copy);
  try {
    const events = readEvents(copy);
    const same = events.findIndex((event, n) => !sameEvent(event, bank.events[n]));
    const count = same < 0 ? events.length : same;
    const state = { events: count, isSound, why };
    if (events.length === 0) return { ...state, is: 'none' };
    if (count === 0 && isSound) return { ...state, is: 'foreign' };
    if (same >= 0 || !isIntact(copy)) return { ...state, is: 'damaged' };
    return { ...state, is: count === bank.events.length ? 'whole' : 'prefix' };
  } catch (error) {
    const isGone = String(error).includes('no such table');
    return { is: isGone ? 'none' : 'damaged', events: 0, isSound, why: `${why} ${String(error)}` };
  } finally {
    removeFolder(copy);
  }
}

export async function verify(dir: string): Promise<Readonly<{ isSound: boolean; why: string }>> {
  try {
    const { difference, events } = await verifySource(eventsOfFolder(dir));
    return { isSound: difference === undefined, why: difference?.what ?? `${events} events` };
  } catch (error) {
    return { isSound: false, why: String(error) };
  }
}

/** Whether SQLite finds nothing: an index of the table of events may be damaged while the events are not. */
function isIntact(dir: string): boolean {
  const db = new DatabaseSync(join(dir, 'log.db'));
  try {
    const [row] = db.prepare('PRAGMA integrity_check').all();
    return row?.['integrity_check'] === 'ok';
  } finally {
    db.close();
  }
}

/** The log of a folder with events at its end that were not there, once a server has run on it. */
export function addedTo(dir: string, bank: Bank) {
  const events = readEvents(dir);
  const lost = bank.events.filter((event, n) => !sameEvent(event, events[n])).length;
  return { lost, added: events.slice(bank.events.length) };
}
