import { once } from 'node:events';
import { fstatSync, writeSync } from 'node:fs';
import { CliError, failed } from './command.ts';

/** Writes a result to stdout. */
export function print(text: string): void {
  write(`${text}\n`);
}

/** Returns false if the reader should be waited for. */
function write(text: string): boolean {
  stdout.isFile ??= fstatSync(process.stdout.fd).isFile();
  if (!stdout.isFile) return process.stdout.write(text);
  try {
    writeAll(process.stdout.fd, text); // A stream of Node takes a part of a text for all of it when the disk is full.
  } catch (fault) {
    stdout.fault ??= fault as NodeJS.ErrnoException;
  }
  return true;
}

/** Writes all of a text to a file. Errors: those of the system, such as ENOSPC. */
export function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** Writes a diagnostic to stderr, so that results can be piped. */
export function warn(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Writes to stdout no faster than its reader reads. Errors: CliError when stdout takes no more. */
export async function pipe(text: string): Promise<void> {
  if (stdout.fault === undefined && !write(text)) {
    await once(process.stdout, 'drain').catch(() => undefined); // The fault is known then.
  }
  if (stdout.fault !== undefined) throw incomplete(stdout.fault);
}

/** Resolves when stdout has all that was piped. Errors: CliError when it does not take all of it. */
export async function allPiped(): Promise<void> {
  const fault = await stdoutFault();
  if (fault !== undefined) throw incomplete(fault);
}

const incomplete = (fault: NodeJS.ErrnoException): CliError =>
  fault.code === READER_GONE
    ? new CliError('The reader of stdout has closed before it was given everything.')
    : stdoutFailed(fault);

/** Explains that stdout cannot be written. */
export const stdoutFailed = (fault: NodeJS.ErrnoException): CliError =>
  failed('stdout cannot be written', fault);

/**
 * Keeps the process alive when stdout takes no more, as on a full disk or in `quipu … | head`: what a command does and
 * finds does not depend on who reads it.
 */
export function outliveStdout(): void {
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    stdout.fault ??= fault;
  });
}

const stdout: { isFile?: boolean; fault?: NodeJS.ErrnoException } = {};

/** Resolves when everything printed is written, with the error if it is not. */
export async function stdoutFault(): Promise<NodeJS.ErrnoException | undefined> {
  await new Promise<void>((resolve) => {
    process.stdout.write('', () => {
      setImmediate(resolve); // An error is emitted after the callback.
    });
  });
  return stdout.fault;
}

/** The code of the error of a pipe whose reader has closed. */
export const READER_GONE = 'EPIPE';

/** Formats a count: `1 journal`, `2 journals`, `2 hashes` */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${n} ${n === 1 ? one : many}`;

/** Counts the items of a list, for the progress of work on each. */
export async function countOf(list: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of list) count += 1;
  return count;
}

/** Reports how much is done, and of how much if that is known. It is cheap enough to call for every slice of work. */
export type ReportProgress = (done: number, of?: number) => void;

/** Reports the progress of long work on stderr: in one updated line on a terminal, otherwise every few seconds. */
export async function withProgress<Result>(
  label: string,
  work: (report: ReportProgress) => Promise<Result> | Result,
): Promise<Result> {
  const terminal = process.stderr.isTTY;
  const everyMs = terminal ? TERMINAL_MS : ELSEWHERE_MS;
  const startedMs = performance.now();
  let shownMs = startedMs;
  const state = { isShown: false };
  const report: ReportProgress = (done, of) => {
    const nowMs = performance.now();
    if (nowMs - shownMs < everyMs) return;
    shownMs = nowMs;
    const text = `${label}: ${progressText(done, of, nowMs - startedMs)}`;
    process.stderr.write(terminal ? `\r${text}\u001b[K` : `${text}\n`);
    state.isShown = true;
  };
  try {
    return await work(report);
  } finally {
    if (state.isShown && terminal) process.stderr.write('\r\u001b[K');
  }
}

/** Does work on each item of a list, one after the other, with progress. It lists twice, to know how many there are. */
export async function eachWithProgress<Item>(
  label: string,
  list: () => AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const of = await countOf(list());
  await withProgress(label, async (report) => {
    let done = 0;
    for await (const item of list()) {
      await work(item);
      done += 1;
      report(done, of);
    }
  });
}

/** Formats progress: `1200 of 4000, 30 %, 600/s, 5 s to go`, or `1200, 600/s` where the end is not known. */
export function progressText(done: number, of: number | undefined, elapsedMs: number): string {
  const perSecond = Math.round(done / (elapsedMs / 1000));
  if (of === undefined || of === 0) return `${done}, ${perSecond}/s`;
  const percent = Math.min(100, Math.floor((done / of) * 100));
  const share = `${done} of ${of}, ${percent} %, ${perSecond}/s`;
  return perSecond === 0
    ? share
    : `${share}, ${Math.ceil(Math.max(0, of - done) / perSecond)} s to go`;
}

const TERMINAL_MS = 200;
const ELSEWHERE_MS = 3000;
