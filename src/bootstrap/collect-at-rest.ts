import { Session } from 'node:inspector/promises';
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/**
 * Collects the garbage of this thread once, as soon as it has rested for half a second. V8 enlarges its space for young
 * objects during a start and neither empties nor shrinks it while nothing is allocated, however long the process rests.
 * The collection takes the thread some 30 ms after a start, and 100 ms at the limit. A thread that is busy from its start
 * needs that space and is left alone, and so is one that has loaded large journals meanwhile: V8 would walk them as well.
 */
export function collectAtRest(heapBytesMax = HEAP_BYTES_MAX): void {
  let looks = 0;
  let last = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    looks += 1;
    const rests = utilization < UTILIZATION_AT_REST;
    if (!rests && looks < LOOKS_MAX) return;
    clearInterval(timer);
    const isSmall = getHeapStatistics().used_heap_size < heapBytesMax;
    if (rests && isSmall) collectGarbage().catch(() => undefined); // A failure costs memory alone.
  }, LOOK_MS).unref();
}

/** Reaches V8's full collection without a flag: flags that change at run time make the cache of compiled code useless. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}

const LOOK_MS = 500;
const LOOKS_MAX = 20;
const UTILIZATION_AT_REST = 0.05;
/** Twice what a start leaves in the main thread. */
const HEAP_BYTES_MAX = 64 * 1024 * 1024;
