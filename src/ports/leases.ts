/** The right to do the work of a role; one process has it at a time. */
export type Lease = Readonly<{
  name: string;
  /** Identifies the process that has the lease, for operators. */
  holder: string;
  /** The fencing token. It grows with every new holder, so that later writes of an earlier holder are refused. */
  fence: number;
}>;

/**
 * Leases expire unless they are renewed. No clocks are compared: a contender takes over a lease that it has seen
 * unrenewed for the lease time, measured by its own clock. Errors: Unavailable.
 */
export interface Leases {
  /**
   * Takes a lease that is free, that this process has seen unrenewed for `forMs`, or whose holder it knows to be gone.
   * Returns undefined while another process holds it; a standby calls it repeatedly.
   */
  acquire(
    name: string,
    holder: string,
    forMs: number,
    isGone?: (holder: string) => boolean,
  ): Promise<Lease | undefined>;

  /** Renews the lease. Returns false if another process has it now, in which case the work under it must stop. */
  renew(lease: Lease): Promise<boolean>;

  /** Frees the lease at once for a standby; does nothing if another process has it. */
  release(lease: Lease): Promise<void>;

  close(): Promise<void>;
}
