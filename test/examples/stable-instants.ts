/** Finds every instant in a body. */
export const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/**
 * Returns what to show for the instants of a body, except those that are kept. Their order stays; those less than a
 * minute and a half apart are shown a minute apart, however long the requests took.
 */
export function stableInstants(body: unknown, kept: ReadonlySet<string>): (text: string) => string {
  const found = [...JSON.stringify(body ?? null).matchAll(INSTANT)].map(([text]) => inMicros(text));
  const real = [...new Set(found)].filter((one) => !kept.has(one)).sort();
  const shown = new Map<string, string>();
  let shownMs = DAY_MS;
  for (const [n, one] of real.entries()) {
    if (n > 0) shownMs += MINUTE_MS * minutesBetween(real[n - 1]!, one);
    shown.set(one, new Date(shownMs).toISOString().replace('Z', '000Z'));
  }
  return (text) => asPrecise(shown.get(inMicros(text)) ?? text, text);
}

/** Writes an instant with six fractional digits, so that equal ones are equal texts. */
export function inMicros(text: string): string {
  const [seconds = '', fraction = ''] = text.slice(0, -1).split('.');
  return `${seconds}.${fraction.padEnd(6, '0')}Z`;
}

const minutesBetween = (from: string, to: string): number =>
  Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / MINUTE_MS));

/** Shows an instant with as many digits as the real one. */
const asPrecise = (shown: string, { length }: string): string =>
  length < 'YYYY-MM-DDThh:mm:ss.Z'.length
    ? `${shown.slice(0, 19)}Z`
    : `${shown.slice(0, length - 1)}Z`;

/** The time of the examples. */
export const DAY_MS = Date.parse('2026-01-05T10:00:00Z');
const MINUTE_MS = 60_000;
