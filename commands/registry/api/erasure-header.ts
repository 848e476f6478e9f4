/** The header of a reply to an erasure. */
export const ERASURE_CERTIFICATE = 'X-Erasure-Certificate';

export const erasureHeaders = {
  [ERASURE_CERTIFICATE]: {
    description: 'With `hard_delete=true`: the id of the erasure certificate.',
    schema: { type: 'string', format: 'uuid' },
  },
} as const;
