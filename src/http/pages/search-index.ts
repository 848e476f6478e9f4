import type { ExplainedRefusal } from '#src/kernel/explanation.ts';
import { codeIn, type ErrorCodeStyle } from '#src/http/error-code.ts';
import { ok, type Reply } from '#src/http/reply.ts';
import { resolved, type SchemaObject, type Schemas } from './description.ts';
import { guidesOf } from './prose.ts';
import type { ApiReference, PlacedOperation } from './reference.ts';

/** A place that the search of the pages finds, by its title, its detail and further words. */
type SearchEntry = readonly [
  kind: string,
  title: string,
  detail: string,
  href: string,
  words?: string,
];

/** Lists operations, errors, members of schemas and guides for the script of the pages. */
export function searchIndex(
  reference: ApiReference,
  refusals: readonly ExplainedRefusal[],
  style?: ErrorCodeStyle,
): Reply {
  const { info, components } = reference.description;
  const entries: SearchEntry[] = [
    ...[...reference.operations.values()].map((one) => operationEntry(one, components.schemas)),
    ...refusals.map((one): SearchEntry => {
      const code = codeIn(one, style);
      return ['error', code, one.title, `/docs/errors/${code}`];
    }),
    ...guidesOf(info.description).guides.map(({ title, id }): SearchEntry => [
      'guide',
      title,
      '',
      `/docs#${id}`,
    ]),
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [
      ['schema', name, '', `/docs/schemas#${name}`] as const,
      ...Object.keys(schema.properties ?? {}).map((member): SearchEntry => [
        'member',
        member,
        name,
        `/docs/schemas#${name}`,
      ]),
    ]),
  ];
  return ok(JSON.stringify(entries), { headers: { 'Cache-Control': 'no-cache' } });
}

/** An operation is also found by its parameters and the members of its request. */
function operationEntry(placed: PlacedOperation, schemas: Schemas): SearchEntry {
  const { method, path, href, operation, parameters } = placed;
  const members = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
    memberNames(schema, schemas),
  );
  const names = new Set([...parameters.map(({ name }) => name), ...members]);
  const words = [operation.operationId, ...operation.tags, ...names].join(' ');
  return [method.toUpperCase(), operation.summary, path, href, words];
}

const memberNames = (schema: SchemaObject, schemas: Schemas): string[] =>
  Object.keys(resolved(schema, schemas).properties ?? {});
