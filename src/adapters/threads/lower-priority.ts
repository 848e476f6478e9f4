import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of this thread, so that work nobody waits for takes no processor time from requests. Where the
 * system has no priorities of threads, which is everywhere but on Linux, it changes nothing.
 */
export function lowerPriority(): void {
  try {
    const [, , thread] = readlinkSync('/proc/thread-self').split('/');
    if (getPriority(Number(thread)) < NICE) setPriority(Number(thread), NICE);
  } catch {
    // A thread of normal priority works as well.
  }
}

const NICE = 10;
