import { recordProjection } from '#projections/record.ts';
import { cursorReply, pageFilters, pageReply, unionReply } from '#queries/paging.ts';
import { equal, readRow, readRows, type Reading } from '#queries/reading.ts';
import { rendererOf } from '#queries/renderer.ts';
import { readDescriptions } from '#src/http/record-descriptions.ts';
import { ok } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route, type Route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { refuseAny, type RefusalName } from '#src/kernel/errors.ts';
import { entityOf } from '#src/kernel/record.ts';
import { viewBy, type RecordResource } from '#src/kernel/record-resource.ts';
import { cursorListOf, pageOf } from '#src/kernel/schema-fragments.ts';
import type { Renderer } from '#src/ports/read-store.ts';

/** The place of records in the API: the path above theirs, and its checks. */
export type RecordShelf = Readonly<{
  path: `/${string}`;
  owner?: string;
  operationId?: (action: string, name: string) => string;
  /** The refusals of the path above. */
  refusals: readonly RefusalName[];
  /** Requires the parents in the path; returns the records' owner and the journal whose writes must be visible. */
  open: (
    request: Request,
    services: Services,
  ) => Promise<Readonly<{ parentId?: string; after: string }>>;
}>;

/** Declares the operations that list records and retrieve one. */
export function recordReadRoutes(resource: RecordResource, shelf: RecordShelf): Route[] {
  const { name, nouns, view, list, refusals } = resource;
  const [one, many] = nouns;
  const descriptions = readDescriptions(resource);
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
  const { operationId = (action: string, noun: string) => action + noun } = shelf;
  const where = (list.where ?? (() => ({}))) as (query: unknown) => Record<string, string>;

  const reading = async (request: Request, services: Services): Promise<Reading> => {
    const { parentId, after } = await shelf.open(request, services);
    const { parent } = resource.rows;
    const scope = parent === undefined || parentId === undefined ? {} : { [parent]: parentId };
    return { of, after, where: scope };
  };

  return [
    route({
      ...facts,
      operationId: operationId('list', `${name}s`),
      summary: shelf.owner === undefined ? `List ${many}` : `List the ${many} of ${shelf.owner}`,
      description: descriptions.list,
      path,
      paging: list.paging,
      filters: list.filters ?? {},
      replies: { 200: list.paging === 'page' ? pageOf(view) : cursorListOf(view) },
      refusals: shelf.refusals,

      handle: async (request, services) => {
        const { query, page } = request;
        const filters = Object.entries(where(query)).flatMap(([key, is]) => equal(key, is));
        const sequence = await readRows(services, request, {
          ...(await reading(request, services)),
          filters: [...filters, ...pageFilters(page)],
        });
        switch (list.paging) {
          case 'page':
            return pageReply(sequence, page);
          case 'cursor':
            return cursorReply(sequence, page);
          case 'union':
            return unionReply(sequence, { ...page, page: page.page ?? 1 }); // Always shown (§1.7).
        }
      },
    }),

    route({
      ...facts,
      operationId: operationId('get', name),
      summary: shelf.owner === undefined ? `Retrieve ${one}` : `Retrieve ${one} of ${shelf.owner}`,
      description: descriptions.get,
      path: `${path}/{${parameter}}`,
      replies: { 200: view },
      refusals: [...shelf.refusals, notFound],

      handle: async (request, services) => {
        const id = (request.path as Readonly<Record<string, string>>)[parameter]!;
        const { where: scope, ...rows } = await reading(request, services);
        const row = await readRow(services, request, { ...rows, where: { id, ...scope } });
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
