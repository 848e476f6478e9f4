import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from '#src/events/ledger/refusals.ts';

export type TokenKind =
  | '('
  | ')'
  | '|'
  | '->'
  | ':amount'
  | ':share'
  | ':of'
  | ':remaining'
  | 'integer'
  | 'decimal'
  | 'name'
  | 'handle'
  | 'variable'
  | 'string'
  | 'none'
  | 'end';

/** A piece of a script; `text` as it stands there, `at` its offset. `none` is what the grammar has no place for. */
export type Token = Readonly<{ kind: TokenKind; text: string; at: number }>;

/**
 * The token that begins at `from` or after white space; the longest that fits (contract ledger §8.2). Looks at no
 * character twice, so that a script costs its length. Errors: DSL_INVALID.
 */
export function tokenAt(script: string, from: number): Token {
  const at = endOf(SPACE, script, from);
  const char = script.charAt(at);
  const token = (kind: TokenKind, end: number): Token => ({
    kind,
    text: script.slice(at, end),
    at,
  });
  switch (char) {
    case '':
      return token('end', at);
    case '(':
    case ')':
    case '|':
      return token(char, at + 1);
    case '@':
      return token('handle', endOf(WORD, script, at + 1));
    case '$':
      return token('variable', endOf(VARIABLE, script, at + 1));
    case ':': {
      const end = endOf(WORD, script, at + 1);
      const kind = script.slice(at, end);
      return token(isOption(kind) ? kind : 'none', end);
    }
    case '"': {
      const end = script.indexOf('"', at + 1);
      if (end >= 0) return token('string', end + 1);
      throw invalid(script, script.length, 'the script ends in a text that is not closed', ['"']);
    }
  }
  if (script.startsWith('->', at)) return token('->', at + 2);
  const end = endOf(WORD, script, at);
  if (end === at) return token('none', at + (isPair(script, at) ? 2 : 1));
  if (endOf(DIGITS, script, at) < end) return token('name', end);
  const fraction = script.charAt(end) === '.' ? endOf(DIGITS, script, end + 1) : end;
  return fraction > end + 1 ? token('decimal', fraction) : token('integer', end);
}

/** A script that is refused at a place: line and column from 1, columns counted in characters. */
export function invalid(
  script: string,
  at: number,
  what: string,
  expected: readonly string[] = [],
  value?: string,
): Refusal {
  const place = `line ${line(script, at)}, column ${column(script, at)}`;
  const message = `${place}: ${what}${wanted(expected)}`;
  return refuse('DSL_INVALID', `The script is not valid at ${message}.`, {
    findings: [{ location: 'dsl', message, ...(value !== undefined && { value: short(value) }) }],
  });
}

/** A token that cannot stand where it does. */
export function unexpected(script: string, token: Token, expected: readonly string[]): Refusal {
  if (token.kind === 'end') return invalid(script, token.at, 'the script ends', expected);
  const found = `found ${JSON.stringify(short(token.text))}`;
  return invalid(script, token.at, found, expected, token.text);
}

const wanted = (expected: readonly string[]): string =>
  expected.length === 0 ? '' : `, expected ${expected.join(' or ')}`;

function line(script: string, at: number): number {
  let lines = 1;
  for (let i = 0; i < at; i += 1) if (script.charCodeAt(i) === LF) lines += 1;
  return lines;
}

function column(script: string, at: number): number {
  const from = at === 0 ? 0 : script.lastIndexOf('\n', at - 1) + 1;
  let columns = 1;
  for (let i = from; i < at; i += 1) if (!isSecondHalf(script.charCodeAt(i))) columns += 1;
  return columns;
}

/** Of a character of two code units. */
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Whether a character of two code units begins here. */
const isPair = (script: string, at: number): boolean => (script.codePointAt(at) ?? 0) > 0xffff;

const short = (text: string): string =>
  text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX).toWellFormed()}…`;

function endOf(characters: RegExp, script: string, from: number): number {
  characters.lastIndex = from;
  characters.test(script); // Always fits, if only nothing.
  return characters.lastIndex;
}

const isOption = (text: string): text is (typeof OPTIONS)[number] =>
  (OPTIONS as readonly string[]).includes(text);

const OPTIONS = [':amount', ':share', ':of', ':remaining'] as const;

const SPACE = /[ \t\r\n]*/y;
const WORD = /[A-Za-z0-9_\-/]*/y;
const VARIABLE = /[A-Za-z0-9_-]*/y;
const DIGITS = /[0-9]*/y;
const LF = 10;
const SHOWN_MAX = 80;
