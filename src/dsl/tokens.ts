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

/** A piece of a script and its offset. The kind `none` marks a text that the grammar does not know. */
export type Token = Readonly<{ kind: TokenKind; text: string; at: number }>;

/**
 * Reads the longest token at `from`, after white space (contract ledger §8.2). It looks at each character once, so the
 * time is linear in the length of the script. Errors: DSL_INVALID.
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

/** Refuses a script at a position: line and column count from 1, columns in characters. */
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

/** Refuses a token that cannot stand at its position. */
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

/** Recognizes the second code unit of a character that has two. */
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Returns true if a character of two code units begins here. */
const isPair = (script: string, at: number): boolean => (script.codePointAt(at) ?? 0) > 0xffff;

const short = (text: string): string =>
  text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX).toWellFormed()}…`;

function endOf(characters: RegExp, script: string, from: number): number {
  characters.lastIndex = from;
  characters.test(script); // Always matches, possibly the empty text.
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
