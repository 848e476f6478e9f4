import { createIds } from '#src/adapters/system.ts';
import { pingDraft } from '#src/bridge/streaming/system-event.ts';
import { matchesFilters } from '#src/bridge/subscription-filter.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { parseInstant } from '#src/kernel/instant.ts';
import type { Subscription, SubscriptionChange } from '#src/kernel/subscription.ts';
import type { PulledMessage, PullOptions } from '#src/ports/delivery-calls.ts';
import type { NewEvent, StoredEvent } from '#src/ports/event-store.ts';
import { createBook } from '#src/runtime/delivery/book.ts';
import { createDeliveryCalls } from '#src/runtime/delivery/calls.ts';
import { createPlanner } from '#src/runtime/delivery/planner.ts';
import { createDeliverySource, type SourceTopic } from '#src/runtime/delivery/source.ts';
import {
  memoryDeliveryStore,
  newDeliveries,
  type DeliveryFaults,
} from '#test/doubles/memory/delivery-store.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryLog } from '#test/doubles/memory/log.ts';
import { simulate } from '#test/doubles/memory/simulated.ts';
import { SUBSCRIPTION, subscriptionTo } from '#test/support/deliveries.ts';
import { logged, producer } from '#test/support/relayed.ts';

export const TENANT = 'default';
export const OF = { tenantId: TENANT, subscriptionId: SUBSCRIPTION };

/** The content of an event that yields one record; `fault` says that the record cannot be sent. */
type Note = Readonly<{ key: string; text: string; fault?: string }>;

export type CallsWorld = ReturnType<typeof callsWorld>;
export type CallsProcess = ReturnType<CallsWorld['start']>;

/** A log and the state of deliveries in memory, and processes that serve the calls over them, in a time of their own. */
export function callsWorld(seed = 1) {
  const { clock, scheduler, fillRandom, random, run } = simulate(seed);
  const log = new MemoryLog();
  const deliveries = newDeliveries();
  const writer = new MemoryEventStore({ scheduler, log });
  let written = 0;

  const append = (stream: string, ...events: readonly NewEvent[]) =>
    writer.append(stream, events, log.revision(stream));
  const change = (event: SubscriptionChange) => {
    written += 1;
    return append(`streaming-${TENANT}`, eventOf(`change ${written}`, 'Changed', event));
  };

  /** A process that serves calls; `faults` befall its store of deliveries. */
  const start = (faults?: DeliveryFaults) => {
    const store = memoryDeliveryStore(scheduler, deliveries, faults);
    const events = new MemoryEventStore({ scheduler, log });
    const woken: Uuid[] = [];
    const book = createBook({
      log: events,
      tenants: () => [TENANT],
      journalOf: (tenantId) => `streaming-${tenantId}`,
      changeIn,
      onChange: () => {},
    });
    const source = createDeliverySource({
      log: events,
      topics: [NOTES],
      scheduler,
      onNews: () => {
        desk.look();
      },
    });
    const planner = createPlanner({
      ...{ store, source, book, clock, scheduler, matches: matchesFilters },
      positionAt: (instant) => events.positionAt(parseInstant(instant)),
      onTrouble: (message) => {
        throw new Error(message);
      },
    });
    const desk = createDeliveryCalls({
      ...{ book, store, source, planner, clock, scheduler },
      randomBytes: (length) => {
        const bytes = new Uint8Array(length);
        fillRandom(bytes);
        return bytes;
      },
      ids: createIds(clock, fillRandom),
      ping: (facts) => pingDraft(facts, producer),
      wake: (id) => woken.push(id),
    });
    const pull = async (options: Partial<PullOptions> = {}): Promise<readonly PulledMessage[]> => {
      const pulled = await desk.calls.pull(OF, { ...OPTIONS, ...options });
      if (pulled === undefined) throw new Error('There is no such subscription');
      return pulled;
    };
    return {
      ...{ calls: desk.calls, pull, woken },
      stop: () => {
        desk.stop();
      },
    };
  };

  return {
    ...{ clock, scheduler, random, run, start, deliveries, log },
    subscribe: (changes: Partial<Subscription> = {}) =>
      change({ is: 'set', subscription: subscriptionTo({ kind: 'pull' }, changes) }),
    remove: () => change({ is: 'removed', id: SUBSCRIPTION }),
    /** Appends one event for each text, whose record has the key given. */
    note: async (
      texts: readonly string[],
      key = 'a',
      more: Partial<Note> & Readonly<{ isDamaged?: boolean }> = {},
    ) => {
      const { isDamaged = false, ...members } = more;
      const notes = texts.map((text) => {
        written += 1;
        const event = eventOf(`note ${written}`, 'Noted', { key, text, ...members });
        return isDamaged ? { ...event, data: event.data.replace('{', '{ ') } : event;
      });
      await append('notes-1', ...notes);
    },
    sleep: (ms: number) => scheduler.sleep(ms),
    rows: () => [...deliveries.rows.values()],
  };
}

const OPTIONS: PullOptions = { max: 100, waitMs: 0, leaseMs: 30_000 };

const eventOf = (name: string, type: string, data: object): NewEvent =>
  logged(name, { type, data } as never);

const changeIn = ({ type, data }: StoredEvent): SubscriptionChange | undefined =>
  type === 'Changed' ? (JSON.parse(data) as SubscriptionChange) : undefined;

const NOTES: SourceTopic = {
  types: new Set(['Noted']),
  drafts(event) {
    const { key, text, fault } = event.data as Note;
    const headers = { 'ce-id': event.id, 'ce-type': 'studio.quipu.note.made' };
    return [{ key, headers, value: JSON.stringify({ text }), ...(fault && { fault }) }];
  },
};

export const textsIn = (messages: readonly PulledMessage[]): string[] =>
  messages.map(({ record }) => (JSON.parse(record.value) as Note).text);

export const leasesIn = (messages: readonly PulledMessage[]): string[] =>
  messages.map(({ leaseId }) => leaseId);
