import type { DeliveryCalls } from '#src/ports/delivery-calls.ts';
import type { EventFeed } from '#src/ports/event-feed.ts';
import type { Services } from '#src/http/services.ts';

/** Texts of the catalog, deliveries and events, for the handlers of streaming. */
export type StreamingServices = Readonly<{
  /** Returns the manifest of a producer as JSON; undefined for a name that no producer has. */
  manifest: (producer: string) => string | undefined;
  /** Returns the JSON Schema of a payload; undefined for an event or version that the catalog lacks. */
  schema: (key: string, version: string) => string | undefined;
  /** False if the operator has not switched streaming on. */
  delivers: boolean;
  deliveries: Pick<DeliveryCalls, 'deliveries'>;
  events: EventFeed;
}>;

/** The start of the server sets them under this name. */
export const streamingServices = ({
  components,
}: Pick<Services, 'components'>): StreamingServices => components['streaming'] as StreamingServices;
