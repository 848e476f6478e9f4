import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * The scope in which a process number identifies a process: containers on one machine may share its name, but not their
 * process numbers.
 */
const SPACE = `${hostname()} ${namespace()}`;

/** Identifies this thread of this process, for operators and for later processes here. */
export const LEASE_OWNER = `process ${String(process.pid)} on ${SPACE} ${randomUUID().slice(0, 8)}`;

/** Returns whether the owner was a process of this machine, or a thread of this process, that no longer exists. */
export function isDeadOwner(holder: string): boolean {
  const [, pid, space] = /^process (\d+) on (.+) \S+$/.exec(holder) ?? [];
  if (pid === undefined || space !== SPACE || holder === LEASE_OWNER) return false;
  if (Number(pid) === process.pid) return true; // Only one thread at a time has a role.
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
    return 'alone'; // Not Linux, so there are no namespaces.
  }
}
