import { systemIds } from '#src/adapters/system.ts';
import type { Uuid } from '#src/kernel/ids.ts';

/** The locations of all stores; plain data, so that it can cross threads. */
export type StoreUrls = Readonly<{
  /** `embedded:`, or the URL of an EventStoreDB. */
  eventStoreUrl: string;
  /** `embedded:`, or the URL of a MongoDB. */
  readStoreUrl: string;
  dataDir: string;
}>;

export const isEmbedded = (url: string): boolean => url === 'embedded:';

/**
 * Identifies the log together with its positions, for data derived from it: a log that was copied to a server keeps its
 * id, but not its positions, so data with the old ones must not be trusted.
 */
export const placedLogId = ({ eventStoreUrl }: StoreUrls, logId: Uuid): Uuid =>
  isEmbedded(eventStoreUrl) ? logId : systemIds().named(logId, 'on a server');

/** Returns a URL without user and password, for display. */
export function shownUrl(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
