/** A record on its way to a topic. */
export type OutgoingRecord = Readonly<{
  /** Records of one topic with the same key are kept in order. */
  key: string;
  /** Names in lower case; values are texts without control characters. */
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  value: string;
}>;

/** A record, or what there is of one that cannot be published. */
export type Draft = OutgoingRecord & Readonly<{ fault?: string }>;

/**
 * Where records go. Delivery is at least once: what was not acknowledged may have arrived all the same.
 *
 * Errors: PublishFailed.
 */
export interface Publisher {
  /** For people. */
  readonly target: string;

  /**
   * Publishes records of one topic; all are acknowledged when it resolves. After a rejection those that are left are
   * given again, from the first one that was not acknowledged: the first deliveries of a key are in order even so.
   */
  publish(topic: string, records: readonly OutgoingRecord[]): Promise<void>;

  /** Publishes a record where the dead ones of its topic go; acknowledged when it resolves. */
  bury(topic: string, record: OutgoingRecord): Promise<void>;

  /** Creates what the topics need if it may; answers what is missing all the same. */
  provision(topics: readonly string[]): Promise<readonly string[]>;

  /** What is on its way is given up. */
  close(): Promise<void>;
}

/** Contract events §9.4. */
export type ErrorClass =
  | 'serialization_error'
  | 'validation_error'
  | 'auth_error'
  | 'topic_not_found'
  | 'broker_unavailable'
  | 'network_timeout'
  | 'context_canceled'
  | 'broker_overloaded';

export class PublishFailed extends Error {
  readonly errorClass: ErrorClass;
  /** So many records, from the first one on, are acknowledged. */
  readonly acknowledged: number;
  constructor(errorClass: ErrorClass, message: string, options: FailureOptions = {}) {
    super(message, options);
    this.name = 'PublishFailed';
    this.errorClass = errorClass;
    this.acknowledged = options.acknowledged ?? 0;
  }
}

type FailureOptions = ErrorOptions & Readonly<{ acknowledged?: number }>;
