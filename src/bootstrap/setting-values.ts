import type { Micros } from '#src/kernel/instant.ts';

/** How single values are read from the environment; mistakes are gathered, one a line. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const text = (env: Environment, name: string, fallback = ''): string => {
  const given = env[name]?.trim() ?? '';
  return given === '' ? fallback : given;
};

export function flag(env: Environment, name: string, mistakes: string[]): boolean {
  const given = text(env, name);
  if (!['', 'true', 'false'].includes(given))
    mistakes.push(`${name}=${given} must be true or false`);
  return given === 'true';
}

export function integer(
  env: Environment,
  name: string,
  fallback: number,
  min: number,
  max: number,
  mistakes: string[],
): number {
  const given = text(env, name, String(fallback));
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < min || value > max) {
    mistakes.push(`${name}=${given} must be an integer from ${min} to ${max}`);
  }
  return value;
}

/** Above 0, at most 1. */
export function ratio(
  env: Environment,
  name: string,
  fallback: number,
  mistakes: string[],
): number {
  const given = text(env, name, String(fallback));
  const value = Number(given);
  if (!/^[01](\.\d+)?$/.test(given) || value <= 0 || value > 1) {
    mistakes.push(`${name}=${given} must be a part of 1, like 0.5`);
  }
  return value;
}

/** One of some words; the first one when nothing is said. */
export function choice<const Word extends string>(
  env: Environment,
  name: string,
  words: readonly [Word, ...Word[]],
  mistakes: string[],
): Word {
  const given = text(env, name, words[0]);
  const chosen = words.find((word) => word === given);
  if (chosen === undefined) mistakes.push(`${name}=${given} must be one of ${words.join(', ')}`);
  return chosen ?? words[0];
}

/** A moment like 2026-11-22T20:00:00Z; undefined when none is given. */
export function instant(env: Environment, name: string, mistakes: string[]): Micros | undefined {
  const given = text(env, name);
  if (given === '') return undefined;
  const ms = Date.parse(given);
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(given) || Number.isNaN(ms)) {
    mistakes.push(`${name}=${given} must be a moment like 2026-11-22T20:00:00Z`);
  }
  return (ms * 1000) as Micros;
}
