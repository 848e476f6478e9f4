import type { Definition } from './definition.ts';
import { OPERATIONAL_SIGNAL } from './delivery-policy.ts';
import { uuid } from './payload-members.ts';
import { payloadOf, type ObjectSchema } from './payload-schema.ts';

type EmittedOptions = Readonly<{
  schemaVersion?: string;
  payload?: ObjectSchema;
  policy?: Definition['policy'];
}>;

/** Defines an event that a producer emits through the library. */
export function emitted(
  key: string,
  description: string,
  { schemaVersion = '1.0.0', payload = ANY, policy = OPERATIONAL_SIGNAL }: EmittedOptions = {},
): Definition {
  return {
    ...{ key, schemaVersion, description, tail: '', subject: 'id', partitionKey: 'id' },
    ...{ payload, policy },
    enabled: true,
    types: [],
    emissions: () => [],
  };
}

/** The payload of an event that is only known by its id. */
const ANY: ObjectSchema = { ...payloadOf({ id: uuid }), additionalProperties: true };
