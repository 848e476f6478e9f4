import type { RefusalName } from '#src/domain/errors.ts';
import type { Filter } from '#src/resources/filters.ts';
import { Components } from './openapi-components.ts';
import { headerParameters, pagingParameters, problemSchema } from './openapi-parts.ts';
import { codeOf, refusalsOf } from './operation-refusals.ts';
import type { Route } from './route.ts';
import { isId, parameterNames } from './table.ts';

/** The description of the API, OpenAPI 3.1, from the same table that serves it. */
export function openapiOf(routes: readonly Route[]): object {
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes)
    (paths[route.path] ??= {})[route.method] = operation(route, components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ledger Platform API',
      version: '4.0.0',
      description:
        'A ledger over one event log: what is written can be replayed, audited and streamed.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].sort().map((name) => ({ name })),
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
      parameters: { ...headerParameters, ...pagingParameters },
      schemas: { ...components.schemas, Problem: problemSchema },
      responses: components.responses,
    },
  };
}

function operation(route: Route, components: Components): object {
  const { operationId, summary, description, tag, body, bodyOptional, lines, forms = {} } = route;
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    parameters: parametersOf(route),
    ...(body && {
      requestBody: {
        required: bodyOptional !== true,
        content: {
          'application/json': { schema: components.input(body) },
          ...(lines && { 'application/x-ndjson': { schema: components.input(lines.item) } }),
          ...Object.fromEntries(
            Object.entries(forms).map(([type, { schema }]) => [
              type,
              { schema: components.input(schema) },
            ]),
          ),
        },
      },
    }),
    responses: { ...successes(route, components), ...problems(route, components) },
    'x-permission': `${route.permission.namespace}:${route.permission.resource}:${route.permission.action}`,
  };
}

function parametersOf(route: Route): object[] {
  const { path, paging, filters, method, idempotent } = route;
  const listed = paging
    ? ['limit', ...PAGING[paging], 'sort_order', 'start_date', 'end_date', 'metadata']
    : [];
  const headers = ['X-Request-Id'];
  if (method === 'get' || method === 'head') headers.push('X-Consistency-Token');
  if (idempotent) headers.push('X-Idempotency', 'Idempotency-Key', 'X-TTL');
  return [
    ...parameterNames(path).map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: isId(name) ? { type: 'string', format: 'uuid' } : { type: 'string' },
    })),
    ...[...listed, ...headers].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...Object.entries(filters).map(([name, filter]) => filterParameter(name, filter)),
  ];
}

const PAGING = { page: ['page'], cursor: ['cursor'], union: ['page', 'cursor'] } as const;

function filterParameter(name: string, filter: Filter): object {
  const { type, format, enum: words, minimum, required, description } = filter;
  return {
    name,
    in: 'query',
    ...(required && { required }),
    ...(description !== undefined && { description }),
    schema: {
      type,
      ...(format && FORMATS[format]),
      ...(words && { enum: words }),
      ...(minimum !== undefined && { minimum }),
    },
  };
}

/** A form that may lack the time, or the T before it, is no format of the standard. */
const FORMATS = {
  uuid: { format: 'uuid' },
  'date-time': { format: 'date-time' },
  instant: { examples: ['2025-06-01', '2025-06-01 12:30:00'] },
  moment: { examples: ['2025-06-01 12:30:00', '2025-06-01T12:30:00Z'] },
} as const;

function successes(route: Route, components: Components): Record<string, object> {
  const write = route.method !== 'get' && route.method !== 'head';
  const text = { schema: { type: 'string' } };
  const headers = {
    'X-Request-Id': text,
    ...(write && { 'X-Consistency-Token': text }),
    ...(route.idempotent && { 'X-Idempotency-Replayed': { schema: { type: 'boolean' } } }),
    ...(route.path.endsWith('/metrics/count') && {
      'X-Total-Count': { schema: { type: 'integer' } },
    }),
  };
  return Object.fromEntries(
    Object.entries(route.replies).map(([status, schema]) => [
      status,
      {
        description: STATUS_WORDS[status] ?? 'Success',
        headers,
        ...(schema && {
          content: {
            [route.media ?? 'application/json']: { schema: components.output(schema) },
            ...(route.lines &&
              status === '200' && {
                'application/x-ndjson': { schema: components.output(route.lines.result) },
              }),
          },
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

function problems(route: Route, components: Components): Record<string, object> {
  const described = (status: number | 'default', names: readonly RefusalName[]) =>
    [status, components.problem(status, [...new Set(names.map(codeOf))])] as const;
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
