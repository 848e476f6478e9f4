import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { perform, type Append, type Outcome } from './appends.ts';
import type { EventLog } from './event-log.ts';
import type { Faults } from './faults.ts';
import type { Front } from './front.ts';
import type { SystemEvents } from './system-events.ts';

/** What a handler may do with the call it serves. */
export type Call = Readonly<{
  getPeer(): string;
  emit(event: 'error', error: Partial<StatusObject>): boolean;
}>;

export type Address = Readonly<{ host: string; port: number }>;

/** What the handlers of all services share. */
export class Calls {
  readonly log: EventLog;
  readonly faults: Faults;
  readonly #front: Front;
  readonly #system: SystemEvents;

  constructor(log: EventLog, faults: Faults, front: Front, system: SystemEvents) {
    this.#system = system;
    this.log = log;
    this.faults = faults;
    this.#front = front;
  }

  get address(): Address {
    return { host: '127.0.0.1', port: this.#front.port };
  }

  /** False when the call was refused. */
  admit(call: Call): boolean {
    if (!this.faults.now.refuse) return true;
    call.emit('error', { code: status.UNAVAILABLE, details: 'Refused' });
    return false;
  }

  perform(append: Append): Promise<Outcome> {
    void this.#system.appended();
    return perform(this.log, this.faults, append);
  }

  /** Breaks the connection a call came over, and with it everything else that goes over it. */
  drop(call: Call): void {
    this.#front.drop(call.getPeer());
  }
}

/** An RPC error as the server names it in its trailers. */
export function failure(
  code: status,
  exception: string,
  trailers: Readonly<Record<string, string>>,
): Partial<StatusObject> {
  const metadata = new Metadata();
  metadata.set('exception', exception);
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return { code, details: exception, metadata };
}

export const notLeader = ({ host, port }: Address): Partial<StatusObject> =>
  failure(status.NOT_FOUND, 'not-leader', {
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });

export const streamDeleted = (stream: string): Partial<StatusObject> =>
  failure(status.FAILED_PRECONDITION, 'stream-deleted', { 'stream-name': stream });
