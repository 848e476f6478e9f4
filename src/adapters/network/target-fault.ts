import { isIP } from 'node:net';
import { readBusAddress, readQueueAddress } from '#src/kernel/broker-address.ts';
import type { SubscriptionTarget } from '#src/kernel/subscription.ts';
import { AddressRefused, type AddressGuard } from './address-guard.ts';
import { readTargetUrl } from './target-url.ts';

/**
 * Returns why nothing can be delivered to a target, as far as its address says without a name server; undefined if it
 * says nothing.
 */
export function targetFault(target: SubscriptionTarget, guard: AddressGuard): string | undefined {
  switch (target.kind) {
    case 'webhook': {
      const at = readTargetUrl(target.url, ['https', 'http']);
      if (at === undefined) return 'must be an https URL with an ordinary host name';
      const isEncrypted = at.url.protocol === 'https:';
      if (!isEncrypted && isIP(at.host) === 0) {
        return 'must be https, unless its host is an address in DELIVERY_ALLOWED_CIDRS';
      }
      return hostsFault([at.host], isEncrypted, guard);
    }
    case 'queue': {
      const at = readQueueAddress(target.address);
      if (at === undefined) return 'must be like amqps://host/vhost?exchange=name or ?queue=name';
      return hostsFault([at.host], at.isEncrypted, guard);
    }
    case 'bus': {
      const at = readBusAddress(target.address);
      if (at === undefined) return 'must be like kafkas://host:9093,host:9093/topic';
      return hostsFault(
        at.brokers.map(({ host }) => host),
        at.isEncrypted,
        guard,
      );
    }
    case 'pull':
      return undefined;
  }
}

function hostsFault(
  hosts: readonly string[],
  isEncrypted: boolean,
  guard: AddressGuard,
): string | undefined {
  try {
    for (const host of hosts) guard.checkHost(host, isEncrypted);
    return undefined;
  } catch (error) {
    if (error instanceof AddressRefused) return error.message;
    throw error;
  }
}
