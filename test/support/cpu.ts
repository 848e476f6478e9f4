import type { Client } from './client.ts';

/* What work costs is asked of the processor: the time on the wall is also that of everybody else on the machine. */

/** Milliseconds of the processor that this process spent on it. */
export function cpuMs(work: () => void): number {
  const from = process.cpuUsage();
  work();
  return process.cpuUsage(from).user / 1000;
}

/** Milliseconds of the processor that a server has spent so far. */
export async function cpuMsOf(client: Client): Promise<number> {
  const { text } = await client.get('/metrics');
  return 1000 * Number(/^process_cpu_user_seconds_total (\S+)/m.exec(text)?.[1]);
}
