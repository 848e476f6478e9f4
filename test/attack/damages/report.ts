import type { Outcome } from './round.ts';

/** One line a kind of damage: rounds, what became of the log, and how many rounds had which flaw. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const kinds = Map.groupBy(outcomes, ({ did }) => kindOf(did));
  const lines = [...kinds].map(([kind, rounds]) => {
    const refused = rounds.filter((round) => round.refused).length;
    const logs = countsOf(rounds.map(({ log }) => log).filter((log) => log !== 'whole'));
    const flaws = countsOf(
      rounds.flatMap(({ found }) => [...new Set(found.map(({ flaw }) => flaw))]),
    );
    const slowest = Math.round(Math.max(...rounds.map(({ ms }) => ms)));
    return `      ${kind}: ${rounds.length} rounds, slowest ${slowest} ms, ${refused} refused ${logs} ${flaws}`;
  });
  return lines.join('\n');
}

/** Nothing when there are none; else the first of them, each with what plays it again. */
export function describeFlaws(outcomes: readonly Outcome[]): string {
  const flawed = outcomes.filter(({ found }) => found.length > 0);
  if (flawed.length === 0) return '';
  const shown = flawed.slice(0, SHOWN).map(({ name, did, log, found }) => {
    const [first] = found;
    return `DAMAGE=${name} (${did.join('; ')}; log ${log}): ${first?.flaw}: ${first?.what}`;
  });
  return [`${flawed.length} of ${outcomes.length} rounds:`, ...shown].join('\n');
}

const kindOf = (did: readonly string[]): string =>
  did
    .map((one) => one.split(':')[0] ?? '')
    .slice(0, -1)
    .join(' + ');

function countsOf(names: readonly string[]): string {
  const counts = Map.groupBy(names, (name) => name);
  const text = [...counts].map(([name, all]) => `${name} ${all.length}`).join(', ');
  return text === '' ? '' : `(${text})`;
}

const SHOWN = 12;
