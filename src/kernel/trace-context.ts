/** The place of an operation in a distributed trace (W3C Trace Context), as both headers are sent on. */
export type TraceContext = Readonly<{
  /** Version 00: `00-<trace id>-<parent id>-<flags>`. */
  traceparent: string;
  /** Data of tracing systems; at most 512 characters. */
  tracestate?: string;
}>;

/**
 * Reads the headers of a trace. A malformed `traceparent` counts as absent, and then so does `tracestate`; a malformed
 * `tracestate` is left out alone. Of a later version, the parts known here are kept.
 */
export function readTraceContext(
  traceparent: string | undefined,
  tracestate: string | undefined,
): TraceContext | undefined {
  if (traceparent === undefined) return undefined;
  const [, version, ids, flags = '', rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) {
    return undefined;
  }
  const known = version === '00' ? flags : hasSampledBit(flags) ? '01' : '00';
  const read = { traceparent: `00-${ids}-${known}` };
  const state = tracestate === undefined ? undefined : stateIn(tracestate);
  return state === undefined ? read : { ...read, tracestate: state };
}

/** Returns the trace id: 32 hexadecimal digits. */
export const traceIdOf = ({ traceparent }: TraceContext): string => traceparent.slice(3, 35);

/** Returns whether its spans are to be recorded. */
export const isSampled = ({ traceparent }: TraceContext): boolean =>
  hasSampledBit(traceparent.slice(53));

const hasSampledBit = (flags: string): boolean => (parseInt(flags, 16) & 1) === 1;

function stateIn(text: string): string | undefined {
  const members = text
    .split(',')
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((member) => member !== '');
  const state = members.join(',');
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf('='))));
  const isValid =
    members.length <= MEMBERS_MAX &&
    state.length <= STATE_LENGTH_MAX &&
    keys.size === members.length &&
    members.every((member) => MEMBER.test(member));
  return isValid && state !== '' ? state : undefined;
}

const TRACEPARENT =
  /^([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MEMBER =
  /^[a-z0-9][a-z0-9_\-*/]{0,240}(@[a-z][a-z0-9_\-*/]{0,13})?=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MEMBERS_MAX = 32;
const STATE_LENGTH_MAX = 512;
