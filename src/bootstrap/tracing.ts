import { memberText } from '#src/kernel/member-text.ts';
import { readTraceContext, type TraceContext } from '#src/kernel/trace-context.ts';
import { parseInstant, type Instant } from '#src/kernel/instant.ts';
import type { DeliveryTarget } from '#src/ports/delivery-target.ts';
import type { EventStore, NewEvent } from '#src/ports/event-store.ts';
import type { OutgoingRecord, Publisher } from '#src/ports/publisher.ts';
import type { Tracing } from '#src/ports/tracing.ts';
import type { Role } from './settings.ts';
import type { TracingSettings } from './tracing-settings.ts';

export type OpenedTracing = Tracing & Readonly<{ close: () => Promise<void> }>;

/** Opens the spans of one thread. Without a collector it loads nothing, and returns undefined. */
export async function openSpans(
  settings: TracingSettings | undefined,
  role: Role,
  onTrouble?: (message: string) => void,
): Promise<OpenedTracing | undefined> {
  if (settings === undefined) return undefined;
  const { openTracing } = await import('#src/adapters/opentelemetry/tracing.ts');
  return openTracing({ ...settings, role, ...(onTrouble && { onTrouble }) });
}

/** Records appends in the traces of their events. */
export function tracedStore<Store extends Pick<EventStore, 'append'>>(
  store: Store,
  tracing: Tracing | undefined,
): Store {
  if (tracing === undefined) return store;
  return {
    ...store,
    append: (stream, events, expected) =>
      tracing.during('append', events.flatMap(traceOf), () =>
        store.append(stream, events, expected),
      ),
  };
}

/** Records what is published in the traces of its events. */
export function tracedPublisher(publisher: Publisher, tracing: Tracing | undefined): Publisher {
  if (tracing === undefined) return publisher;
  return {
    target: publisher.target,
    publish: (topic, records) =>
      tracing.during('publish', records.flatMap(traceIn), () => publisher.publish(topic, records)),
    bury: (topic, record) => publisher.bury(topic, record),
    provision: (topics) => publisher.provision(topics),
    close: () => publisher.close(),
  };
}

/** Records each attempt of a delivery in the trace of its event. */
export function tracedTarget(target: DeliveryTarget, tracing: Tracing | undefined): DeliveryTarget {
  if (tracing === undefined) return target;
  return {
    send: (message, signal) =>
      tracing.during('publish', traceIn(message.record), () => target.send(message, signal)),
    close: () => target.close(),
  };
}

type TracedEvent = Readonly<{ recordedAt: Instant; trace: TraceContext | undefined }>;

/** Returns the traces of events that are not older than a minute: a rebuild is no part of the requests of the past. */
export function freshTraces(events: readonly TracedEvent[]): readonly TraceContext[] {
  const sinceMicros = (Date.now() - FRESH_MS) * 1000;
  return events.flatMap((event) => {
    const { trace } = event;
    return trace !== undefined && parseInstant(event.recordedAt) >= sinceMicros ? [trace] : [];
  });
}

function traceOf({ metadata }: NewEvent): readonly TraceContext[] {
  const traceparent = memberText(metadata, 'traceparent');
  const trace = readTraceContext(traceparent, memberText(metadata, 'tracestate'));
  return trace === undefined ? [] : [trace];
}

function traceIn({ headers }: OutgoingRecord): readonly TraceContext[] {
  const trace = readTraceContext(headers['traceparent'], headers['tracestate']);
  return trace === undefined ? [] : [trace];
}

const FRESH_MS = 60_000;
