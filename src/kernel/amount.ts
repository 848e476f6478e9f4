import type { Brand } from './brand.ts';
import { inOnePiece } from './in-one-piece.ts';

/**
 * An exact decimal, held as a whole number of 10^-34 units. Input may have 30 integer and 30 fractional
 * digits; a share of a share adds at most 4, hence 34 (contract ledger §1.3). Sums and differences are the
 * platform's own integer arithmetic; nothing is ever rounded.
 */
export type Amount = Brand<bigint, 'Amount'>;

export const ZERO = 0n as Amount;

/** The fractional digits of an Amount: it counts units of 10^-34. */
export const AMOUNT_SCALE = 34;

export type AmountFault = 'malformed' | 'out-of-range';

/** Reads a decimal from outside. Bounds are checked on the text, before any arithmetic. */
export function readAmount(text: string): Amount | AmountFault {
  const short = shortAmount(text);
  if (short !== undefined) return short;
  const plain = PLAIN.exec(text);
  if (plain !== null) return scaled(plain[1] ?? '', plain[2] ?? '', plain[3] ?? '');

  const parts = GRAMMAR.exec(text);
  if (parts === null) return 'malformed';
  const [, sign = '', whole = '', tail, bare, power] = parts;
  const exponent = Number(power ?? '0'); // At most three digits; a power of ten, not an amount.
  return shifted(sign, whole, tail ?? bare ?? '', exponent);
}

/** Reads a decimal that this program wrote. Throws on anything else, so that nothing is decided on a damaged log. */
export function parseAmount(text: string): Amount {
  if (text === '0') return ZERO;
  const short = shortAmount(text);
  if (short !== undefined) return short;
  const parts = OWN.exec(text);
  if (parts === null) throw new Error(`Not an amount: ${text.slice(0, 80)}`);
  return units(parts[1] ?? '', parts[2] ?? '', parts[3] ?? '');
}

/** Formats an amount in plain notation: no exponent, no trailing fractional zeros, zero is "0". */
export function formatAmount(amount: Amount): string {
  if (amount === 0n) return '0';
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(AMOUNT_SCALE + 1, '0');
  const point = digits.length - AMOUNT_SCALE;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === DIGIT_0) end -= 1;
  const whole = negative ? '-' + digits.slice(0, point) : digits.slice(0, point);
  return end > point ? inOnePiece(whole, '.', digits.slice(point, end)) : inOnePiece(whole, '');
}

export const add = (a: Amount, b: Amount): Amount => (a + b) as Amount;
export const subtract = (a: Amount, b: Amount): Amount => (a - b) as Amount;
export const negate = (a: Amount): Amount => -a as Amount;

/**
 * Returns value × percentage ÷ 100 × (of || 100) ÷ 100; both percentages are integers. Exact: the divisor is 10,000 and
 * a value from outside has at most 30 of the 34 fractional digits.
 */
export function share(value: Amount, percentage: number, of: number): Amount {
  return ((value * BigInt(percentage * (of === 0 ? 100 : of))) / 10_000n) as Amount;
}

/** Returns whether the integer part needs no more digits than a balance may have. */
export const withinRange = (amount: Amount): boolean => amount < LIMIT && amount > -LIMIT;

const INTEGER_DIGITS_MAX = 30;
const FRACTION_DIGITS_MAX = 30;
const LIMIT = 10n ** BigInt(INTEGER_DIGITS_MAX + AMOUNT_SCALE);
const POWERS = Array.from({ length: AMOUNT_SCALE + 1 }, (_, n) => 10n ** BigInt(n));
const SHORT_MAX = 15;
const MINUS = 45;
const POINT = 46;
const DIGIT_0 = 48;
const DIGIT_9 = 57;

const PLAIN = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/;
const OWN = /^(-?)(\d{1,32})(?:\.(\d{1,34}))?$/;
const GRAMMAR = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,3}))?$/;

const units = (sign: string, whole: string, fraction: string): Amount => {
  const size = BigInt(whole + fraction) * (POWERS[AMOUNT_SCALE - fraction.length] ?? 0n);
  return (sign === '-' ? -size : size) as Amount;
};

/**
 * Reads a plain decimal of at most 15 characters, as most are, without a pattern, which takes longer. Undefined for any
 * other text.
 */
function shortAmount(text: string): Amount | undefined {
  const { length } = text;
  if (length > SHORT_MAX) return undefined;
  const first = text.charCodeAt(0) === MINUS ? 1 : 0;
  let point = length;
  for (let at = first; at < length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === POINT && at > first && point === length) point = at;
    else if (char < DIGIT_0 || char > DIGIT_9) return undefined;
  }
  if (length === first || point === length - 1) return undefined;
  if (point === length) return (BigInt(text) * POWERS[AMOUNT_SCALE]!) as Amount;
  const digits = text.slice(0, point) + text.slice(point + 1);
  return (BigInt(digits) * POWERS[AMOUNT_SCALE + point + 1 - length]!) as Amount;
}

const scaled = (sign: string, whole: string, fraction: string): Amount =>
  units(sign, whole, fraction);

function shifted(
  sign: string,
  whole: string,
  fraction: string,
  exponent: number,
): Amount | AmountFault {
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return ZERO;
  const leading = whole.length + fraction.length - digits.length; // zeros that carry no value
  const significant = withoutTrailingZeros(digits);
  const point = whole.length - leading + exponent; // integer digits, negative when zeros follow the point
  const fractionDigits = significant.length - point;
  if (point > INTEGER_DIGITS_MAX || fractionDigits > FRACTION_DIGITS_MAX) return 'out-of-range';
  if (point <= 0) return units(sign, '0', '0'.repeat(-point) + significant);
  return units(sign, significant.slice(0, point).padEnd(point, '0'), significant.slice(point));
}

/** Avoids the pattern `/0+$/`, which tries every zero as a start and takes half a minute for 160 kB of digits. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === DIGIT_0) end -= 1;
  return digits.slice(0, end);
}
