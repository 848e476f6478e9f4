import type { Refusal } from '#src/kernel/errors.ts';
import { invalid, tokenAt, unexpected, type Token, type TokenKind } from './tokens.ts';

/**
 * A place in a script. What is asked for and not there is remembered until something is taken, so that a refusal
 * can say all that might have stood there. Reads two tokens ahead and never back.
 */
export class TokenCursor {
  private readonly script: string;
  private token: Token;
  private next: Token | undefined;
  private readonly clauses: string[] = [];
  private readonly others: string[] = [];

  constructor(script: string) {
    this.script = script;
    this.token = tokenAt(script, 0);
  }

  /** The token here if it is of one of these kinds; the place is then behind it. Nobody is told to write a variable. */
  take(...kinds: readonly TokenKind[]): Token | undefined {
    const { token } = this;
    if (kinds.includes(token.kind)) return this.taken(token);
    for (const kind of kinds) if (kind !== 'variable') this.others.push(KINDS[kind] ?? kind);
    return undefined;
  }

  /** Errors: DSL_INVALID when it is not there. */
  need(...kinds: readonly TokenKind[]): Token {
    const token = this.take(...kinds);
    if (token === undefined) throw this.unexpected();
    return token;
  }

  /** A name that must be one of these words. */
  word(...words: readonly string[]): string {
    const { token } = this;
    if (token.kind !== 'name' || !words.includes(token.text)) {
      throw unexpected(this.script, token, words);
    }
    return this.taken(token).text;
  }

  /** Whether a clause of this name begins here; the place is then behind its name. */
  opens(...names: readonly string[]): boolean {
    const { token } = this;
    if (token.kind === '(') {
      this.next ??= tokenAt(this.script, end(token));
      if (this.next.kind === 'name' && names.includes(this.next.text)) {
        this.taken(token);
        this.taken(this.token);
        return true;
      }
    }
    this.clauses.push(...names);
    return false;
  }

  /** Errors: DSL_INVALID when there is no such clause. */
  open(...names: readonly string[]): void {
    if (!this.opens(...names)) throw this.unexpected();
  }

  close(): void {
    this.need(')');
  }

  /** The refusal of a token that fits the grammar and still cannot be taken. */
  wrong(token: Token, why: string): Refusal {
    return invalid(this.script, token.at, why, [], token.text);
  }

  private unexpected(): Refusal {
    const { token, next, clauses, others } = this;
    if (token.kind === '(' && next !== undefined) return unexpected(this.script, next, clauses);
    return unexpected(this.script, token, [...clauses.map((name) => `(${name}`), ...others]);
  }

  private taken(token: Token): Token {
    this.token = this.next ?? tokenAt(this.script, end(token));
    this.next = undefined;
    this.clauses.length = 0;
    this.others.length = 0;
    return token;
  }
}

const end = ({ at, text }: Token): number => at + text.length;

const KINDS: Readonly<Partial<Record<TokenKind, string>>> = {
  integer: 'a whole number',
  decimal: 'a decimal',
  name: 'a name',
  handle: 'an @alias',
  string: 'a text in quotes',
  end: 'the end of the script',
};
