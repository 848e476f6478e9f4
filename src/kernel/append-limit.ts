/** The most bytes of event data in one append, below the 1 MiB that the distributed log accepts. */
export const APPEND_BYTES_MAX = 900 * 1024;
