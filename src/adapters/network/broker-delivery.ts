import { structuredEvent } from '#src/kernel/structured-event.ts';
import type { Subscription } from '#src/kernel/subscription.ts';
import type { DeliveryErrorClass, DeliveryOutcome } from '#src/ports/delivery-target.ts';
import type { OutgoingRecord } from '#src/ports/publisher.ts';
import type { AddressGuard } from './address-guard.ts';
import { connectionFault } from './connection-fault.ts';

/** The options of targets at brokers. */
export type BrokerOptions = Readonly<{
  guard: AddressGuard;
  credentials: BrokerCredentials;
  /** Shown among the connections of a broker. */
  clientId: string;
  /** The time limit of an attempt; connecting counts. */
  timeoutMs?: number;
  /** Unused connections are closed after it. */
  idleMs?: number;
}>;

/**
 * User names and passwords by the name that subscriptions give. Each holds for some hosts only: whoever may subscribe
 * could otherwise have them sent to a host of their own.
 */
export type BrokerCredentials = Readonly<Record<string, BrokerLogin>>;
export type BrokerLogin = Readonly<{
  username: string;
  password: string;
  hosts: readonly string[];
}>;

export const TIMEOUT_MS = 15_000;
export const IDLE_MS = 60_000;

/** Returns the login of a name; `refused` if there is none, or if it is not for all of the hosts. */
export function loginFor(
  name: string | undefined,
  hosts: readonly string[],
  credentials: BrokerCredentials,
): BrokerLogin | 'none' | 'refused' {
  if (name === undefined) return 'none';
  const login = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
  const isFor = (host: string): boolean => login?.hosts.includes(host.toLowerCase()) ?? false;
  return login !== undefined && hosts.every(isFor) ? login : 'refused';
}

export const STRUCTURED = 'application/cloudevents+json; charset=utf-8';

/**
 * Returns the record as it is sent in a format: a structured one has its attributes as headers too, so that brokers can
 * route by them. Errors: SyntaxError if the value is not JSON.
 */
export function inFormat(
  record: OutgoingRecord,
  { format }: Pick<Subscription, 'format'>,
): OutgoingRecord {
  JSON.parse(record.value);
  return format === 'structured' ? { ...record, value: structuredEvent(record) } : record;
}

/** Makes an attempt, and turns its error into an outcome. Errors: the reason of the signal. */
export async function outcomeOf(
  attempt: () => Promise<void>,
  classOf: (error: unknown) => DeliveryErrorClass,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  signal.throwIfAborted();
  try {
    await attempt();
    return { is: 'delivered' };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError) return failed('serialization_error');
    return failed(connectionFault(error) ?? classOf(error));
  }
}

export const failed = (errorClass: DeliveryErrorClass): DeliveryOutcome => ({
  is: 'failed',
  errorClass,
});
