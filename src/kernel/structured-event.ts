/** A CloudEvent in binary mode: attributes as `ce-*` headers, the data as JSON text. */
type BinaryEvent = Readonly<{ headers: Readonly<Record<string, string>>; value: string }>;

/**
 * Writes a CloudEvent in structured mode, as one JSON text. Attributes have the values of the headers and data the bytes
 * of the body, which must be JSON: the SDK's serialization would cut times to milliseconds.
 */
export function structuredEvent({ headers, value }: BinaryEvent): string {
  const attributes: Record<string, string> = {};
  for (const [header, text] of Object.entries(headers)) {
    const name = header.startsWith('ce-') ? header.slice(3) : TRACE_CONTEXT.get(header);
    if (name !== undefined) attributes[name] = text;
  }
  return `${JSON.stringify(attributes).slice(0, -1)},"data":${value}}`;
}

/** The headers without prefix that are attributes too (the CloudEvents extension for distributed tracing). */
const TRACE_CONTEXT = new Map(['traceparent', 'tracestate'].map((name) => [name, name]));
