import type { Refusal } from '#src/kernel/errors.ts';
import { invalid, tokenAt, unexpected, type Token, type TokenKind } from './tokens.ts';

/**
 * A position in a script. It remembers every token that was tried and not found, so that a refusal can list all that
 * were expected. It looks two tokens ahead and never back.
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

  /** Takes a token of one of these kinds. Refusals never suggest a variable, because none has a value. */
  take(...kinds: readonly TokenKind[]): Token | undefined {
    const { token } = this;
    if (kinds.includes(token.kind)) return this.taken(token);
    for (const kind of kinds) if (kind !== 'variable') this.others.push(KINDS[kind] ?? kind);
    return undefined;
  }

  /** Errors: DSL_INVALID for a token of another kind. */
  need(...kinds: readonly TokenKind[]): Token {
    const token = this.take(...kinds);
    if (token === undefined) throw this.unexpected();
    return token;
  }

  /** Takes a name that must be one of these words. Errors: DSL_INVALID. */
  word(...words: readonly string[]): string {
    const { token } = this;
    if (token.kind !== 'name' || !words.includes(token.text)) {
      throw unexpected(this.script, token, words);
    }
    return this.taken(token).text;
  }

  /** Takes the beginning of a clause with one of these names; returns false if there is none. */
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

  /** Errors: DSL_INVALID if no such clause begins here. */
  open(...names: readonly string[]): void {
    if (!this.opens(...names)) throw this.unexpected();
  }

  close(): void {
    this.need(')');
  }

  /** The refusal of a token that fits the grammar but has no valid value. */
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
