import { readFileSync } from 'node:fs';
import { ask } from './http.ts';
import type { Server } from './product.ts';

/** Bytes. `rss` is what the system holds for the process, all its threads together. */
export type Memory = Readonly<{ rss: number; peakRss: number; heapUsed: number | undefined }>;

export async function memoryOf(server: Server): Promise<Memory> {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  return {
    rss: kilobytes('VmRSS') * 1024,
    peakRss: kilobytes('VmHWM') * 1024,
    heapUsed: await metric(server.port, 'nodejs_heap_size_used_bytes'),
  };
}

/** One value from the Prometheus page; undefined when the page or the name is not there. */
export async function metric(port: number, name: string): Promise<number | undefined> {
  const page = await ask(port, { method: 'GET', path: '/metrics' }).catch(() => undefined);
  if (page?.status !== 200) return undefined;
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(page.text)?.[1];
  return value === undefined ? undefined : Number(value);
}

/** All values of a name with one label, by that label; empty when the page or the name is not there. */
export async function metricByLabel(
  port: number,
  name: string,
): Promise<ReadonlyMap<string, number>> {
  const page = await ask(port, { method: 'GET', path: '/metrics' }).catch(() => undefined);
  const found = page?.text.matchAll(new RegExp(`^${name}\\{\\w+="([^"]*)"\\} (\\S+)$`, 'gm')) ?? [];
  return new Map([...found].map(([, label = '', value]) => [label, Number(value)]));
}

/** User and system time of a process and all its threads. */
export function processorSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Time all processors of the machine were busy, whoever kept them so. */
export function machineSeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = readFileSync(
    '/proc/stat',
    'utf8',
  )
    .slice('cpu'.length, 300)
    .trimStart()
    .split(' ')
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

const TICKS_PER_SECOND = 100; // USER_HZ is 100 on every Linux that Node runs on.
