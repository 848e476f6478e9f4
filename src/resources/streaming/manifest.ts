import type { Schema } from '#src/kernel/schema.ts';

const list = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;

/** The manifest of a producer (contract events §11). Unknown members must be ignored. */
export const manifestSchema = {
  title: 'StreamingManifest',
  type: 'object',
  properties: {
    version: { type: 'string' },
    publisher: { type: 'object', additionalProperties: true },
    events: list,
    routes: list,
  },
  required: ['version', 'publisher', 'events', 'routes'],
  additionalProperties: true,
} as const satisfies Schema;

export const payloadSchemaSchema = {
  title: 'EventPayloadSchema',
  description: 'A JSON Schema of the 2020-12 draft.',
  type: 'object',
  additionalProperties: true,
} as const satisfies Schema;
