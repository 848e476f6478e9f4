import type { Refusal } from '#src/kernel/errors.ts';
import { refuse } from './refusals.ts';

export const holderNotFound = (): Refusal => refuse('HOLDER_NOT_FOUND', 'There is no such holder.');

export const instrumentNotFound = (): Refusal =>
  refuse('INSTRUMENT_NOT_FOUND', 'The holder has no such instrument.');
