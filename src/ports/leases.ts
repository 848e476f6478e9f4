/** The right to do a role's work, which one process has at a time. */
export type Lease = Readonly<{
  name: string;
  /** Who has it; for people. */
  holder: string;
  /** Grows with every new holder: what an earlier one still writes is told from it and refused. */
  fence: number;
}>;

/**
 * Rights that run out unless they are renewed. No clocks are compared: a contender takes a lease over when it saw
 * it unrenewed for the time it was given, by the contender's own watch.
 *
 * Errors: Unavailable.
 */
export interface Leases {
  /**
   * Takes a lease that is free, or that this process has seen unrenewed for `forMs`, or whose holder it knows to be
   * gone; undefined while another holds it. To be asked again and again by whoever stands by.
   */
  acquire(
    name: string,
    holder: string,
    forMs: number,
    isGone?: (holder: string) => boolean,
  ): Promise<Lease | undefined>;

  /** Says that the holder is alive. False: another has it now, and what is done under it must stop. */
  renew(lease: Lease): Promise<boolean>;

  /** Free at once for whoever stands by; nothing happens when another has it. */
  release(lease: Lease): Promise<void>;

  close(): Promise<void>;
}
