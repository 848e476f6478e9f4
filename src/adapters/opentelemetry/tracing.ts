import {
  createTraceState,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { isSampled, traceIdOf, type TraceContext } from '#src/kernel/trace-context.ts';
import type { Tracing } from '#src/ports/tracing.ts';

export type OtlpOptions = Readonly<{
  /** The address of the collector; spans are sent to `/v1/traces` below it, as JSON over HTTP. */
  endpoint: string;
  /** Sent with each export; they may hold credentials. */
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** The share of traces without a parent that are sampled; the others follow their parent. */
  sampledRatio: number;
  /** The part of the process whose spans these are. */
  role: string;
  /** Called when spans cannot be exported; they are lost, and nothing waits for them. */
  onTrouble?: (message: string) => void;
}>;

/** Exports spans to a collector in batches. `close` sends the rest, and gives up after a second. */
export function openTracing(
  options: OtlpOptions,
): Tracing & Readonly<{ close: () => Promise<void> }> {
  const { endpoint, headers, serviceName, role, onTrouble } = options;
  if (onTrouble !== undefined) reportTrouble(onTrouble);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'quipu.role': role }),
    sampler: new ParentBasedSampler({ root: samplerOf(options.sampledRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
          headers: { ...headers },
          timeoutMillis: EXPORT_MS_MAX,
        }),
        scheduledDelayMillis: EXPORT_EVERY_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('quipu');
  const record = (name: string, parent: TraceContext, fromMs: number, error: unknown): void => {
    const kind = name === 'publish' ? SpanKind.PRODUCER : SpanKind.INTERNAL;
    const span = tracer.startSpan(name, { kind, startTime: fromMs }, contextOf(parent));
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(epochMs());
  };

  return {
    begin(name, parent) {
      const context = parent === undefined ? ROOT_CONTEXT : contextOf(parent);
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER }, context);
      return {
        context: contextIn(span),
        end({ name: finalName, isFault, attributes }) {
          span.updateName(finalName).setAttributes(attributes);
          if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    during(name, parents, work) {
      const sampled = new Map(
        parents.filter(isSampled).map((parent) => [parent.traceparent, parent]),
      );
      if (sampled.size === 0) return work();
      const fromMs = epochMs();
      const recordAll = (error?: unknown): void => {
        for (const parent of sampled.values()) record(name, parent, fromMs, error);
      };
      try {
        const result = work();
        if (result instanceof Promise) result.then(() => recordAll(), recordAll);
        else recordAll();
        return result;
      } catch (error) {
        recordAll(error);
        throw error;
      }
    },
    async close() {
      const closed = provider.shutdown().catch(() => undefined);
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, CLOSE_MS_MAX))]);
    },
  };
}

function samplerOf(ratio: number): Sampler {
  if (ratio === 1) return new AlwaysOnSampler();
  return ratio === 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}

function contextOf(parent: TraceContext): Context {
  const { traceparent, tracestate } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceIdOf(parent),
    spanId: traceparent.slice(36, 52),
    traceFlags: isSampled(parent) ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  });
}

function contextIn(span: Span): TraceContext {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const flags = (traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01';
  const tracestate = traceState?.serialize() ?? '';
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  return tracestate === '' ? { traceparent } : { traceparent, tracestate };
}

/** Reports the first trouble of each minute, because a collector that is down fails every export. */
function reportTrouble(onTrouble: (message: string) => void): void {
  let saidMs = -Infinity;
  const say = (message: string): void => {
    if (performance.now() - saidMs < TROUBLE_EVERY_MS) return;
    saidMs = performance.now();
    onTrouble(`Spans cannot be exported: ${message.slice(0, TROUBLE_LENGTH_MAX)}`);
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: say, warn: say, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

const epochMs = (): number => performance.timeOrigin + performance.now();

const EXPORT_EVERY_MS = 1000;
const EXPORT_MS_MAX = 5000;
const CLOSE_MS_MAX = 1000;
const TROUBLE_EVERY_MS = 60_000;
const TROUBLE_LENGTH_MAX = 500;
