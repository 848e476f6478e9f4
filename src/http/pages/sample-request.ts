import type { Parameter, Schemas } from './description.ts';
import { exampleOf } from './example.ts';
import type { PlacedOperation } from './reference.ts';

/** The server of the samples, which the script of the page replaces by its own. */
export const SERVER = 'http://127.0.0.1:3000';

export const JSON_TYPE = 'application/json';

export type SampleBody = Readonly<{ type: string; value: unknown }>;

/** Returns a body for an operation, as JSON if it takes that; undefined if it takes none that is text. */
export function sampleBody(
  { operation }: PlacedOperation,
  schemas: Schemas,
): SampleBody | undefined {
  const { content = {} } = operation.requestBody ?? {};
  const types = Object.keys(content).filter((type) => !type.startsWith('multipart/'));
  const type = types.find((one) => one === JSON_TYPE) ?? types[0];
  const media = content[type ?? ''];
  return type === undefined || media === undefined
    ? undefined
    : { type, value: exampleOf(media, schemas, 'required') };
}

export const requiredIn = ({ parameters }: PlacedOperation, where: string): readonly Parameter[] =>
  parameters.filter((one) => one.in === where && one.required === true);
