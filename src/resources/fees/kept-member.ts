import { fits } from '#src/kernel/code-points.ts';
import { isBlank, NOT_BLANK } from '#src/kernel/schema-fragments.ts';
import type { PublishedSchema, ValueReader } from '#src/kernel/schema.ts';
import { addFinding } from '#src/kernel/value-reader.ts';

/** A text of an update that null does not remove; an empty one counts as not sent. */
export const keptText = (maxLength: number) =>
  kept('string', { type: 'string', maxLength, pattern: `^$|${NOT_BLANK}` }, (text, findings) => {
    if (text === '') return undefined;
    if (!isBlank(text) && fits(text, maxLength)) return text;
    const message = isBlank(text)
      ? 'must not be blank'
      : `must have at most ${maxLength} characters`;
    addFinding(findings, 'MALFORMED_FIELD', '', message, text);
    return undefined;
  });

/** A flag of an update that null does not remove. */
export const keptFlag = () => kept('boolean', { type: 'boolean' }, (flag) => flag);

type Checks<Type> = (
  sent: Type extends 'string' ? string : boolean,
  findings: Parameters<ValueReader['read']>[1],
) => unknown;

function kept<const Type extends 'string' | 'boolean'>(
  type: Type,
  published: PublishedSchema,
  check: Checks<Type>,
) {
  const reader: ValueReader = {
    read: (sent, findings) => {
      if (typeof sent === type) return check(sent as never, findings);
      if (sent === null) addFinding(findings, 'REQUIRED_FIELDS', '', 'must not be removed', sent);
      else addFinding(findings, 'BODY_UNREADABLE', '', `must be a ${type}`, sent);
      return undefined;
    },
    sent: published,
    refusals: ['REQUIRED_FIELDS'],
  };
  return { type, neverNull: true, reads: reader } as const;
}
