// V8 misreads names of members with escapes: once an object had a member named `\`, JSON.parse may return that name for
// the member `"` of a later text, whoever sent it, and lose members (https://github.com/nodejs/node/issues/63785). Texts
// with such names are therefore read here. Plain JavaScript, because it is loaded with preload.js; to be removed when
// test/kernel/escaped-keys.spec.ts says that V8 reads them.

const parse = JSON.parse;

/** Reads JSON as JSON.parse does, which remains in charge of the syntax, of texts without escaped names, and of revivers. */
JSON.parse = function parseJson(text, reviver) {
  const parsed = parse(text, reviver);
  if (reviver !== undefined || typeof text !== 'string' || !hasEscapedName(text)) return parsed;
  return new Reader(text).value();
};

/** Looks at each string that has an escape, once: at the end of a name stands a colon. */
function hasEscapedName(text) {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    at = afterString(text, at);
    if (text.charCodeAt(afterSpace(text, at)) === COLON) return true;
  }
  return false;
}

/** Reads a text that is known to be JSON. */
class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  value() {
    switch (this.next()) {
      case OPEN_OBJECT:
        return this.object();
      case OPEN_ARRAY:
        return this.array();
      case QUOTE:
        return this.string();
      default:
        return this.scalar();
    }
  }

  object() {
    const found = {};
    this.at += 1;
    while (this.next() !== CLOSE_OBJECT) {
      const name = this.string();
      this.next();
      this.at += 1; // The colon.
      const value = this.value();
      if (name === '__proto__') Object.defineProperty(found, name, { ...OWN, value });
      else found[name] = value;
      if (this.next() === COMMA) this.at += 1;
    }
    this.at += 1;
    return found;
  }

  array() {
    const found = [];
    this.at += 1;
    while (this.next() !== CLOSE_ARRAY) {
      found.push(this.value());
      if (this.next() === COMMA) this.at += 1;
    }
    this.at += 1;
    return found;
  }

  string() {
    const start = this.at;
    this.at = afterString(this.text, start + 1);
    return parse(this.text.slice(start, this.at));
  }

  /** Reads a number or a word. */
  scalar() {
    END.lastIndex = this.at;
    const start = this.at;
    this.at = END.exec(this.text)?.index ?? this.text.length;
    return parse(this.text.slice(start, this.at));
  }

  /** Skips white space; returns the character it stops at. */
  next() {
    this.at = afterSpace(this.text, this.at);
    return this.text.charCodeAt(this.at);
  }
}

/** Returns the place after the quotation mark that ends the string that `at` is inside of. */
function afterString(text, at) {
  for (let char = text.charCodeAt(at); char !== QUOTE; char = text.charCodeAt(at)) {
    at += char === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}

function afterSpace(text, at) {
  while (text.charCodeAt(at) <= SPACE) at += 1;
  return at;
}

const OWN = { writable: true, enumerable: true, configurable: true };
const END = /[\s,\]}]/g;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
