import { readdirSync, readFileSync } from 'node:fs';

/** Bytes of memory that a process has now, and had at most (Linux). */
export function residentBytes(pid: number): Readonly<{ now: number; most: number }> {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const bytes = (name: string): number =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
  return { now: bytes('VmRSS'), most: bytes('VmHWM') };
}

/** How many file descriptors a process has open (Linux). */
export const openFiles = (pid: number): number => readdirSync(`/proc/${String(pid)}/fd`).length;
