import type { Latency } from './job.ts';

/** What a run counts while it goes on. Latencies are kept one by one: percentiles are exact, not binned. */
export class Tally {
  wanted = 0;
  busyItems = 0;
  repeats = 0;
  unanswered = 0;
  answerBytes = 0;
  faults = 0;
  readonly faultSamples: string[] = [];
  readonly #statuses = new Map<number, number>();
  readonly #series: number[] = [];
  #latencies = new Float32Array(65_536);
  #recorded = 0;

  measured = 0;

  status(status: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
  }

  /** A wanted answer inside the measured window, and how many items it brought. */
  record(latencyMs: number, second: number, items: number): void {
    this.measured += items;
    this.#series[second] = (this.#series[second] ?? 0) + items;
    if (this.#recorded === LATENCIES_MAX) return;
    if (this.#recorded === this.#latencies.length) {
      const larger = new Float32Array(this.#latencies.length * 2);
      larger.set(this.#latencies);
      this.#latencies = larger;
    }
    this.#latencies[this.#recorded] = latencyMs;
    this.#recorded += 1;
  }

  fault(text: string): void {
    this.faults += 1;
    if (this.faultSamples.length < FAULT_SAMPLES_MAX) this.faultSamples.push(text.slice(0, 600));
  }

  statuses(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#statuses].map(([status, n]) => [String(status), n]));
  }

  series(): readonly number[] {
    return Array.from(this.#series, (count: number | undefined) => count ?? 0);
  }

  latency(): Latency {
    return latencyOf(this.#latencies.subarray(0, this.#recorded));
  }
}

/** Percentiles of a list of milliseconds, which is sorted in place. */
export function latencyOf(all: Float32Array): Latency {
  all.sort();
  const at = (part: number): number =>
    round(all[Math.min(all.length - 1, Math.ceil(part * all.length) - 1)] ?? 0);
  let sum = 0;
  for (const latency of all) sum += latency;
  return {
    mean: round(all.length === 0 ? 0 : sum / all.length),
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    p999: at(0.999),
    max: at(1),
  };
}

const LATENCIES_MAX = 8_388_608;
const FAULT_SAMPLES_MAX = 5;
const round = (ms: number): number => Math.round(ms * 1000) / 1000;
