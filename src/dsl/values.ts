import { KEYS_MAX, tooManyKeys } from '#src/kernel/free-keys.ts';
import type { TokenCursor } from './cursor.ts';
import type { Token } from './tokens.ts';

/** A name may consist of digits. */
export const name = (at: TokenCursor): string => at.need('name', 'integer').text;

/** A text without its quotes. */
export const text = (at: TokenCursor): string => at.need('string').text.slice(1, -1);

export function account(at: TokenCursor): string {
  const token = at.take('variable');
  if (token !== undefined) throw unbound(at, token);
  return at.need('handle', 'name', 'integer').text;
}

/**
 * A decimal as it is written. Clients write a scale of zero, `|0`, for whole amounts. A scale above zero is refused,
 * because some servers read it as `n × 10^-s` and others ignore it.
 */
export function value(at: TokenCursor): string {
  const token = at.take('variable') ?? at.need('integer', 'decimal');
  if (token.kind === 'variable') throw unbound(at, token);
  if (at.take('|') === undefined) return token.text;
  const scale = whole(at);
  if (!/^0+$/.test(scale.text)) {
    throw at.wrong(scale, 'a scale is not taken: write the decimal out, such as 120.50');
  }
  return token.text;
}

/** A number beyond all limits becomes the largest safe integer, which also exceeds them. */
export function percentage(at: TokenCursor): number {
  const digits = whole(at).text;
  return digits.length > SAFE_DIGITS ? Number.MAX_SAFE_INTEGER : Number(digits);
}

/** Pairs of words; a key may occur once, as in a JSON object. Errors: DSL_INVALID, TOO_MANY_KEYS. */
export function metadata(at: TokenCursor): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  at.need('(');
  do {
    const key = at.need('name', 'integer');
    if (found.has(key.text)) throw at.wrong(key, 'the key stands there twice');
    if (key.text === '__proto__') throw at.wrong(key, 'this key cannot be taken');
    if (found.size === KEYS_MAX) throw tooManyKeys('metadata');
    found.set(key.text, name(at));
    at.close();
  } while (at.take('('));
  return Object.fromEntries(found);
}

function whole(at: TokenCursor): Token {
  const variable = at.take('variable');
  if (variable !== undefined) throw unbound(at, variable);
  return at.need('integer');
}

const unbound = (at: TokenCursor, token: Token) =>
  at.wrong(token, 'nothing gives the variable a value');

/** A whole number with at most this many digits is exact in a double. */
const SAFE_DIGITS = 15;
