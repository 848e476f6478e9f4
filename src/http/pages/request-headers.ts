import type { PlacedOperation } from './reference.ts';

export const IDEMPOTENCY_KEY = 'X-Idempotency';

/** Returns whether the operation checks a token when access management is on. */
export const takesToken = ({ operation }: PlacedOperation): boolean =>
  operation['x-permission'] !== 'none';

/** Returns whether the operation takes an idempotency key. */
export const takesKey = ({ parameters }: PlacedOperation): boolean =>
  parameters.some(({ name }) => name === IDEMPOTENCY_KEY);
