import type { Publisher } from '#src/ports/publisher.ts';
import type { RelayedStreaming } from './streaming-settings.ts';

/** Opens the publisher of the settings; only its driver is loaded. It connects when the first record is sent. */
export async function openPublisher({
  clientId,
  deliveryTimeoutMs,
  target,
}: Pick<RelayedStreaming, 'clientId' | 'deliveryTimeoutMs' | 'target'>): Promise<Publisher> {
  if (target.is === 'kafka') {
    const { openKafkaPublisher } = await import('#src/adapters/kafka/publisher.ts');
    return openKafkaPublisher({ ...target, clientId, deliveryTimeoutMs });
  }
  const { openRabbitPublisher } = await import('#src/adapters/rabbitmq/publisher.ts');
  return openRabbitPublisher({ ...target, clientId, deliveryTimeoutMs });
}
