import { claimsIn } from '#src/kernel/claims.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { memberText } from '#src/kernel/member-text.ts';
import { readTraceContext, type TraceContext } from '#src/kernel/trace-context.ts';
import type { ValueName } from '#src/kernel/unique-values.ts';
import type { Position, StoredEvent } from '#src/ports/event-store.ts';
import type { Recorded } from '#src/ports/projection.ts';

/** An event of the log as consumers see it: each text is parsed at most once, and only when needed. */
export class LoggedEvent implements Recorded<never> {
  readonly stored: StoredEvent;
  #data: unknown;
  #tenantId: string | undefined;
  #recordedAt: Instant | undefined;

  constructor(stored: StoredEvent) {
    this.stored = stored;
  }

  get type(): string {
    return this.stored.type;
  }
  get stream(): string {
    return this.stored.stream;
  }
  get revision(): Revision {
    return this.stored.revision;
  }
  get position(): Position {
    return this.stored.position;
  }
  get text(): string {
    return this.stored.data;
  }

  /** Errors: SyntaxError for a damaged event. */
  get data(): never {
    return (this.#data ??= parseData(this.stored.data)) as never;
  }

  get id(): Uuid {
    return this.stored.id;
  }

  get recordedAt(): Instant {
    this.#recordedAt ??= memberText(this.stored.metadata, 'recordedAt') as Instant | undefined;
    if (this.#recordedAt === undefined) throw new Error('The metadata name no moment of recording');
    return this.#recordedAt;
  }

  get tenantId(): string {
    this.#tenantId ??= sameTenant(memberText(this.stored.metadata, 'tenantId'));
    if (this.#tenantId === undefined) throw new Error('The metadata name no tenant');
    return this.#tenantId;
  }

  /** The trace of the request that caused it. */
  get trace(): TraceContext | undefined {
    const { metadata } = this.stored;
    const traceparent = memberText(metadata, 'traceparent');
    return traceparent === undefined
      ? undefined
      : readTraceContext(traceparent, memberText(metadata, 'tracestate'));
  }

  get idempotencyKey(): string | undefined {
    return memberText(this.stored.metadata, 'idempotencyKey');
  }

  get claims(): readonly ValueName[] {
    return claimsIn(this.stored.metadata);
  }
}

/** Returns one string for the tenant of consecutive events, as it is looked up for each. */
function sameTenant(tenantId: string | undefined): string | undefined {
  if (tenantId !== lastTenant) lastTenant = tenantId;
  return lastTenant;
}
let lastTenant: string | undefined;
