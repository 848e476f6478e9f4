import type { RefusalName } from '#src/kernel/errors.ts';
import type { RefusalCatalog } from '#src/kernel/explanation.ts';
import { NO_DESCRIPTIONS } from '#src/kernel/descriptions.ts';
import type { Filter, Filters } from '#src/kernel/filters.ts';
import { permissionText } from '#src/kernel/permission.ts';
import type { PublishedSchema } from '#src/kernel/schema.ts';
import { catalogOf, codeIn, refusalIn, type ErrorCodeStyle } from './error-code.ts';
import { Components, type Described } from './openapi-components.ts';
import { Links } from './openapi-links.ts';
import {
  dateForms,
  filterText,
  headerParameters,
  replyHeaders,
  pagingParameters,
  problemSchemaOf,
} from './openapi-parts.ts';
import { guides } from './openapi-guides.ts';
import {
  examplesOf,
  REQUEST,
  type ExampleBodies,
  type OperationExamples,
  type StoredExamples,
} from './operation-examples.ts';
import { refusalsOf } from './operation-refusals.ts';
import { LIMIT_MAX_DEFAULT } from './query.ts';
import type { Route } from './route.ts';
import { isId, parameterNames } from './route-table.ts';

/** The settings of a deployment that affect its description, and the examples, if they are to be shown. */
type DescribedAs = Readonly<{
  limitMax?: number;
  style?: ErrorCodeStyle | undefined;
  examples?: StoredExamples;
}>;

/** Generates the OpenAPI 3.1 description of the API from the same table that serves it. */
export function openapiOf(
  routes: readonly Route[],
  { limitMax = LIMIT_MAX_DEFAULT, style, examples = {} }: DescribedAs = {},
): object {
  const components = new Components();
  const links = new Links(routes);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const own = examplesOf(examples, route.operationId);
    (paths[route.path] ??= {})[route.method] = operation(route, { components, links, style }, own);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ledger Platform API',
      version: '4.0.0',
      description:
        'A ledger over one event log: what is written can be replayed, audited and streamed.\n\n' +
        `${guides}\n\n## Rules beyond the schemas\n\n` +
        beyondSchemas(catalogOf(routes), style),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(routes),
    security: [{ bearer: [] }, {}],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Required only when access management is enabled.',
        },
      },
      parameters: { ...headerParameters, ...pagingParameters(limitMax) },
      headers: replyHeaders,
      schemas: { ...components.schemas, Problem: problemSchemaOf(style) },
      responses: components.responses,
      links: links.components,
    },
  };
}

/** Returns the groups of these operations as their components order them; those without a description come last. */
function tagsOf(routes: readonly Route[]): object[] {
  const described = Object.fromEntries(
    routes.flatMap(({ descriptions }) => Object.entries(descriptions?.tags ?? {})),
  );
  const used = new Set(routes.map(({ tag }) => tag));
  const names = new Set([...Object.keys(described), ...[...used].sort()]).intersection(used);
  return [...names].map((name) => ({
    name,
    ...(described[name] !== undefined && { description: described[name] }),
  }));
}

/** Lists rules beyond the schemas, for clients that generate or validate requests. */
const beyondSchemas = (catalog: RefusalCatalog, style?: ErrorCodeStyle): string =>
  [
    'A request that fits its schema is refused as malformed only for what JSON Schema cannot state:',
    '',
    ...Object.values(catalog).flatMap(({ beyondSchema, code }) =>
      beyondSchema === undefined ? [] : [`- ${beyondSchema} (\`${codeIn({ code }, style)}\`).`],
    ),
  ].join('\n');

/** Collects what the operations of one document refer to. */
type DocumentParts = Readonly<{
  components: Components;
  links: Links;
  style: ErrorCodeStyle | undefined;
}>;

function operation(
  route: Route,
  { components, links, style }: DocumentParts,
  examples: OperationExamples,
): object {
  const { operationId, summary, description, tag, body, bodyOptional, lines, forms = {} } = route;
  const request = describedFor(route, 'Request');
  const line = describedFor(route, 'Line');
  const { members } = request;
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...(route.successor !== undefined && { deprecated: true }),
    parameters: parametersOf(route, components),
    ...(body && {
      requestBody: {
        required: bodyOptional !== true,
        content: withExamples(examples[REQUEST], {
          'application/json': components.input(body, request),
          ...(lines && { 'application/x-ndjson': components.input(lines.item, line) }),
          ...Object.fromEntries(
            Object.entries(forms).map(([type, { schema }]) => [
              type,
              components.input(schema, { members }),
            ]),
          ),
        }),
      },
    }),
    responses: {
      ...successes(route, { components, links }, examples),
      ...problems(route, components, style),
    },
    'x-permission': permissionText(route.permission),
  };
}

/** Describes a body by media type: its schema, and an example where there is one. */
const withExamples = (
  examples: ExampleBodies = {},
  schemas: Readonly<Record<string, object>>,
): object =>
  Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [
      type,
      { schema, ...(type in examples && { example: examples[type] }) },
    ]),
  );

/** Names a body of an operation whose schema has no title: `CreateBookRequest`. */
const describedFor = ({ operationId, descriptions }: Route, what: string): Described => ({
  name: operationId.charAt(0).toUpperCase() + operationId.slice(1) + what,
  members: (descriptions ?? NO_DESCRIPTIONS).members,
});

function parametersOf(route: Route, components: Components): object[] {
  const { path, paging, filters, method, idempotent, resumable, loneDates, noMetadata } = route;
  const { pathSchemas = {}, filtersTogether, headerParameter } = route;
  const { parameters: meanings } = route.descriptions ?? NO_DESCRIPTIONS;
  const meaning = (name: string, own?: string): object => {
    const description = own ?? meanings[name];
    return description === undefined ? {} : { description };
  };
  const metadata = noMetadata === true ? [] : ['metadata'];
  const dates = loneDates ? 'loneDates' : 'dates';
  const listed = paging ? ['limit', ...PAGING[paging], 'sort_order', dates, ...metadata] : [];
  const described = Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => [
      name,
      { ...filter, ...meaning(name, filter.description) },
    ]),
  );
  const headers = ['X-Request-Id'];
  if (method === 'get' || method === 'head') headers.push('X-Consistency-Token');
  if (idempotent) headers.push('X-Idempotency', 'Idempotency-Key', 'X-TTL');
  if (resumable) headers.push('Last-Event-ID');
  return [
    ...parameterNames(path).map((name) => ({
      name,
      in: 'path',
      required: true,
      ...meaning(name),
      schema: isId(name) ? UUID : (pathSchemas[name] ?? TEXT),
    })),
    ...(headerParameter
      ? [
          {
            name: headerParameter.header,
            in: 'header',
            required: true,
            ...meaning(headerParameter.header),
            schema: UUID,
          },
        ]
      : []),
    ...[...listed, ...headers].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(filtersTogether
      ? [
          filtersAsObject(
            components.parameters(
              filters,
              filtersSchema(described, filtersTogether),
              describedFor(route, 'Filters'),
            ),
          ),
        ]
      : Object.entries(described).map(([name, filter]) => filterParameter(name, filter))),
  ];
}

const UUID = { type: 'string', format: 'uuid' } as const;
const TEXT = { type: 'string', minLength: 1 } as const;

const PAGING = { page: ['page'], cursor: ['cursor'], union: ['page', 'cursor'] } as const;

function filterParameter(name: string, filter: Filter): object {
  const { required, description } = filter;
  return {
    name,
    in: 'query',
    ...(required && { required }),
    ...(description !== undefined && { description }),
    schema: filterSchema(filter),
  };
}

/** Describes filters as one object, although each is a separate parameter on the wire. */
const filtersAsObject = (schema: object): object => ({
  name: 'filters',
  in: 'query',
  style: 'form',
  explode: true,
  description:
    'Each member is a query parameter of its own; the schema states how they go together.',
  schema,
});

const filtersSchema = (filters: Filters, rule: PublishedSchema): PublishedSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => [
      name,
      {
        ...filterSchema(filter),
        ...(filter.description !== undefined && { description: filter.description }),
      },
    ]),
  ),
  ...rule,
  additionalProperties: false,
});

function filterSchema({ type, format, enum: words, minimum, published }: Filter): object {
  if (published) return published;
  if (format === 'instant') return dateForms;
  return {
    type,
    ...(format && FORMATS[format]),
    ...(type === 'string' && !format && !words && filterText),
    ...(words && { enum: words }),
    ...(minimum !== undefined && { minimum }),
  };
}

const FORMATS = {
  uuid: { format: 'uuid' },
  'date-time': { format: 'date-time' },
  moment: {
    format: 'date-time',
    description: 'YYYY-MM-DD hh:mm:ss is accepted as well, in UTC.',
  },
} as const;

function successes(
  route: Route,
  { components, links }: Omit<DocumentParts, 'style'>,
  examples: OperationExamples,
): Record<string, object> {
  const write = route.method !== 'get' && route.method !== 'head';
  const shared = [
    'X-Request-Id',
    ...(write ? ['X-Consistency-Token'] : []),
    ...(route.successor === undefined ? [] : ['Deprecation', 'Link']),
    ...(route.idempotent ? ['X-Idempotency-Replayed'] : []),
    ...(route.path.endsWith('/metrics/count') ? ['X-Total-Count'] : []),
  ];
  const headers = {
    ...Object.fromEntries(shared.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...route.replyHeaders,
  };
  const response = describedFor(route, 'Response');
  const line = describedFor(route, 'ResultLine');
  return Object.fromEntries(
    Object.entries(route.replies).map(([status, schema]) => [
      status,
      {
        description: STATUS_WORDS[status] ?? 'Success',
        headers,
        ...links.of(route, Number(status)),
        ...(schema && {
          content: withExamples(examples[status], {
            [route.media ?? 'application/json']: components.output(schema, response),
            ...(route.lines &&
              status === '200' && {
                'application/x-ndjson': components.output(route.lines.result, line),
              }),
          }),
        }),
      },
    ]),
  );
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  '200': 'Done',
  '201': 'Created',
  '204': 'Done, without a body',
};

function problems(
  route: Route,
  components: Components,
  style?: ErrorCodeStyle,
): Record<string, object> {
  const described = (status: number | 'default', names: readonly RefusalName[]) => {
    const codes = [...new Set(names.map((name) => codeIn(refusalIn(name, route), style)))];
    return [
      status,
      components.problem(status, codes, { bodiless: route.method === 'head' }),
    ] as const;
  };
  const found = [...refusalsOf(route)];
  if (route.malformedQueryStatus === undefined) {
    return Object.fromEntries(found.map(([status, names]) => described(status, names)));
  }
  // The specification describes this one listing: 422, 500, and any other status.
  const own = found.filter(([status]) => status === route.malformedQueryStatus || status === 500);
  const others = found.filter((one) => !own.includes(one)).flatMap(([, names]) => names);
  return Object.fromEntries([
    ...own.map(([status, names]) => described(status, names)),
    described('default', others),
  ]);
}
