import fc from 'fast-check';
import { formatScript } from '#test/support/format-script.ts';
import { anyScript } from '#test/support/any-script.ts';
import type { Random } from '#test/sim/random.ts';

/** Texts that may be scripts: changed ones, random tokens, and what is meant to be slow. Endless. */
export function* anyTexts(seed: number, chance: Random): Generator<string> {
  const scripts = fc.sample(anyScript, { seed, numRuns: 2000 }).map(formatScript);
  yield* LARGE;
  for (;;) {
    const script = chance.pick(scripts);
    if (chance.oneIn(4)) yield tokens(chance);
    else if (chance.oneIn(50)) yield script;
    else yield changed(script, scripts, chance);
  }
}

function changed(script: string, others: readonly string[], chance: Random): string {
  let text = script;
  for (let times = 1 + chance.below(3); times > 0; times -= 1) {
    const from = chance.below(text.length + 1);
    const to = Math.min(text.length, from + chance.below(30));
    const piece = text.slice(from, to);
    const [before, after] = [text.slice(0, from), text.slice(to)];
    switch (chance.below(6)) {
      case 0:
        text = before + after;
        break;
      case 1:
        text = before + piece + piece + after;
        break;
      case 2:
        text = before + chance.pick(TOKENS) + after;
        break;
      case 3: {
        const other = chance.pick(others);
        text = before + other.slice(chance.below(other.length));
        break;
      }
      case 4:
        text = before + piece.split('').reverse().join('') + after;
        break;
      default:
        text = before + String.fromCharCode(chance.below(0x10000)) + piece + after;
    }
  }
  return text;
}

function tokens(chance: Random): string {
  const count = chance.below(60);
  return Array.from({ length: count }, () => chance.pick(TOKENS)).join(chance.pick(['', ' ']));
}

const TOKENS = [
  '(',
  ')',
  '((((((((',
  '))))',
  ' ',
  '\r\n\t',
  'transaction',
  'V1',
  'chart-of-accounts-group-name',
  'send',
  'source',
  'distribute',
  '(from @a :remaining)',
  '(to @b :share 50 :of 50)',
  ':amount',
  ':share',
  ':of',
  ':remaining',
  ':',
  '->',
  '-',
  '>',
  '|',
  '|2',
  '@',
  '@@a',
  '$',
  '$x',
  '"',
  '""',
  '"a',
  '0',
  '1.5',
  '1.',
  '.5',
  '9'.repeat(60),
  '\0',
  '\ud800',
  '😀',
  '__proto__',
  'metadata',
  '(metadata (k v))',
] as const;

const MIB = 1024 * 1024;
const filled = (part: string): string => part.repeat(MIB / part.length);
const HEAD = '(transaction V1 (chart-of-accounts-group-name G) (send BRL 1 (source ';
/** 1 MiB each, of what costs a careless parser most. */
const LARGE = [
  ...[
    '(',
    ')',
    '"',
    '""',
    ' ',
    '\n',
    'a',
    '9',
    '9.',
    '@',
    '$',
    ':',
    '-',
    '->',
    '|',
    '😀',
    '( ',
  ].map(filled),
  HEAD + filled('('),
  HEAD + filled('(from @a :remaining)'),
  HEAD.replace('1', filled('9')),
  HEAD.replace('1', `1|${filled('0')}`),
  HEAD.replace('(send', `(metadata ${filled('(k v)')}) (send`),
  `(transaction V1 (chart-of-accounts-group-name ${filled('a')}`,
  `(transaction V1 (chart-of-accounts-group-name G) (description "${filled('(')}`,
  `${HEAD}(from @a :share ${filled('9')}`,
  `${filled('\n')}(`,
];
