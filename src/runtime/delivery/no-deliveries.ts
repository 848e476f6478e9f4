import type { DeliveryCalls, LeasesSettled } from '#src/ports/delivery-calls.ts';
import { Unavailable } from '#src/ports/errors.ts';

const settled = (leaseIds: readonly string[]): Promise<LeasesSettled> =>
  Promise.resolve({ settled: 0, expired: leaseIds });

/** The calls of a deployment that delivers no events: there are no deliveries, and none can be made. */
export const noDeliveries: DeliveryCalls = {
  pull: () => Promise.resolve([]),
  ack: (_, leaseIds) => settled(leaseIds),
  nack: (_, leaseIds) => settled(leaseIds),
  extend: (_, leaseIds) => settled(leaseIds),
  deliveries: () => Promise.resolve([]),
  retry: () => Promise.resolve(undefined),
  replay: () => Promise.resolve(0),
  ping: () => Promise.reject(new Unavailable('This deployment delivers no events')),
};
