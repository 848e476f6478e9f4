import { Ajv } from 'ajv';
import type { Definition } from '#src/bridge/definition.ts';
import { readMoment } from '#src/http/instants.ts';
import { readAmount } from '#src/kernel/amount.ts';
import { parseUuid } from '#src/kernel/ids.ts';

/** Returns why a payload does not have the schema of its definition; undefined if it does. */
export function payloadCheck({ payload }: Definition): (sent: unknown) => string | undefined {
  const validate = ajv.compile(payload);
  return (sent) => (validate(sent) ? undefined : ajv.errorsText(validate.errors, { dataVar: '' }));
}

const ajv = new Ajv({
  allowUnionTypes: true,
  formats: {
    uuid: (text: string) => parseUuid(text) !== undefined,
    'date-time': (text: string) => text.includes('T') && readMoment(text) !== undefined,
    decimal: (text: string) => typeof readAmount(text) !== 'string',
    int64: { type: 'number', validate: Number.isSafeInteger },
  },
});
