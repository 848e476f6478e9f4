import type { Micros } from './instant.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from the environment. It collects mistakes, one a line, instead of throwing, and the names that were
 * read: every name must be read in any case, because those that are not count as unknown.
 */
export class SettingReader {
  readonly mistakes: string[] = [];
  readonly names = new Set<string>();
  private readonly env: Environment;

  constructor(env: Environment) {
    this.env = env;
  }

  /** Returns the text as given, with its spaces. */
  secret(name: string): string {
    this.names.add(name);
    return this.env[name] ?? '';
  }

  /** Returns the settings whose names begin with a prefix, by the rest of their names. */
  secretsBy(prefix: string): ReadonlyMap<string, string> {
    const names = Object.keys(this.env).filter((name) => name.startsWith(prefix));
    return new Map(names.map((name) => [name.slice(prefix.length), this.secret(name)]));
  }

  text(name: string, fallback = ''): string {
    const given = this.secret(name).trim();
    return given === '' ? fallback : given;
  }

  flag(name: string, fallback = false): boolean {
    const given = this.text(name, String(fallback));
    if (!['true', 'false'].includes(given)) {
      this.mistakes.push(`${name}=${given} must be true or false`);
    }
    return given === 'true';
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    return this.optionalInteger(name, min, max) ?? fallback;
  }

  optionalInteger(name: string, min: number, max: number): number | undefined {
    const given = this.text(name);
    if (given === '') return undefined;
    const value = Number(given);
    if (!/^\d+$/.test(given) || value < min || value > max) {
      this.mistakes.push(`${name}=${given} must be an integer from ${min} to ${max}`);
    }
    return value;
  }

  /** Reads a number above 0 and at most 1. */
  ratio(name: string, fallback: number): number {
    const given = this.text(name, String(fallback));
    const value = Number(given);
    if (!/^[01](\.\d+)?$/.test(given) || value <= 0 || value > 1) {
      this.mistakes.push(`${name}=${given} must be a fraction of 1, like 0.5`);
    }
    return value;
  }

  /** Reads one of the words, of which the first is the default. */
  choice<const Word extends string>(name: string, words: readonly [Word, ...Word[]]): Word {
    const given = this.text(name, words[0]);
    const chosen = words.find((word) => word === given);
    if (chosen === undefined) {
      this.mistakes.push(`${name}=${given} must be one of ${words.join(', ')}`);
    }
    return chosen ?? words[0];
  }

  instant(name: string): Micros | undefined {
    const given = this.text(name);
    if (given === '') return undefined;
    const ms = Date.parse(given); // eslint-disable-line no-restricted-globals -- pure: reads a given text
    if (!/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(given) || Number.isNaN(ms)) {
      this.mistakes.push(`${name}=${given} must be a time like 2026-11-22T20:00:00Z`);
    }
    return (ms * 1000) as Micros;
  }
}
