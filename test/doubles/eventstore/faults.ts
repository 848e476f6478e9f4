/** What goes wrong, until it is switched off or its count is used up. All start at "nothing". */
export type Switches = {
  /** So many next appends: the connection breaks before the append is committed, or after. */
  dropBefore: number;
  dropAfter: number;
  /** So many next appends are answered "not the leader", or "not ready". */
  notLeader: number;
  notReady: number;
  /** So many next appends are committed, and answered only after `delayMs`. */
  delays: number;
  delayMs: number;
  /** So many more events are taken; an append beyond them is neither written nor answered. Null: any number. */
  room: number | null;
  /** Every call is refused as unavailable. */
  refuse: boolean;
  /** New connections are accepted. */
  accepting: boolean;
  /** Subscriptions hand over every event twice. */
  duplicates: boolean;
  /** Pause before each event of a subscription. */
  slowMs: number;
};

/** What happens once, at once. */
export type Blow = 'drop connections' | 'drop subscriptions';

export class Faults {
  readonly #switches: Switches = {
    ...{ dropBefore: 0, dropAfter: 0, notLeader: 0, notReady: 0, delays: 0, delayMs: 0 },
    ...{ room: null, refuse: false, accepting: true, duplicates: false, slowMs: 0 },
  };
  readonly #listeners = new Set<(blow: Blow) => void>();

  get now(): Readonly<Switches> {
    return this.#switches;
  }

  set(switches: Partial<Switches>): void {
    Object.assign(this.#switches, switches);
  }

  /** Whether the next append meets this fault; uses it up by one. */
  meets(fault: 'dropBefore' | 'dropAfter' | 'notLeader' | 'notReady' | 'delays'): boolean {
    if (this.#switches[fault] <= 0) return false;
    this.#switches[fault] -= 1;
    return true;
  }

  /** Whether there is room for so many events; takes it. */
  hasRoomFor(events: number): boolean {
    const { room } = this.#switches;
    if (room === null) return true;
    if (room < events) return false;
    this.#switches.room = room - events;
    return true;
  }

  strike(blow: Blow): void {
    for (const listener of this.#listeners) listener(blow);
  }

  on(listener: (blow: Blow) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
