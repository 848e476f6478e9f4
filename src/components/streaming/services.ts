import { hostname } from 'node:os';
import type { SubscriptionServices } from '#commands/streaming/api/services.ts';
import { createSecretKeeper } from '#commands/streaming/processes/signing-secrets.ts';
import { createAddressGuard } from '#src/adapters/network/address-guard.ts';
import { readRanges } from '#src/adapters/network/address-ranges.ts';
import { targetFault } from '#src/adapters/network/target-fault.ts';
import { schemaFile } from '#src/bridge/event-pages.ts';
import { manifestOf } from '#src/bridge/manifest.ts';
import type { ProducerDeclaration } from '#src/bridge/producer.ts';
import type { PlatformFacts } from '#src/components/component.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';
import type { StreamingServices } from '#queries/streaming/services.ts';
import { readDeliverySettings } from './delivery-settings.ts';

/** The names that topics and sources begin with; they hold with streaming off too, because manifests show them. */
export const readSettings = (reader: SettingReader) => ({
  enabled: reader.flag('STREAMING_ENABLED'),
  platform: reader.text('PLATFORM', 'quipu'),
  source: reader.text('STREAMING_CLOUDEVENTS_SOURCE'),
  exchange: reader.text('STREAMING_RABBITMQ_EXCHANGE'),
  hasBroker: BROKERS.some((name) => reader.text(name) !== ''),
  ...readDeliverySettings(reader),
});

const BROKERS = ['STREAMING_BROKERS', 'STREAMING_RABBITMQ_URL'];

export function createServices(
  settings: ReturnType<typeof readSettings>,
  { producers, version: appVersion, ...ports }: PlatformFacts,
): StreamingServices & SubscriptionServices {
  const catalog = producers.flatMap(({ definitions }) => definitions);
  const own = new Set(
    producers
      .filter(({ name }) => name === 'ledger')
      .flatMap(({ definitions }) => definitions.map(({ key }) => key)),
  );
  const { platform, exchange, allowedCidrs } = settings;
  const guard = createAddressGuard(readRanges(allowedCidrs, []));
  const sourceOf = ({ name, defaultSource = name }: ProducerDeclaration): string =>
    settings.source === '' ? `${platform}.${defaultSource}` : settings.source;
  return {
    delivers: settings.enabled,
    publishesTo: !settings.enabled ? 'nowhere' : settings.hasBroker ? 'broker' : 'embedded topics',
    isEventKey: (key) => own.has(key),
    deliveries: ports.deliveries,
    events: ports.events,
    signingSecrets: createSecretKeeper(ports),
    addressFault: (target) => targetFault(target, guard),
    manifest(name) {
      const producer = producers.find((one) => one.name === name);
      if (producer === undefined) return undefined;
      const producerId = `${name}-${hostname()}`;
      const source = sourceOf(producer);
      return JSON.stringify(
        manifestOf(producer, { platform, source, exchange, appVersion, producerId }),
      );
    },
    schema(key, version) {
      const definition = catalog.find((one) => one.key === key && one.schemaVersion === version);
      return definition && schemaFile(definition);
    },
  };
}
