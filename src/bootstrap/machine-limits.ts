import { availableParallelism, totalmem } from 'node:os';
import { MEMORY_LIMIT_MIN } from '#src/http/memory-budget.ts';

/**
 * Returns the number of threads that serve connections. The thread that decides has more to do than one of them, so that a
 * second one serves only those who read more than they write. With fewer processors than busy threads, they would only add
 * the cost of handing requests over (ADR 55).
 */
export function httpThreadsDefault(
  processors = availableParallelism(),
  max = httpThreadsMax(),
): number {
  if (processors < 4) return 0;
  return processors < 8 ? 1 : Math.min(2, max);
}

/** Returns how many threads may serve connections: several share a port, which other systems do not offer. */
export const httpThreadsMax = (platform = process.platform): number =>
  platform === 'linux' ? HTTP_THREADS_MAX : 1;

const HTTP_THREADS_MAX = 8;

/** Returns an eighth of the memory this process may use, which in a container is the container's, and at most 1 GiB. */
export function httpMemoryDefault(): number {
  const limit = Math.min(process.constrainedMemory() || Infinity, totalmem());
  return Math.max(MEMORY_LIMIT_MIN, Math.min(Math.floor(limit / 8), HTTP_MEMORY_MAX));
}

/**
 * Returns the number of connections that leaves enough file descriptors for stores, threads and connections to servers:
 * some of these files are opened while the process runs.
 */
export function connectionsMax(): number {
  const { report } = process;
  Object.assign(report, { excludeNetwork: true }); // Looking up names of peers would take long.
  const { userLimits } = report.getReport() as Report;
  const files = Number(userLimits?.open_files?.soft ?? Infinity); // NaN for "unlimited".
  if (!Number.isFinite(files)) return CONNECTIONS_MAX;
  return Math.max(CONNECTIONS_MIN, Math.min(CONNECTIONS_MAX, files - RESERVED_FILES));
}

type Report = Readonly<{
  userLimits?: Readonly<{ open_files?: Readonly<{ soft: number | string }> }>;
}>;

const HTTP_MEMORY_MAX = 1024 * 1024 * 1024;
/** An idle connection takes about 10 KB. */
const CONNECTIONS_MAX = 10_240;
const CONNECTIONS_MIN = 16;
/** Twice what a process holds with all roles on either profile, plus the connections that are being refused. */
const RESERVED_FILES = 256;
