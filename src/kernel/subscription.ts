import type { Uuid } from './ids.ts';
import type { Instant } from './instant.ts';

/** A request to deliver events of a tenant to one target (contract events §12.1). */
export type Subscription = Readonly<{
  id: Uuid;
  name: string;
  filters: SubscriptionFilters;
  target: SubscriptionTarget;
  /** `structured`: one JSON CloudEvent, so that a signature covers every attribute; `binary`: attributes as headers. */
  format: 'structured' | 'binary';
  /** `key`: a message waits for the outcome of the previous one with its record key. */
  ordering: 'none' | 'key';
  /** The maximum number of messages a second. */
  rateLimit: number;
  /** `disabled` is set by the delivery service, after days without a success. */
  status: 'active' | 'paused' | 'disabled';
  /** The time of the first events it delivers. */
  startAt: 'now' | Instant;
  createdAt: Instant;
  updatedAt: Instant;
}>;

/** A change of a subscription, as its journal records it. */
export type SubscriptionChange =
  Readonly<{ is: 'set'; subscription: Subscription }> | Readonly<{ is: 'removed'; id: Uuid }>;

/**
 * The events that a subscription delivers: those that pass every filter given. An empty list passes nothing, and so does
 * an object without members.
 */
export type SubscriptionFilters = Readonly<{
  /** Patterns over ce-type or event key; a final `*` stands for one or more segments. */
  types?: readonly string[];
  resourceTypes?: readonly string[];
  eventTypes?: readonly string[];
  subjects?: readonly string[];
  organizationIds?: readonly string[];
  ledgerIds?: readonly string[];
}>;

export type SubscriptionTarget = WebhookTarget | QueueTarget | BusTarget | PullTarget;

export type WebhookTarget = Readonly<{
  kind: 'webhook';
  url: string;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  timeoutMs: number;
}>;

/** An exchange or queue of RabbitMQ; credentials are in the secret that `credentials` names. */
export type QueueTarget = Readonly<{
  kind: 'queue';
  provider: 'rabbitmq';
  address: string;
  credentials?: string;
}>;

/** A topic of Kafka. */
export type BusTarget = Readonly<{
  kind: 'bus';
  provider: 'kafka';
  address: string;
  credentials?: string;
}>;

/** Fetched by pull calls or as a stream. */
export type PullTarget = Readonly<{ kind: 'pull' }>;
