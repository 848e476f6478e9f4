/** Where everything is kept; plain data, so that it may cross threads. */
export type Places = Readonly<{
  /** `embedded:`, or the URL of an EventStoreDB. */
  eventStoreUrl: string;
  /** `embedded:`, or the URL of a MongoDB. */
  readStoreUrl: string;
  dataDir: string;
}>;

export const isEmbedded = (url: string): boolean => url === 'embedded:';

/** A URL as people may see it: without user and password. */
export function shownUrl(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
