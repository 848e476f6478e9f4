import { readFileSync } from 'node:fs';
import { KeptHashes, type KeptHash } from '#src/verify/kept-hashes.ts';
import type { Summary } from '#src/verify/journal.ts';
import { CliError, failed } from './command.ts';
import { counted } from './output.ts';

/** The line that verify prints for a journal, which readKeptHashes reads back. */
export function journalText({ journal, events, transactions, hash }: Summary): string {
  const moved = transactions === 0 ? '' : `, ${counted(transactions, 'transaction')}`;
  return `${journal}: ${counted(events, 'event')}${moved}, last hash ${hash}`;
}

/** The line that verify prints last. */
export const soundText = (events: number, journals: number, kept: number): string =>
  `Sound: ${counted(events, 'event')} in ${counted(journals, 'journal')}` +
  `${kept === 0 ? '' : `; ${counted(kept, 'kept hash', 'kept hashes')} found`}.`;

/**
 * Reads the output of one or several earlier runs of verify. Errors: CliError for a file that cannot be read, that is
 * not such an output, or that lacks a line, because an incomplete comparison would prove less than it seems to.
 */
export function readKeptHashes(path: string): KeptHashes {
  const kept = new Map<string, KeptHash>();
  let ofThisRun = 0;
  for (const [n, line] of linesOf(path).entries()) {
    const found = journalIn(line);
    const journals = SOUND.exec(line)?.[1];
    if (found !== undefined) {
      const place = `${found.journal}@${found.revision}`;
      if ((kept.get(place)?.hash ?? found.hash) !== found.hash) {
        throw new CliError(`${path} has two different hashes for ${place}.`);
      }
      kept.set(place, found);
      ofThisRun += 1;
    } else if (journals !== undefined) {
      if (ofThisRun !== Number(journals)) {
        throw new CliError(`${path} has ${ofThisRun} of the ${journals} journals of "${line}".`);
      }
      ofThisRun = 0;
    } else if (line !== '' && !UNKNOWN_TYPE.test(line)) {
      throw new CliError(`Line ${n + 1} of ${path} is not a line that verify prints.`);
    }
  }
  if (kept.size === 0)
    throw new CliError(`${path} holds no hashes, so there is nothing to compare.`);
  return new KeptHashes([...kept.values()]);
}

function journalIn(line: string): KeptHash | undefined {
  const [, journal, events, hash] = JOURNAL.exec(line) ?? [];
  if (journal === undefined || hash === undefined) return undefined;
  return { journal, revision: Number(events) - 1, hash };
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/);
  } catch (cause) {
    throw failed(`${path} cannot be read`, cause);
  }
}

const JOURNAL =
  /^(\S+): ([1-9]\d{0,14}) events?(?:, \d+ transactions?)?, last hash ([0-9a-f]{64})$/;
const UNKNOWN_TYPE = /^ {2}\S/;
const SOUND = /^Sound: \d+ events? in (\d+) journals?(?:; .*)?\.$/;
