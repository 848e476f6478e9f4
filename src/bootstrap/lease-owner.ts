import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Within which a process number means a process: containers on one machine may share its name, not their numbers. */
const SPACE = `${hostname()} ${namespace()}`;

/** Names this thread of this process: to people, and to the next one here. */
export const LEASE_OWNER = `process ${String(process.pid)} on ${SPACE} ${randomUUID().slice(0, 8)}`;

/** It was a process of this machine, or a thread of this process, that is not there any more. */
export function isDeadOwner(holder: string): boolean {
  const [, pid, space] = /^process (\d+) on (.+) \S+$/.exec(holder) ?? [];
  if (pid === undefined || space !== SPACE || holder === LEASE_OWNER) return false;
  if (Number(pid) === process.pid) return true; // One thread at a time does a role.
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return 'alone'; // Not Linux: there are no others.
  }
}
