import { recordProjection } from '#projections/record.ts';
import { cursorReply, pageReply, unionReply, type Sequence } from '#queries/paging.ts';
import { equal } from '#queries/reading.ts';
import { rendererOf } from '#queries/renderer.ts';
import { ok } from '#src/http/reply.ts';
import type { PageRequest, Request } from '#src/http/request.ts';
import { route, type Route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { refuseAny, type RefusalName } from '#src/kernel/errors.ts';
import { entityOf } from '#src/kernel/record.ts';
import { viewBy, type RecordResource } from '#src/kernel/record-resource.ts';
import { cursorListOf, pageOf } from '#src/kernel/schema-fragments.ts';
import type { Projection } from '#src/ports/projection.ts';
import type { Condition, KeyValue, Renderer, Row } from '#src/ports/read-store.ts';

/** Where records are read: the path above theirs, and how the rows below it are found. */
export type RecordShelf = Readonly<{
  path: `/${string}`;
  owner?: string;
  refusals: readonly RefusalName[];
  /** Rows below the path that meet the filters, and those that every list takes. */
  rows: (
    request: Request<unknown, unknown, unknown, PageRequest>,
    services: Services,
    of: Projection,
    filters: readonly Condition[],
  ) => Promise<Sequence>;
  row: (
    request: Request,
    services: Services,
    of: Projection,
    where: Readonly<Record<string, KeyValue>>,
  ) => Promise<Row | undefined>;
}>;

/** Declares the operations that list records and retrieve one. */
export function recordReadRoutes(resource: RecordResource, shelf: RecordShelf): Route[] {
  const { name, nouns, view, list, refusals } = resource;
  const [one, many] = nouns;
  const of = recordProjection(resource);
  const text = recordRenderer(resource);
  const facts = {
    tag: resource.tag,
    method: 'get',
    permission: {
      namespace: resource.namespace ?? 'core',
      resource: resource.path,
      action: 'get',
    },
    entityType: name,
  } as const;
  const path = `${shelf.path}/${resource.path}` as const;
  const parameter = `${entityOf(name)}_id`;
  const notFound = refusals?.notFound ?? 'NOT_FOUND';
  const where = (list.where ?? (() => ({}))) as (query: unknown) => Record<string, string>;

  return [
    route({
      ...facts,
      operationId: `list${name}s`,
      summary: shelf.owner === undefined ? `List ${many}` : `List the ${many} of ${shelf.owner}`,
      path,
      paging: list.paging,
      filters: list.filters ?? {},
      replies: { 200: list.paging === 'page' ? pageOf(view) : cursorListOf(view) },
      refusals: shelf.refusals,

      handle: async (request, services) => {
        const { query, page } = request;
        const filters = Object.entries(where(query)).flatMap(([key, is]) => equal(key, is));
        const sequence = await shelf.rows(request, services, of, filters);
        switch (list.paging) {
          case 'page':
            return pageReply(sequence, page);
          case 'cursor':
            return cursorReply(sequence, page);
          case 'union':
            return unionReply(sequence, { ...page, page: page.page ?? 1 }); // Shown always (§1.7).
        }
      },
    }),

    route({
      ...facts,
      operationId: `get${name}`,
      summary: `Retrieve ${one}`,
      path: `${path}/{${parameter}}`,
      replies: { 200: view },
      refusals: [...shelf.refusals, notFound],

      handle: async (request, services) => {
        const id = (request.path as Readonly<Record<string, string>>)[parameter]!;
        const row = await shelf.row(request, services, of, { id });
        if (row !== undefined) return ok(text(row));
        throw refuseAny(notFound, `There is no such ${one.slice(one.indexOf(' ') + 1)}.`);
      },
    }),
  ];
}

/** Renders the rows of a kind of record. */
export const recordRenderer = ({ view }: Pick<RecordResource, 'view'>): Renderer =>
  rendererOf(viewBy(view));

/** Renders the rows of several kinds, by collection. */
export const recordRenderers = (
  resources: readonly RecordResource[],
): Readonly<Record<string, Renderer>> =>
  Object.fromEntries(
    resources.map((resource) => [
      recordProjection(resource).collection.name,
      recordRenderer(resource),
    ]),
  );
