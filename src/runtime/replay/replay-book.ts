import { isIntact } from '#src/kernel/event-hash.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Replay } from '#src/kernel/replay.ts';
import type { EventStore, Position, StoredEvent } from '#src/ports/event-store.ts';
import { damaged } from '#src/ports/intact.ts';

/** A replay that is not completed. */
export type PendingReplay = Readonly<{
  tenantId: string;
  replay: Replay;
  /** The position of its request, after which no event is part of it. */
  requestedAt: Position;
}>;

/** The replays of all tenants, folded from their journals. */
export type ReplayBook = Readonly<{
  /** Takes in what the journals have gained. Errors: Unavailable, Damaged. */
  refresh(): Promise<void>;
  /** Returns the replays that are not completed, those of one tenant in the order of their requests. */
  pending(): readonly PendingReplay[];
}>;

export type ReplayBookOptions = Readonly<{
  log: Pick<EventStore, 'read'>;
  /** Returns the ids that events of the tenants record. Errors: Unavailable, Damaged. */
  tenants: () => Promise<readonly string[]> | readonly string[];
  journalOf: (tenantId: string) => string;
  replayIn: (event: StoredEvent) => Replay | undefined;
}>;

export function createReplayBook({
  log,
  tenants,
  journalOf,
  replayIn,
}: ReplayBookOptions): ReplayBook {
  const pending = new Map<Uuid, PendingReplay>();
  const next = new Map<string, Revision>();

  const take = (tenantId: string, event: StoredEvent): void => {
    if (!isIntact(event)) throw damaged(event);
    const replay = replayIn(event);
    if (replay?.status === 'pending') {
      pending.set(replay.id, { tenantId, replay, requestedAt: event.position });
    } else if (replay !== undefined) {
      pending.delete(replay.id);
    }
  };

  return {
    async refresh() {
      for (const tenantId of await tenants()) {
        for (;;) {
          const events = await log.read(journalOf(tenantId), next.get(tenantId) ?? 0, PAGE);
          for (const event of events) {
            take(tenantId, event);
            next.set(tenantId, event.revision + 1);
          }
          if (events.length < PAGE) break;
        }
      }
    },
    pending: () => [...pending.values()],
  };
}

const PAGE = 500;
