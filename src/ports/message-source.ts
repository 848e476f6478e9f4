/** A message as a broker delivers it. */
export type IncomingMessage = Readonly<{
  /** The topic; on RabbitMQ the exchange and the routing key, separated by a slash. */
  topic: string;
  /** The place in the topic, if the broker has one. */
  partition?: number;
  offset?: string;
  key: string;
  headers: Readonly<Record<string, string>>;
  value: string;
  /** The body as it came, if it is not UTF-8 text; `value` does not show it exactly then. */
  bytes?: Uint8Array;
}>;

/**
 * Delivers messages at least once. Errors of `bury`: PublishFailed.
 */
export interface MessageSource {
  /**
   * Delivers messages until closed, those of one partition one after the other. The position moves past a message only
   * after `take` has resolved. An unavailable broker is tried again.
   */
  run(take: (message: IncomingMessage) => Promise<void>): Promise<void>;

  /** Publishes a message with more headers to its dead-letter topic; acknowledged when it resolves. */
  bury(message: IncomingMessage, more: Readonly<Record<string, string>>): Promise<void>;

  /** Takes no further message, waits for those being taken, saves the position and closes the connection. */
  close(): Promise<void>;
}
