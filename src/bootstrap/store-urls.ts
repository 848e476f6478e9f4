import { systemIds } from '#src/adapters/system.ts';
import type { Uuid } from '#src/kernel/ids.ts';

/** The locations of all stores; plain data, so that it may cross threads. */
export type StoreUrls = Readonly<{
  /** `embedded:`, or the URL of an EventStoreDB. */
  eventStoreUrl: string;
  /** `embedded:`, or the URL of a MongoDB. */
  readStoreUrl: string;
  dataDir: string;
}>;

export const isEmbedded = (url: string): boolean => url === 'embedded:';

/**
 * Names the log together with its positions, for what is built from it: a log that was copied to a server keeps its
 * id, but not its positions, and what stands by the old ones must not be trusted.
 */
export const placedLogId = ({ eventStoreUrl }: StoreUrls, logId: Uuid): Uuid =>
  isEmbedded(eventStoreUrl) ? logId : systemIds().named(logId, 'on a server');

/** A URL as people may see it: without user and password. */
export function shownUrl(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
