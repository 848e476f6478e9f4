import type { TraceContext } from '#src/kernel/trace-context.ts';

/** Records spans of distributed traces; absent while no collector is configured. */
export type Tracing = Readonly<{
  /** Begins a span for a request; without a parent, it begins a trace. */
  begin: (name: string, parent: TraceContext | undefined) => RequestSpan;
  /**
   * Does work and records it as a span under each parent that is sampled, once for each. The result, or the error, is that
   * of the work.
   */
  during: <Result>(name: string, parents: readonly TraceContext[], work: () => Result) => Result;
}>;

export type RequestSpan = Readonly<{
  /** The context of what the request causes. */
  context: TraceContext;
  /** Records the span; one that is never ended is not recorded. */
  end: (outcome: RequestOutcome) => void;
}>;

export type RequestOutcome = Readonly<{
  name: string;
  isFault: boolean;
  attributes: Readonly<Record<string, string | number>>;
}>;
