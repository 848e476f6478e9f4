import { expect } from 'chai';
import { routes } from '#src/bootstrap/routes.ts';
import { openapiOf } from '#src/http/openapi.ts';
import { isObject } from '#src/kernel/value-reader.ts';

type Part = Readonly<Record<string, unknown>>;

/** Schemas in these members of a schema describe the same value; those of conditions only state rules. */
const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const;

describe('sentences in the API description', () => {
  const listeners = new Set(routes.flatMap(({ listener }) => (listener ? [listener] : [])));

  it('explain every parameter and every member', () => {
    expect(undescribed(openapiOf(routes)).join('\n')).to.equal('');
  });

  for (const listener of listeners) {
    it(`explain them also where the operations of ${listener} are served alone`, () => {
      const alone = routes.filter((route) => route.listener === listener);
      expect(undescribed(openapiOf(alone)).join('\n')).to.equal('');
    });
  }

  it('explain every group of operations, in the order in which a reader needs them', () => {
    const { tags } = openapiOf(routes) as Readonly<{ tags: readonly Part[] }>;
    const names = tags.map(({ name }) => name as string);
    expect(tags.filter(({ description }) => !isSentence(description))).to.deep.equal([]);
    expect(names.filter((name) => !/^[A-Z][a-z]+( [a-z]+)*$/.test(name))).to.deep.equal([]);
    const first = [
      'Organizations',
      'Transactions',
      'Fee packages',
      'Holders',
      'Tokens',
      'Streaming',
    ];
    expect(names.filter((name) => first.includes(name))).to.deep.equal(first);
  });

  it('are missed where there are none', () => {
    const member = { type: 'string' };
    const explained = { ...member, description: 'Explained.' };
    const schemas = {
      One: {
        properties: {
          bare: member,
          explained,
          deep: { ...explained, items: { properties: { leaf: member } } },
        },
      },
      Two: {
        allOf: [
          { $ref: '#/components/schemas/One' },
          { properties: { bare: member, explained: member } },
        ],
      },
    };
    const operation = { operationId: 'readOne', parameters: [{ name: 'id' }], responses: {} };
    const document = { components: { schemas }, paths: { '/one': { get: operation } } };
    expect(undescribed(document)).to.deep.equal([
      'One.bare',
      'One.deep.leaf',
      'Two.bare',
      'readOne ?id',
    ]);
  });
});

/** Returns the place of each parameter and each member of a body that has no sentence of its own. */
function undescribed(document: object): readonly string[] {
  const at = (pointer: string): Part =>
    pointer
      .slice(2)
      .split('/')
      .reduce<unknown>((part, name) => (part as Part)[name], document) as Part;
  const resolved = (part: Part): Part =>
    typeof part['$ref'] === 'string' ? at(part['$ref']) : part;

  /** A part of `allOf` that narrows a member needs no sentence where another part has one. */
  const missing = (schema: Part, place: string, explained: readonly string[] = []): string[] => {
    const { properties = {}, items, additionalProperties, allOf = [] } = schema;
    const others = (allOf as readonly Part[]).flatMap((part) =>
      Object.entries((resolved(part)['properties'] ?? {}) as Part).flatMap(([name, one]) =>
        isSentence((one as Part)['description']) ? [name] : [],
      ),
    );
    return [
      ...Object.entries(properties as Part).flatMap(([name, one]) => [
        ...(explained.includes(name) || isSentence((one as Part)['description'])
          ? []
          : [`${place}.${name}`]),
        ...missing(one as Part, `${place}.${name}`),
      ]),
      ...[items, additionalProperties].filter(isObject).flatMap((part) => missing(part, place)),
      ...CHOICES.flatMap((choice) =>
        ((schema[choice] ?? []) as readonly Part[]).flatMap((part) => missing(part, place, others)),
      ),
    ];
  };
  const inContent = ({ content = {} }: Part, place: string) =>
    Object.values(content as Part).flatMap((one) =>
      missing((one as Part)['schema'] as Part, place),
    );

  const { components, paths } = document as Readonly<Record<'components' | 'paths', Part>>;
  const operations = Object.values(paths).flatMap(
    (methods) => Object.values(methods as Part) as Part[],
  );
  return [
    ...Object.entries(components['schemas'] as Part).flatMap(([title, one]) =>
      missing(one as Part, title),
    ),
    ...operations.flatMap(({ operationId, parameters, requestBody, responses }) => [
      ...(parameters as readonly Part[])
        .map(resolved)
        .flatMap(({ name, description, schema }) => [
          ...(isSentence(description) ? [] : [`${String(operationId)} ?${String(name)}`]),
          ...missing((schema ?? {}) as Part, `${String(operationId)} ?${String(name)}`),
        ]),
      ...inContent((requestBody ?? {}) as Part, `${String(operationId)} request`),
      ...Object.entries(responses as Part).flatMap(([status, reply]) =>
        inContent(resolved(reply as Part), `${String(operationId)} ${status}`),
      ),
    ]),
  ];
}

const isSentence = (text: unknown): boolean => typeof text === 'string' && text.length > 0;
