import { refuse, type Refusal } from '#src/kernel/errors.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Projection } from '#src/ports/projection.ts';
import type { Condition, KeyValue, Row } from '#src/ports/read-store.ts';
import type { Sequence } from './paging.ts';

/** A read: its collection, its caller, and the writes that must be visible to it. */
export type Reading = Readonly<{
  of: Projection;
  /** The journal (or category of journals) whose acknowledged writes must be visible. */
  after: string;
  /** Equality on keys, to which the tenant is added. */
  where: Readonly<Record<string, KeyValue>>;
}>;

/** Reads one row; undefined if there is none. Errors: Refusal UNAVAILABLE, Unavailable. */
export async function readRow(
  { reads, progress }: Services,
  { context: { tenantId }, consistencyToken }: Request,
  { of: { collection }, after, where }: Reading,
): Promise<Row | undefined> {
  await progress.reached(collection.name, after, consistencyToken);
  return reads.get(collection, { ...where, tenantId });
}

/** Reads the row with these keys that entered its list last. Errors: as readRow. */
export async function readLast(
  { reads, progress }: Services,
  { context: { tenantId }, consistencyToken }: Request,
  { of: { collection }, after, where }: Reading,
): Promise<Row | undefined> {
  await progress.reached(collection.name, after, consistencyToken);
  const listing = { where: { ...where, tenantId }, order: 'desc', limit: 1 } as const;
  return (await reads.list(collection, listing))[0];
}

/** Returns the rows that match the filters as a sequence, read page by page. Errors: as readRow. */
export async function readRows(
  { reads, progress, logId }: Services,
  { context: { tenantId }, consistencyToken, caller }: Request,
  reading: Reading & Readonly<{ filters: readonly Condition[]; as?: string | undefined }>,
): Promise<Sequence> {
  const { collection } = reading.of;
  const { filters, as } = reading;
  const where = { ...reading.where, tenantId };
  await progress.reached(collection.name, reading.after, consistencyToken);
  return {
    listing: [collection.name, where, filters],
    page: (stretch) =>
      reads.page(collection, { where, filters, ...stretch, ...(as && { as }) }, caller),
    find: async (id) => (await reads.get(collection, { ...where, id }))?.born,
    logId,
  };
}

/** Equality on a key; no condition without a value. */
export const equal = (key: string, is: KeyValue | undefined): Condition[] =>
  is === undefined ? [] : [{ key, is }];

/** A prefix of a text key that is stored in lower case; letter case is ignored. */
export const beginning = (key: string, prefix: string | undefined): Condition[] =>
  prefix === undefined ? [] : [{ key, prefix: prefix.toLowerCase() }];

export const notFound = (what: string): Refusal => refuse('NOT_FOUND', `There is no such ${what}.`);
