import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Subscription, SubscriptionChange } from '#src/kernel/subscription.ts';
import type { EventStore, Position, StoredEvent } from '#src/ports/event-store.ts';

/** A subscription as the delivery service knows it. */
export type BookedSubscription = Readonly<{
  tenantId: string;
  subscription: Subscription;
  /** The position of the event that created it. */
  createdAt: Position;
}>;

/** The subscriptions of all tenants, folded from their journals. */
export type SubscriptionBook = Readonly<{
  /** Takes in what the journals have gained. Errors: Unavailable. */
  refresh(): Promise<void>;
  get(id: Uuid): BookedSubscription | undefined;
  all(): Iterable<BookedSubscription>;
  wasRemoved(id: Uuid): boolean;
  /** Returns whether the book has taken in the event of a journal at a position, or is not about that journal. */
  hasTaken(event: Pick<StoredEvent, 'stream' | 'position'>): boolean;
}>;

type BookOptions = Readonly<{
  log: Pick<EventStore, 'read'>;
  /** Returns the ids that events of the tenants record. Errors: Unavailable, Damaged. */
  tenants: () => Promise<readonly string[]> | readonly string[];
  journalOf: (tenantId: string) => string;
  changeIn: (event: StoredEvent) => SubscriptionChange | undefined;
  /** Called for each subscription that changed. */
  onChange: (id: Uuid) => void;
}>;

export function createBook({
  log,
  tenants,
  journalOf,
  changeIn,
  onChange,
}: BookOptions): SubscriptionBook {
  const booked = new Map<Uuid, BookedSubscription>();
  const removed = new Set<Uuid>();
  const next = new Map<string, Revision>();
  /** The position of the last event taken in, by journal. */
  const taken = new Map<string, Position>();
  let refreshing: Promise<void> | undefined;
  let again: Promise<void> | undefined;

  const take = (tenantId: string, event: StoredEvent): void => {
    const change = changeIn(event);
    if (change === undefined) return;
    const id = change.is === 'set' ? change.subscription.id : change.id;
    if (change.is === 'removed') {
      booked.delete(id);
      removed.add(id);
    } else {
      const createdAt = booked.get(id)?.createdAt ?? event.position;
      booked.set(id, { tenantId, subscription: change.subscription, createdAt });
    }
    onChange(id);
  };

  const readOn = async (): Promise<void> => {
    for (const tenantId of await tenants()) {
      for (;;) {
        const events = await log.read(journalOf(tenantId), next.get(tenantId) ?? 0, PAGE);
        for (const event of events) {
          // Another refresh may have taken it meanwhile.
          if (event.revision < (next.get(tenantId) ?? 0)) continue;
          take(tenantId, event);
          next.set(tenantId, event.revision + 1);
          taken.set(event.stream, event.position);
        }
        if (events.length < PAGE) break;
      }
    }
  };

  return {
    async refresh() {
      // A read that is running may have passed the caller's event, so the next one counts.
      if (refreshing === undefined) {
        refreshing = readOn().finally(() => (refreshing = undefined));
        return refreshing;
      }
      again ??= refreshing
        .catch(() => {})
        .then(() => {
          again = undefined;
          refreshing = readOn().finally(() => (refreshing = undefined));
          return refreshing;
        });
      return again;
    },
    get: (id) => booked.get(id),
    all: () => booked.values(),
    wasRemoved: (id) => removed.has(id),
    hasTaken: ({ stream, position }) => position <= (taken.get(stream) ?? position),
  };
}

const PAGE = 500;
