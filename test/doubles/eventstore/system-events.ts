import { randomUUID } from 'node:crypto';
import type { EventLog } from './event-log.ts';

/** A server writes into its own log, too; whoever reads everything meets that. */
export class SystemEvents {
  readonly #log: EventLog;
  #appends = 0;

  constructor(log: EventLog) {
    this.#log = log;
  }

  async started(): Promise<void> {
    await this.#write('$$$stats-127.0.0.1', '$metadata', '{"$maxAge":86400}');
  }

  /** The real one counts minutes; this one appends, so that a short test meets some as well. */
  async appended(): Promise<void> {
    this.#appends += 1;
    if (this.#appends % APPENDS_PER_STATISTICS !== 0) return;
    const data = JSON.stringify({ appends: this.#appends });
    await this.#write('$stats-127.0.0.1', '$statsCollected', data);
  }

  async #write(stream: string, type: string, data: string): Promise<void> {
    const event = { id: randomUUID(), type, contentType: 'application/json' };
    await this.#log.append(stream, [
      { ...event, data: Buffer.from(data), metadata: new Uint8Array() },
    ]);
  }
}

const APPENDS_PER_STATISTICS = 20;
