import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** Counts served requests. Each server has its own, so that several can run in one process. */
export class Metrics {
  readonly registry = new Registry();
  private readonly seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the last header of a request to the first byte of its answer, by operation and status',
    labelNames: ['operation', 'status'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10],
    registers: [this.registry],
  });
  private readonly refusals = new Counter({
    name: 'quipu_refused_requests_total',
    help: 'Requests that were refused because of their sender, by the code of the problem document',
    labelNames: ['code'],
    registers: [this.registry],
  });
  /** Cached, because looking a label up costs more than counting. */
  private readonly series = new Map<string, Map<number, Series>>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  observe(operation: string, status: number, ms: number): void {
    let byStatus = this.series.get(operation);
    if (byStatus === undefined) {
      byStatus = new Map<number, Series>();
      this.series.set(operation, byStatus);
    }
    let series = byStatus.get(status);
    if (series === undefined) {
      byStatus.set(status, (series = this.seconds.labels(operation, String(status))));
    }
    series.observe(ms / 1000);
  }

  refused(code: string): void {
    this.refusals.inc({ code });
  }
}

type Series = { observe: (seconds: number) => void };
