import fc from 'fast-check';

/** Any text, most of it of no use. */
export const anyWord = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
