import { expect } from 'chai';
import { openapiOf } from '#src/http/openapi.ts';
import { routes } from '#src/bootstrap/routes.ts';

/** Generators of clients fail on these forms, although the standard allows them. */
describe('API description for generators', () => {
  const document = openapiOf(routes) as Readonly<Record<'paths' | 'components', object>>;
  const schemas = [...objectsIn(document.paths), ...objectsIn(document.components)];

  it('has no default that is an object', () => {
    const wrong = schemas.filter(
      ({ default: standard }) => isObject(standard) && !isReply(standard),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('has no part of a schema that is a pattern or a length alone', () => {
    const parts = schemas.flatMap(({ allOf }) => (Array.isArray(allOf) ? (allOf as object[]) : []));
    expect(parts).not.to.be.empty;
    const wrong = parts.filter((part) => !('$ref' in part || 'type' in part || 'if' in part));
    expect(wrong).to.deep.equal([]);
  });

  it('has no choice next to the members of an object, where a type would lack one or the other', () => {
    const objects = schemas.filter(({ type, properties }) => type !== undefined && properties);
    expect(objects).not.to.be.empty;
    expect(objects.filter((one) => 'anyOf' in one || 'oneOf' in one)).to.deep.equal([]);
  });

  it('has no members of one object that most languages would name alike', () => {
    const named = schemas.filter(({ properties }) => isObject(properties));
    const wrong = named.filter(({ properties }) => {
      const names = Object.keys(properties as object).map((one) => one.replaceAll('_', ''));
      return new Set(names.map((one) => one.toLowerCase())).size < names.length;
    });
    expect(wrong).to.deep.equal([]);
  });

  it('names every JSON object that is the body of a request', () => {
    const bodies = schemas.flatMap(({ requestBody }) =>
      isObject(requestBody) ? [jsonOf(requestBody)] : [],
    );
    expect(bodies).not.to.be.empty;
    expect(bodies.filter(({ type }) => String(type).startsWith('object'))).to.deep.equal([]);
  });

  it('has none of our own keywords', () => {
    const names = ['unchecked', 'refusal', 'wrongType', 'must', 'neverNull', 'reads', 'published'];
    const wrong = schemas.filter(
      (schema) => 'type' in schema && names.some((name) => name in schema),
    );
    expect(wrong).to.deep.equal([]);
  });
});

type Part = Readonly<Record<string, unknown>>;

function isObject(part: unknown): part is Part {
  return typeof part === 'object' && part !== null;
}
const isReply = (part: Part): boolean => '$ref' in part;

/** Returns the schema of the JSON form of a body. */
const jsonOf = ({ content }: Part): Part =>
  (content as Readonly<Record<string, { schema: Part }>>)['application/json']?.schema ?? {};

function* objectsIn(part: unknown): Generator<Part> {
  if (!isObject(part)) return;
  if (!Array.isArray(part)) yield part;
  for (const inner of Object.values(part)) yield* objectsIn(inner);
}
