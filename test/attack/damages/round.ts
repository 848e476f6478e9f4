import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '#src/cli/command.ts';
import { replayCommand } from '#src/cli/replay.ts';
import type { Run } from '#test/support/hosted-server.ts';
import { chanceOf, type Chance } from '#test/support/random.ts';
import { removeFolder } from '#test/support/server.ts';
import { Asking, Stuck, type Found, type Strictness } from './asking.ts';
import { copyFolder, type Bank, type Keyed } from './bank.ts';
import { checkEnds, checkNew, checkReads, checkRepeats } from './checks.ts';
import { bare, damage, isToWal, kindsOf, type DamagedFile } from './damage.ts';
import { addedTo, stateOfLog, verify, type LogState } from './log-state.ts';
import { checkPrefix } from './prefix.ts';

/** Runs a server on a folder. */
export type Start = (dir: string) => Promise<Run>;

/** One damage, or one to each of several files, which the seed and the number repeat exactly. */
export type Plan = Readonly<{ seed: number; files: readonly DamagedFile[]; number: number }>;

export type Outcome = Readonly<{
  name: string;
  /** What was done to which file. */
  did: readonly string[];
  log: LogState['is'];
  /** Whether the server refused to start, as it may when the log is damaged. */
  refused: boolean;
  found: readonly Found[];
  ms: number;
}>;

export async function playRound(bank: Bank, plan: Plan, start: Start): Promise<Outcome> {
  const name = `${plan.files.join('+')}/${plan.number}`;
  const chance = chanceOf(seedOf(`${plan.seed} ${name}`));
  const kinds = plan.files.map((file) => kindOf(file, plan, chance));
  const dir = copyFolder(kinds.some(isToWal) ? bank.killed : bank.stopped);
  const from = performance.now();
  try {
    const did = plan.files.map((file, n) => {
      const kind = kinds[n] ?? '';
      return `${file} ${kind}: ${damage(dir, file, kind, chance, bank)}`;
    });
    did.push(chance.is(0.5) ? `only databases, without ${bare(dir) || 'more'}` : 'with all files');
    const log = await stateOfLog(dir, bank);
    const unsealed = plan.files.includes('read') && !existsSync(join(dir, 'read.db.seal'));
    const damaged = unsealed ? copyFolder(dir) : undefined;
    const { found, refused } = await playOn(bank, dir, log, chance, start);
    const flaws = damaged === undefined ? found : await exceptPromised(found, damaged);
    return { name, did, log: log.is, refused, found: flaws, ms: performance.now() - from };
  } finally {
    removeFolder(dir);
  }
}

/**
 * A bit that flips inside a row of a read model without a seal may be shown (docs/security.md): no decision rests on it,
 * and `quipu replay` must find it in the folder as it was before the server started.
 */
async function exceptPromised(found: readonly Found[], damaged: string): Promise<readonly Found[]> {
  try {
    const isShown = ({ flaw, what }: Found): boolean => flaw === 'wrong' && what.startsWith('GET ');
    if (!found.some(isShown)) return found;
    const output = {
      isJson: false,
      print: (line: string) => void process.stdout.write(`${line}\n`),
    };
    const { exitCode } = await replayCommand.run([damaged], output);
    return exitCode === EXIT.difference ? found.filter((one) => !isShown(one)) : found;
  } finally {
    removeFolder(damaged);
  }
}

/** Every kind in turn, or by chance where files are damaged together. */
function kindOf(file: DamagedFile, { files, number }: Plan, chance: Chance): string {
  const kinds = kindsOf(file);
  return files.length > 1 ? chance.pick(kinds) : (kinds[number % kinds.length] ?? '');
}

async function playOn(bank: Bank, dir: string, log: LogState, chance: Chance, start: Start) {
  const found: Found[] = [];
  const note = (flaw: Found['flaw'], what: string) => void found.push({ flaw, what });
  let refused = false;
  const using = async (use: (asking: Asking) => Promise<void>): Promise<void> => {
    const run = await start(dir).catch((error: unknown) => {
      note('died', String(error));
      return undefined;
    });
    if (run === undefined) return;
    if (run.port === undefined) {
      refused = true;
      await run.stop(); // What it said last may still be on its way.
      if (log.is === 'whole') note('refused', `${run.code()}: ${run.output()}`);
      else if (!isClean(run)) note('refused', `not cleanly, ${run.code()}: ${run.output()}`);
      return;
    }
    const asking = new Asking(run, log.is === 'damaged' ? 'lenient' : 'strict');
    await use(asking).catch((error: unknown) => {
      if (!(error instanceof Stuck)) throw error;
    });
    asking.client.close();
    found.push(...asking.found);
    const code = await run.stop().catch(String);
    if (code !== 0 && log.is === 'whole') note('died', `It ended with ${code}: ${run.output()}`);
    if (log.is === 'prefix' && !/warn|error/i.test(run.output())) note('silent', run.output());
  };

  if (log.is === 'damaged' && log.isSound) note('unnoticed', `verify says ${log.why}`);
  if (log.is === 'none') {
    await using(async () => note('wrong', 'It started without its log'));
  } else if (log.is === 'foreign') {
    await using((asking) => checkReads(asking, bank.foreignAnswers, chance, 'strict'));
  } else if (log.is === 'prefix') {
    await using((asking) => checkPrefix(asking, bank, log.events));
  } else {
    await playWhole(bank, dir, log, chance, using, note);
  }
  return { found, refused };
}

async function playWhole(
  bank: Bank,
  dir: string,
  log: LogState,
  chance: Chance,
  using: (use: (asking: Asking) => Promise<void>) => Promise<void>,
  note: (flaw: Found['flaw'], what: string) => void,
): Promise<void> {
  const how: Strictness = log.is === 'whole' ? 'strict' : 'lenient';
  const made: Keyed[] = [];
  let flaws = 0;
  await using(async (asking) => {
    const checks = [
      () => checkRepeats(asking, bank.keyed, chance, how),
      () => checkReads(asking, bank.answers, chance, how),
    ];
    if (chance.is(0.5)) checks.reverse();
    for (const check of checks) await check();
    for (const done of bank.done) {
      await checkEnds(asking, done, how);
      const keyed = await checkNew(asking, done, bank, how);
      if (keyed !== undefined) made.push(keyed);
    }
    flaws = asking.found.length;
  });
  if (chance.is(0.2)) {
    await using(async (asking) => {
      await checkRepeats(asking, [...bank.keyed, ...made], chance, how);
    });
  }
  if (how === 'lenient' || flaws > 0 || made.length === 0) return;
  const { lost, added } = addedTo(dir, bank);
  if (lost > 0) note('log', `${lost} events are not what they were`);
  if (added.length !== 2 * made.length) {
    note(
      'doubled',
      `The log has ${added.length} new events: ${added.map(({ type }) => type).join()}`,
    );
  }
  const { isSound, why } = await verify(dir);
  if (!isSound) note('log', `verify says ${why}`);
}

/** Exit code and reason for whoever operates it, and nothing of the program's inside. */
function isClean(run: Run): boolean {
  const output = run.output();
  const isReason = output.includes('log.db') && !/^ {4}at /m.test(output);
  return isReason && (run.code() === 74 || run.code() === 78);
}

function seedOf(text: string): number {
  let seed = 0x811c9dc5;
  for (const unit of text) seed = Math.imul(seed ^ unit.charCodeAt(0), 0x01000193);
  return seed >>> 0;
}
