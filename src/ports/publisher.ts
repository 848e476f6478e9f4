/** A record to be published to a topic. */
export type OutgoingRecord = Readonly<{
  /** Records of one topic with the same key stay in order. */
  key: string;
  /** Header names are in lower case; values have no control characters. */
  headers: Readonly<Record<string, string>>;
  /** The body, as JSON text. */
  value: string;
}>;

/** A record to publish; `fault` says why it cannot be published, in which case it may be incomplete. */
export type Draft = OutgoingRecord & Readonly<{ fault?: string }>;

/**
 * Publishes records at least once: a record that was not acknowledged may still have been delivered. Errors:
 * PublishFailed.
 */
export interface Publisher {
  /** Describes the target, for operators. */
  readonly target: string;

  /**
   * Publishes records of one topic; all are acknowledged when it resolves. After a rejection, the caller passes the
   * rest again, from the first record that was not acknowledged, so the first deliveries of a key stay in order.
   */
  publish(topic: string, records: readonly OutgoingRecord[]): Promise<void>;

  /** Publishes a record to the dead-letter topic of its topic; acknowledged when it resolves. */
  bury(topic: string, record: OutgoingRecord): Promise<void>;

  /** Creates what the topics need, if it may. Returns descriptions of what is still missing. */
  provision(topics: readonly string[]): Promise<readonly string[]>;

  /** Closes the connection; records in flight are abandoned. */
  close(): Promise<void>;
}

/** The error classes of contract events §9.4. */
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
  /** The number of records, counted from the first one, that were acknowledged. */
  readonly acknowledged: number;
  constructor(errorClass: ErrorClass, message: string, options: FailureOptions = {}) {
    super(message, options);
    this.name = 'PublishFailed';
    this.errorClass = errorClass;
    this.acknowledged = options.acknowledged ?? 0;
  }
}

type FailureOptions = ErrorOptions & Readonly<{ acknowledged?: number }>;
