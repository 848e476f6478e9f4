/** What one append may carry, in bytes of event data: below the 1 MiB that the distributed log takes. */
export const APPEND_BYTES_MAX = 900 * 1024;
