import type { RefusalName } from '#src/kernel/errors.ts';
import type { Explanation } from './explanation.ts';

/** Repetition, load, dependencies. */
export const serviceExplanations = {
  IDEMPOTENCY_KEY_IN_USE: {
    means:
      'The idempotency key was used before, for another body or another operation. A repeated request must be equal ' +
      'to the first; a new one needs a new key.',
    detail: 'The idempotency key was used for a different request.',
  },
  TOO_MANY_REQUESTS: {
    means:
      'More is waiting than can be held, or reads have fallen behind. Try again after Retry-After seconds.',
    detail: 'Reads have fallen behind writes; try again shortly.',
  },
  UNAVAILABLE: {
    means:
      'A store does not answer or does not show the latest writes in time, or there is no memory for another large ' +
      'request, or no room for another connection. Try again after Retry-After seconds; a ' +
      'write that is repeated with its idempotency key is never done twice.',
    detail: 'A store this needs is not available.',
  },
  LIST_TOO_LARGE: {
    means:
      'One page took more than one read may take: too many records had to be looked at for it, or its records are too ' +
      'long together. Narrow the dates, leave filters out, have the metadata key indexed, or ask for fewer with limit. ' +
      'Lists with a cursor answer with what they have and a cursor to go on by.',
    detail: 'The records of this page are too long for one answer. Ask for fewer with limit.',
  },
  INTERNAL: {
    means:
      'Something went wrong that nobody foresaw. The log has the cause under the request id; please report it.',
    detail: 'Something went wrong here. The request id is 0197f3a0-3333-7aaa-8bbb-000000000003.',
  },
} as const satisfies Partial<Record<RefusalName, Explanation>>;
