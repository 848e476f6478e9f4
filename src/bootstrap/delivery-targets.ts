import { createAddressGuard, type AddressGuard } from '#src/adapters/network/address-guard.ts';
import { readRanges } from '#src/adapters/network/address-ranges.ts';
import type { DeliverySettings } from '#src/components/streaming/delivery-settings.ts';
import { parseSecrets, signingSecretName } from '#src/kernel/signing-secret.ts';
import type { SubscriptionTarget } from '#src/kernel/subscription.ts';
import type { DeliveryTarget } from '#src/ports/delivery-target.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';

type TargetOptions = DeliverySettings &
  Readonly<{
    /** Shown among the connections of brokers. */
    clientId: string;
    secrets: () => Promise<SecretStore>;
    scheduler: Scheduler;
  }>;

type PushKind = Exclude<SubscriptionTarget['kind'], 'pull'>;

/** Returns the target that sends by the kind of each subscription's; adapters are loaded when the first record is sent. */
export function openDeliveryTargets(options: TargetOptions): DeliveryTarget {
  const guard = createAddressGuard(readRanges(options.allowedCidrs, []));
  const opened = new Map<PushKind, Promise<DeliveryTarget>>();
  const openAt = (kind: PushKind): Promise<DeliveryTarget> => {
    const target = opened.get(kind) ?? open(kind, { ...options, guard });
    opened.set(kind, target);
    return target;
  };
  return {
    async send(message, signal) {
      const { kind } = message.subscription.target;
      if (kind === 'pull') throw new Error('Nothing is sent to a pull target');
      return (await openAt(kind)).send(message, signal);
    },
    async close() {
      await Promise.all([...opened.values()].map(async (target) => (await target).close()));
    },
  };
}

async function open(
  kind: PushKind,
  options: TargetOptions & Readonly<{ guard: AddressGuard }>,
): Promise<DeliveryTarget> {
  switch (kind) {
    case 'webhook': {
      const { openWebhookTarget } = await import('#src/adapters/webhook/delivery-target.ts');
      const { rememberSecrets } = await import('#src/adapters/webhook/secret-cache.ts');
      const { guard, secrets, scheduler } = options;
      const secretsOf = rememberSecrets(
        async (id) => {
          const found = await (await secrets()).get(signingSecretName(id));
          return found && parseSecrets(found.value);
        },
        () => scheduler.elapsedMs(),
      );
      return openWebhookTarget({ guard, secretsOf });
    }
    case 'queue': {
      const { openQueueTarget } = await import('#src/adapters/rabbitmq/delivery-target.ts');
      return openQueueTarget(options);
    }
    case 'bus': {
      const { openBusTarget } = await import('#src/adapters/kafka/delivery-target.ts');
      return openBusTarget(options);
    }
  }
}
