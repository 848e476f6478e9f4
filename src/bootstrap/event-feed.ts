import { systemScheduler } from '#src/adapters/system.ts';
import { matchesFilters } from '#src/bridge/subscription-filter.ts';
import type { EventFeed } from '#src/ports/event-feed.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import { createEventFeed } from '#src/runtime/delivery/event-stream.ts';
import { createDeliverySource } from '#src/runtime/delivery/source.ts';
import { publishedTopics } from './definitions.ts';
import type { Settings } from './settings.ts';
import type { Tenancy } from './tenants.ts';

/** Creates the feed of live streams; without streaming, no event has a topic and streams stay empty. */
export function eventFeedOf(
  { platform, streaming }: Pick<Settings, 'platform' | 'streaming'>,
  log: EventStore,
  tenancy: Tenancy | undefined,
): EventFeed {
  const scheduler = systemScheduler;
  return createEventFeed({
    ...{ log, scheduler, matches: matchesFilters },
    openSource: (onNews) =>
      createDeliverySource({
        ...{ log, scheduler, onNews },
        topics: streaming
          ? publishedTopics({ platform, ...streaming, ...tenancy }, streaming.policies)
          : [],
      }),
  });
}
