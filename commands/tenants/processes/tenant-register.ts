import {
  decideTenant,
  evolveTenants,
  noTenants,
  type TenantCommand,
  type TenantsState,
} from '#commands/tenants/tenants.ts';
import type { TenantEvent } from '#src/events/tenants/tenants.ts';
import { GENESIS, seal } from '#src/journal/chain.ts';
import type { ClockGuard } from '#src/journal/clock-guard.ts';
import { parseData } from '#src/kernel/event-data.ts';
import { follows, hashOf } from '#src/kernel/event-hash.ts';
import type { Actor, EventMetadata } from '#src/kernel/event-metadata.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant, type Micros } from '#src/kernel/instant.ts';
import { tenantsJournal } from '#src/kernel/journal-name.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import type { Clock } from '#src/ports/clock.ts';
import { Ambiguous } from '#src/ports/errors.ts';
import {
  WrongExpectedRevision,
  type EventStore,
  type StoredEvent,
} from '#src/ports/event-store.ts';
import type { Ids } from '#src/ports/ids.ts';
import { damaged } from '#src/ports/intact.ts';

/** The journal of tenants as far as it was read. */
export type TenantReader = Readonly<{
  state: TenantsState;
  /** Reads what the journal has gained. Errors: Unavailable, Damaged. */
  refresh: () => Promise<void>;
}>;

/** The journal of tenants with what writes it. */
export type TenantRegister = TenantReader &
  Readonly<{
    /** Returns whether the command changed anything; durable when it resolves. Errors: TenantRefused, Refusal, Unavailable, Damaged. */
    submit: (command: TenantCommand, actor: Actor) => Promise<boolean>;
  }>;

export const readTenants = (log: Pick<EventStore, 'read'>): TenantReader => folded(log);

/** A guarded clock also refuses to date events while it is implausible. */
export type RegisterPorts = Readonly<{
  clock: Clock & Partial<Pick<ClockGuard, 'refusal'>>;
  ids: Ids;
}>;

/** Any process may write the journal, a command line included, so every append expects the revision that was read last. */
export function createTenantRegister(
  log: Pick<EventStore, 'read' | 'append'>,
  { clock, ids }: RegisterPorts,
): TenantRegister {
  const reader = folded(log);
  const { state, refresh, head } = reader;

  const append = async (events: readonly TenantEvent[], actor: Actor, at: Micros) => {
    const requestId = ids.next();
    let { hash: prevHash } = head;
    const sealed = events.map(({ type, data: members }, n) => {
      const data = JSON.stringify(members);
      const id = ids.next();
      const { metadata, hash } = seal(type, data, {
        $correlationId: requestId,
        $causationId: requestId,
        schemaVersion: 1,
        recordedAt: formatInstant((at + n) as Micros), // Times increase inside a journal.
        actor,
        tenantId: SINGLE_TENANT,
        requestId,
        eventId: id,
        prevHash,
      });
      prevHash = hash;
      return { id, type, data, metadata };
    });
    await log.append(tenantsJournal, sealed, head.revision);
  };

  return {
    state,
    refresh,
    async submit(command, actor) {
      for (;;) {
        await refresh();
        const at = Math.max(clock.now(), head.recordedAt + 1) as Micros;
        const events = decideTenant(state, command, formatInstant(at));
        if (events.length === 0) return false;
        const misdated = clock.refusal?.(head.recordedAt);
        if (misdated !== undefined) throw misdated;
        try {
          await append(events, actor, at);
          await refresh();
          return true;
        } catch (error) {
          // Another process was first, or the outcome is unknown: the next read shows what is left to do.
          if (!(error instanceof WrongExpectedRevision || error instanceof Ambiguous)) throw error;
        }
      }
    },
  };
}

type JournalEnd = { revision: Revision; hash: string; recordedAt: Micros };

function folded(log: Pick<EventStore, 'read'>): TenantReader & Readonly<{ head: JournalEnd }> {
  const state = noTenants();
  const head: JournalEnd = { revision: NONE, hash: GENESIS, recordedAt: 0 as Micros };
  let reading: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const take = (event: StoredEvent): void => {
    if (!follows(event, head.hash)) throw damaged(event);
    const { type, data, metadata } = event;
    evolveTenants(state, { type, data: parseData(data) } as TenantEvent);
    head.revision = event.revision;
    head.hash = hashOf(metadata);
    head.recordedAt = parseInstant((JSON.parse(metadata) as EventMetadata).recordedAt);
  };
  const readOn = async (): Promise<void> => {
    for (;;) {
      const events = await log.read(tenantsJournal, head.revision + 1, PAGE);
      for (const event of events) take(event);
      if (events.length < PAGE) return;
    }
  };
  const read = (): Promise<void> => {
    reading = readOn().finally(() => (reading = undefined));
    return reading;
  };

  return {
    state,
    head,
    // A read that is running may have passed the caller's event, so the next one counts.
    refresh() {
      if (reading === undefined) return read();
      next ??= reading
        .catch(() => {})
        .then(() => {
          next = undefined;
          return read();
        });
      return next;
    },
  };
}

const PAGE = 500;
