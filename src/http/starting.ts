import { refuse, type Refusal } from '#src/kernel/errors.ts';
import type { Readiness } from './services.ts';

/** Describes a process that listens before its stores are open. */
export type Starting = Readonly<{
  readiness: () => Readiness;
  /** Names the store it waits for, for operators. */
  waitsFor: () => string;
}>;

export const unavailableWhileStarting = (waitsFor: string): Refusal =>
  refuse('UNAVAILABLE', `The server is starting; it waits for ${waitsFor}.`, {
    retryAfterSeconds: RETRY_AFTER_S,
  });

const RETRY_AFTER_S = 2;
