import type { SettingReader } from '#src/kernel/setting-reader.ts';

/** The collector of spans; plain data, so that threads can be given it. */
export type TracingSettings = Readonly<{
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** The share of requests without a trace that begin one, from 0 to 1. */
  sampledRatio: number;
}>;

/** Reads the settings that OpenTelemetry names; undefined if no collector is configured. */
export function readTracingSettings(reader: SettingReader): TracingSettings | undefined {
  const endpoint = reader.text('OTEL_EXPORTER_OTLP_ENDPOINT');
  const headers = reader.secret('OTEL_EXPORTER_OTLP_HEADERS');
  const serviceName = reader.text('OTEL_SERVICE_NAME', 'quipu');
  const sampler = reader.choice('OTEL_TRACES_SAMPLER', SAMPLERS);
  const ratio = reader.text('OTEL_TRACES_SAMPLER_ARG', '1');
  if (endpoint === '') return undefined;
  if (!['http:', 'https:'].includes(URL.parse(endpoint)?.protocol ?? '')) {
    // Do not quote it, because it may contain a password.
    reader.mistakes.push('OTEL_EXPORTER_OTLP_ENDPOINT must be a URL with http or https');
  }
  if (!/^(0|1|[01]?\.\d+|1\.0+)$/.test(ratio) || Number(ratio) > 1) {
    reader.mistakes.push(`OTEL_TRACES_SAMPLER_ARG=${ratio} must be a number from 0 to 1`);
  }
  return {
    ...{ endpoint, serviceName, headers: headersIn(headers, reader.mistakes) },
    sampledRatio: RATIOS[sampler] ?? Number(ratio),
  };
}

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const RATIOS: Readonly<Record<string, number>> = {
  parentbased_always_on: 1,
  parentbased_always_off: 0,
};

/** Reads `name=value,name=value`, with values encoded as in URLs. */
function headersIn(text: string, mistakes: string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',').filter((one) => one.trim() !== '')) {
    const [, name, value = ''] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=(.*)$/s.exec(pair) ?? [];
    const decoded = name === undefined ? undefined : decodedValue(value.trim());
    if (name !== undefined && decoded !== undefined) headers[name] = decoded;
    // The values are not quoted, because they are credentials.
    else mistakes.push('OTEL_EXPORTER_OTLP_HEADERS must be like name=value,name=value');
  }
  return headers;
}

function decodedValue(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text);
    return /^[\x20-\x7e]*$/.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
