import { refuse, type Refusal } from '#src/kernel/errors.ts';
import { KEYS_MAX, tooManyKeys } from '#src/kernel/free-keys.ts';

/**
 * Tells the reader, by the schema (json-hints.ts), how to read a place in a body. A number at a `decimal` place is
 * returned as its text, so that it never passes through a binary float.
 */
export type JsonHints = Readonly<{
  decimal?: true;
  /** A number that a binary float would round to a whole one is NaN, so that no check takes it for an integer. */
  integer?: true;
  /** A free-form object, such as metadata, with at most KEYS_MAX keys. */
  free?: true;
  members?: ReadonlyMap<string, JsonHints>;
  /** Applies to members not named above. */
  others?: JsonHints | undefined;
  items?: JsonHints;
}>;

export const DEPTH_MAX = 10;

/**
 * Parses one JSON value. This is our own parser, because a body must be read without loss and without ambiguity:
 * JSON.parse rounds numbers, lets the last of two equal names win and gives `__proto__` a meaning to code that copies
 * objects. Errors: BODY_UNREADABLE (syntax, repeated member, `__proto__`, text that is not Unicode), TOO_DEEP,
 * TOO_MANY_KEYS, MALFORMED_FIELD (a NUL character). One pass; the depth limit bounds the stack.
 */
export const parse = (text: string, places?: JsonHints): unknown =>
  new JsonReader(text).read(places);

/** Reads a value from its text and its UTF-8 bytes: if all are ASCII, strings are copied from the bytes. */
export const parseBytes = (bytes: Buffer, text: string, places?: JsonHints): unknown =>
  new JsonReader(text, bytes.length === text.length ? bytes : undefined).read(places);

class JsonReader {
  private readonly text: string;
  /** One byte per character. Strings read from it are copies; a slice of the text would keep the whole text in memory. */
  private readonly ascii: Buffer | undefined;
  private at = 0;
  private depth = 0;
  /** Names and indexes from the root to the current value, by depth; read only for refusals. */
  private readonly path: (string | number)[] = [];

  constructor(text: string, ascii?: Buffer) {
    this.text = text;
    this.ascii = ascii;
  }

  read(places: JsonHints | undefined): unknown {
    const value = this.value(this.next(), places);
    if (this.at < this.text.length && !Number.isNaN(this.next())) throw this.unexpected();
    return value;
  }

  /** Reads the value that begins with character `first`, which is at `at`. */
  private value(first: number, places: JsonHints | undefined): unknown {
    switch (first) {
      case QUOTE:
        this.at += 1;
        return this.string();
      case OPEN_OBJECT:
        return this.object(places);
      case OPEN_ARRAY:
        return this.array(places?.items);
      case LETTER_T:
        return this.word('true', true);
      case LETTER_F:
        return this.word('false', false);
      case LETTER_N:
        return this.word('null', null);
      default:
        return this.number(places);
    }
  }

  private object(places: JsonHints | undefined): Record<string, unknown> {
    this.enter();
    const found: Record<string, unknown> = {};
    const members = places?.members;
    let keys = 0;
    let char = this.next();
    if (char === CLOSE_OBJECT) return this.leave(found);
    for (;;) {
      if (char !== QUOTE) throw this.unexpected();
      this.at += 1;
      const name = this.name();
      this.path[this.depth] = name;
      keys += 1;
      if (keys > KEYS_MAX && places?.free === true) throw this.tooManyKeys();
      // Inherited names (`toString`) are found too, hence the second check.
      if (found[name] !== undefined && Object.hasOwn(found, name)) throw this.forbidden('twice');
      if (name === '__proto__') throw this.forbidden('which is not a name for data');
      if (this.next() !== COLON) throw this.unexpected();
      this.at += 1;
      found[name] = this.value(this.next(), members?.get(name) ?? places?.others);
      char = this.next();
      if (char === CLOSE_OBJECT) return this.leave(found);
      if (char !== COMMA) throw this.unexpected();
      this.at += 1;
      char = this.next();
    }
  }

  private array(places: JsonHints | undefined): unknown[] {
    this.enter();
    const found: unknown[] = [];
    let char = this.next();
    if (char === CLOSE_ARRAY) return this.leave(found);
    for (;;) {
      this.path[this.depth] = found.length;
      found.push(this.value(char, places));
      char = this.next();
      if (char === CLOSE_ARRAY) return this.leave(found);
      if (char !== COMMA) throw this.unexpected();
      this.at += 1;
      char = this.next();
    }
  }

  private enter(): void {
    this.at += 1;
    this.depth += 1;
    if (this.depth > DEPTH_MAX) throw tooDeep();
  }

  private leave<T>(found: T): T {
    this.at += 1;
    this.depth -= 1;
    return found;
  }

  /** Reads the text up to the closing quote. */
  private string(): string {
    const { text } = this;
    const start = this.at;
    let i = start;
    for (;;) {
      const char = text.charCodeAt(i);
      if (char === QUOTE) break;
      if (char === BACKSLASH) return this.escaped(start, i);
      if (!(char >= SPACE)) throw this.unexpected(i); // Also NaN, past the end.
      i += 1;
    }
    this.at = i + 1;
    if (i - start < WINDOW_MIN) return text.slice(start, i);
    return this.ascii?.toString('latin1', start, i) ?? text.slice(start, i);
  }

  /**
   * Reads the name of a member. Names repeat from body to body: the last one seen with the same length, first and last
   * letter is taken from a table, which saves the engine from creating and hashing a new string.
   */
  private name(): string {
    const { text } = this;
    const start = this.at;
    let i = start;
    for (;;) {
      const char = text.charCodeAt(i);
      if (char === QUOTE) break;
      if (char === BACKSLASH) return this.escaped(start, i);
      if (!(char >= SPACE)) throw this.unexpected(i);
      i += 1;
    }
    this.at = i + 1;
    const slot = (text.charCodeAt(start) + 7 * text.charCodeAt(i - 1) + 31 * (i - start)) & 511;
    const seen = names[slot];
    if (seen?.length === i - start && text.startsWith(seen, start)) return seen;
    const name = text.slice(start, i);
    if (name.length <= NAME_KEPT_MAX) names[slot] = Buffer.from(name).toString(); // Not a window into the body.
    return name;
  }

  /** Reads a string with escapes, which is rare, with JSON.parse. */
  private escaped(start: number, from: number): string {
    let i = from;
    for (let char = BACKSLASH; char !== QUOTE; char = this.text.charCodeAt(i)) {
      if (!(char >= SPACE)) throw this.unexpected(i);
      i += char === BACKSLASH ? 2 : 1;
    }
    this.at = i + 1;
    const decoded = this.decoded(this.text.slice(start - 1, i + 1), from);
    if (decoded.includes('\0')) throw this.nul();
    if (!decoded.isWellFormed()) throw this.unexpected(from);
    return decoded;
  }

  private decoded(quoted: string, at: number): string {
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw this.unexpected(at);
    }
  }

  private number(places: JsonHints | undefined): string | number {
    const { text } = this;
    const start = this.at;
    const negative = text.charCodeAt(start) === MINUS;
    const first = negative ? start + 1 : start;
    let i = this.digits(first);
    if (i > first + 1 && text.charCodeAt(first) === DIGIT_0) throw this.unexpected(first);
    let whole = true;
    if (text.charCodeAt(i) === POINT) {
      whole = false;
      i = this.digits(i + 1);
    }
    const mantissaEnd = i;
    if ((text.charCodeAt(i) | LOWER) === LETTER_E) {
      whole = false;
      const sign = text.charCodeAt(i + 1);
      i = this.digits(sign === PLUS || sign === MINUS ? i + 2 : i + 1);
    }
    this.at = i;
    if (places?.decimal === true) {
      return bounded(text.slice(start, mantissaEnd), text.slice(mantissaEnd, i));
    }
    if (whole && i - first <= SAFE_DIGITS) {
      let value = 0;
      for (let k = first; k < i; k += 1) value = value * 10 + text.charCodeAt(k) - DIGIT_0;
      return negative ? -value : value;
    }
    const token = text.slice(start, i);
    const value = Number(token);
    const isRounded = places?.integer === true && Number.isInteger(value) && !isWhole(token);
    return isRounded ? NaN : value;
  }

  /** Returns the end of the digits that begin at `from`; there must be at least one. */
  private digits(from: number): number {
    let i = from;
    for (;;) {
      const char = this.text.charCodeAt(i);
      if (!(char >= DIGIT_0 && char <= DIGIT_9)) break;
      i += 1;
    }
    if (i === from) throw this.unexpected(i);
    return i;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected();
    this.at += word.length;
    return value;
  }

  /** Skips white space; returns the character it stops at, NaN past the end. */
  private next(): number {
    let char = this.text.charCodeAt(this.at);
    while (char <= SPACE && (char === SPACE || char === LF || char === CR || char === TAB)) {
      this.at += 1;
      char = this.text.charCodeAt(this.at);
    }
    return char;
  }

  private unexpected(at = this.at): Refusal {
    const before = this.text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    const place = `at line ${line}, column ${column}`;
    if (at >= this.text.length) return unreadable(`it ends too early, ${place}`);
    return unreadable(`unexpected ${JSON.stringify(this.text.charAt(at))} ${place}`);
  }

  private forbidden(what: string): Refusal {
    const location = this.location();
    const message = `There is a member ${location} ${what}.`;
    return refuse('BODY_UNREADABLE', message, { findings: [{ location, message }] });
  }

  private tooManyKeys(): Refusal {
    this.depth -= 1;
    return tooManyKeys(this.location() || 'The body');
  }

  private nul(): Refusal {
    const place = this.location();
    const message = 'must not contain a NUL character';
    const detail = `${place || 'The body'} ${message}.`;
    const location = place || 'body';
    return refuse('MALFORMED_FIELD', detail, { findings: [{ location, message }] });
  }

  private location(): string {
    return locationOf(this.path.slice(1, this.depth + 1));
  }
}

/** `send.source.from[0].accountAlias` */
export const locationOf = (path: readonly (string | number)[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');

export const unreadable = (why: string): Refusal =>
  refuse('BODY_UNREADABLE', `The body is not JSON: ${why}.`);

const tooDeep = (): Refusal =>
  refuse('TOO_DEEP', `The body is nested deeper than ${DEPTH_MAX} levels.`, {
    entityType: 'request',
  });

/** Returns whether a number is whole, however it is written, by the place of its last digit that is not 0. */
function isWhole(token: string): boolean {
  const [mantissa = '', power = '0'] = token.toLowerCase().split('e');
  const point = mantissa.includes('.') ? mantissa.indexOf('.') : mantissa.length;
  let last = mantissa.length - 1;
  while (last >= 0 && '0.'.includes(mantissa.charAt(last))) last -= 1;
  if (!(mantissa.charCodeAt(last) > DIGIT_0)) return true; // Nothing but zeros.
  const place = last < point ? point - 1 - last : point - last;
  return place + Number(power) >= 0;
}

/**
 * Bounds an exponent: JSON has no limit, amounts need three digits. A number that needs more is zero or far out of
 * range; it is cut here, before arithmetic on it becomes expensive.
 */
function bounded(mantissa: string, power: string): string {
  if (power.length <= POWER_MAX) return mantissa + power;
  if (!/[1-9]/.test(mantissa)) return '0';
  const [, sign = '', digits = ''] = /^.([+-]?)0*(\d*)$/.exec(power) ?? [];
  return `${mantissa}e${sign}${digits.length > 3 ? '999' : digits || '0'}`;
}

/** The engine copies a slice shorter than this; JSON.stringify is three times as slow with one that was not copied. */
const WINDOW_MIN = 13;

/** `e-999` */
const POWER_MAX = 5;
/** A whole number with this many digits is exact in a double. */
const SAFE_DIGITS = 15;

/** Member names by slot; see `name`. */
const names: string[] = new Array<string>(512).fill('');
const NAME_KEPT_MAX = 40;

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const COLON = 58;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const LOWER = 32;
const LETTER_E = 101;
const LETTER_F = 102;
const LETTER_N = 110;
const LETTER_T = 116;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
