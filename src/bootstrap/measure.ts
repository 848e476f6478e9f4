import type { Measure } from '#src/runtime/catch-up.ts';
import { isEmbedded, type StoreUrls } from './store-urls.ts';

/**
 * Returns the measure of positions: those of a data folder count events, those of a server bytes, estimated at 2 kB an
 * event until some were seen.
 */
export const measureOf = ({ eventStoreUrl }: StoreUrls): Measure => ({
  at: Number,
  perEvent: isEmbedded(eventStoreUrl) ? 1 : 2000,
});
