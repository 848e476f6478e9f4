import { record } from '#src/kernel/schema-fragments.ts';
import type { PublishedSchema, SchemaFinding, ValueReader } from '#src/kernel/schema.ts';
import type { SubscriptionTarget } from '#src/kernel/subscription.ts';
import {
  addFinding,
  isObject,
  onlyMembers,
  wrongType,
  type ValueMembers,
} from '#src/kernel/value-reader.ts';

const URL_MAX = 2048;
const TIMEOUT_MS_MIN = 1;
const TIMEOUT_MS_MAX = 15_000;
const HEADERS_MAX = 16;
const HEADER_VALUE_MAX = 1024;
const CREDENTIALS = /^[A-Z0-9_]{1,40}$/;

// Parsers of URLs disagree on unusual ones, so hosts, ports and characters are those of RFC 3986 only.
const LABEL = '([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const GROUP = '[0-9a-f]{1,4}';
const NAME = `([A-Za-z0-9_]${LABEL}[.])*[A-Za-z]${LABEL}`;
const ADDRESS =
  `(${OCTET}[.]){3}${OCTET}|` +
  String.raw`\[((${GROUP}:){7}${GROUP}|(${GROUP}:){1,6}(:${GROUP}|:)|::(${GROUP})?)\]`;
const HOST = `(${NAME}|${ADDRESS})`;
const PORT =
  '(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?';
const TAIL = '([/?][!"$-Z^-~]*)?';

const WEBHOOK_URL = new RegExp(`^(https://${HOST}|http://(${ADDRESS}))${PORT}${TAIL}$`);
const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
const HEADER_VALUE = /^[!-~]([ -~]*[!-~])?$/;
/** Headers that frame or route a message, belong to one connection, or carry the event and its signature. */
const RESERVED_HEADER =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|host|expect|http2-settings|user-agent|traceparent|tracestate|proxy-.*|content-.*|ce-.*|webhook-.*)$/;
/** Headers that carry credentials, which events must not. */
const SECRET_HEADER = /^(authorization|cookie)$/;

const CHARACTER = '([A-Za-z0-9._~-]|%[2-7][0-9A-Fa-f])';
const WORD = `${CHARACTER}{1,255}`;

const brokers = {
  queue: {
    provider: 'rabbitmq',
    address: new RegExp(
      `^amqps?://${HOST}${PORT}(/${CHARACTER}*)?` +
        `[?](queue=${WORD}|exchange=${WORD}(&routingKey=${WORD})?)$`,
    ),
    example: 'amqps://host:5671/vhost?exchange=name or ?queue=name',
  },
  bus: {
    provider: 'kafka',
    address: new RegExp(
      `^kafkas?://${HOST}${PORT}(,${HOST}${PORT})*/[A-Za-z0-9_-][A-Za-z0-9._-]{0,248}` +
        '([?]sasl=(PLAIN|SCRAM-SHA-256|SCRAM-SHA-512))?$',
    ),
    example: 'kafkas://host:9093,host:9093/topic',
  },
} as const;

/**
 * Reads the target of a subscription (contract events §12.1); its kind decides its members. Whether the service may
 * address it depends on settings, so that is checked later.
 */
export const targetReader: ValueReader = {
  read: readTarget,
  sent: sentTarget(),
  refusals: ['REQUIRED_FIELDS'],
};

function readTarget(sent: unknown, findings: SchemaFinding[]): SubscriptionTarget | undefined {
  if (!isObject(sent)) {
    wrongType(sent, findings);
    return undefined;
  }
  const kind = required(sent, 'kind', findings);
  switch (kind) {
    case undefined:
      return undefined;
    case 'webhook':
      onlyMembers(sent, ['kind', 'url', 'headers', 'timeoutMs'], '', findings);
      return webhook(sent, findings);
    case 'queue':
    case 'bus':
      onlyMembers(sent, ['kind', 'provider', 'address', 'credentials'], '', findings);
      return brokered(kind, sent, findings);
    case 'pull':
      onlyMembers(sent, ['kind'], '', findings);
      return { kind };
    default:
      malformed(findings, 'kind', 'must be webhook, queue, bus or pull', kind);
      return undefined;
  }
}

function webhook(sent: ValueMembers, findings: SchemaFinding[]): SubscriptionTarget | undefined {
  const { headers: sentHeaders, timeoutMs = TIMEOUT_MS_MAX } = withoutNull(sent);
  const url = required(sent, 'url', findings);
  if (url !== undefined && !isWebhookUrl(url)) {
    malformed(
      findings,
      'url',
      'must be an https URL without user info and fragment (http only with an address that is open)',
      url,
    );
  }
  const headers = sentHeaders === undefined ? undefined : headersOf(sentHeaders, findings);
  if (typeof timeoutMs !== 'number' || !Number.isInteger(timeoutMs)) {
    addFinding(findings, 'BODY_UNREADABLE', 'timeoutMs', 'must be an integer', timeoutMs);
    return undefined;
  }
  if (timeoutMs < TIMEOUT_MS_MIN || timeoutMs > TIMEOUT_MS_MAX) {
    const message = `must be from ${TIMEOUT_MS_MIN} to ${TIMEOUT_MS_MAX}`;
    malformed(findings, 'timeoutMs', message, timeoutMs);
  }
  return url === undefined
    ? undefined
    : { kind: 'webhook', url, ...(headers && { headers }), timeoutMs };
}

function brokered(
  kind: 'queue' | 'bus',
  sent: ValueMembers,
  findings: SchemaFinding[],
): SubscriptionTarget | undefined {
  const { provider: supported, address: form, example } = brokers[kind];
  const provider = required(sent, 'provider', findings);
  if (provider !== undefined && provider !== supported) {
    malformed(findings, 'provider', `must be ${supported}`, provider);
  }
  const address = required(sent, 'address', findings);
  if (address !== undefined && !(address.length <= URL_MAX && form.test(address))) {
    const message = `must be like ${example}, without a password`;
    malformed(findings, 'address', message, address);
  }
  const { credentials } = withoutNull(sent);
  if (credentials !== undefined && typeof credentials !== 'string') {
    addFinding(findings, 'BODY_UNREADABLE', 'credentials', 'must be a string', credentials);
    return undefined;
  }
  if (credentials !== undefined && !CREDENTIALS.test(credentials)) {
    const message = 'must be a name of at most 40 characters from A to Z, 0 to 9 and _';
    malformed(findings, 'credentials', message); // What does not look like a name may be a password.
  }
  if (address === undefined) return undefined;
  const common = { address, ...(credentials !== undefined && { credentials }) };
  return kind === 'queue'
    ? { kind, provider: 'rabbitmq', ...common }
    : { kind, provider: 'kafka', ...common };
}

/** Requires https, or http with an address, which the operator must have opened. */
const isWebhookUrl = (text: string): boolean =>
  text.length <= URL_MAX && WEBHOOK_URL.test(text) && URL.canParse(text);

function headersOf(
  sent: unknown,
  findings: SchemaFinding[],
): Readonly<Record<string, string>> | undefined {
  if (!isObject(sent)) {
    addFinding(findings, 'BODY_UNREADABLE', 'headers', 'must be an object', sent);
    return undefined;
  }
  const names = Object.keys(sent);
  if (names.length > HEADERS_MAX) {
    malformed(findings, 'headers', `must have at most ${HEADERS_MAX} members`);
    return undefined;
  }
  const seen = new Set<string>();
  for (const name of names) {
    const at = `headers.${name}`;
    const value = sent[name];
    const lower = name.toLowerCase();
    if (!HEADER_NAME.test(name)) malformed(findings, at, 'is not the name of a header');
    else if (RESERVED_HEADER.test(lower)) malformed(findings, at, 'is set by the service');
    else if (SECRET_HEADER.test(lower)) malformed(findings, at, 'would be kept as plain text');
    else if (seen.has(lower)) malformed(findings, at, 'is there twice');
    seen.add(lower);
    if (typeof value !== 'string') {
      addFinding(findings, 'BODY_UNREADABLE', at, 'must be a string', value);
    } else if (value.length > HEADER_VALUE_MAX || !HEADER_VALUE.test(value)) {
      malformed(
        findings,
        at,
        `must be at most ${HEADER_VALUE_MAX} printable ASCII characters`,
        value,
      );
    }
  }
  return sent as Readonly<Record<string, string>>;
}

/** Returns a text that must be there; null and `""` count as absent. */
function required(sent: ValueMembers, name: string, findings: SchemaFinding[]): string | undefined {
  const value = sent[name];
  if (value === undefined || value === null || value === '') {
    addFinding(findings, 'REQUIRED_FIELDS', name, 'is required');
    return undefined;
  }
  if (typeof value === 'string') return value;
  addFinding(findings, 'BODY_UNREADABLE', name, 'must be a string', value);
  return undefined;
}

const withoutNull = (sent: ValueMembers): ValueMembers =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));

const malformed = (
  findings: SchemaFinding[],
  location: string,
  message: string,
  value?: unknown,
): undefined => addFinding(findings, 'MALFORMED_FIELD', location, message, value);

function sentTarget(): PublishedSchema {
  const address = { type: 'string', maxLength: URL_MAX } as const;
  const credentials = { type: ['string', 'null'], pattern: CREDENTIALS.source } as const;
  const brokered = (kind: 'queue' | 'bus') =>
    record(
      {
        kind: { const: kind },
        provider: { const: brokers[kind].provider },
        address: { ...address, pattern: brokers[kind].address.source },
        credentials,
      },
      ['kind', 'provider', 'address'],
    );
  const headers = {
    type: ['object', 'null'],
    maxProperties: HEADERS_MAX,
    propertyNames: { pattern: HEADER_NAME.source },
    additionalProperties: {
      type: 'string',
      maxLength: HEADER_VALUE_MAX,
      pattern: HEADER_VALUE.source,
    },
    description:
      'Sent with every request, and kept in the log as plain text: no secrets. Headers that the service sets are refused.',
  } as const;
  const timeoutMs = {
    type: ['integer', 'null'],
    minimum: TIMEOUT_MS_MIN,
    maximum: TIMEOUT_MS_MAX,
  } as const;
  return {
    title: 'RequestedTarget',
    anyOf: [
      record(
        {
          kind: { const: 'webhook' },
          url: { ...address, pattern: WEBHOOK_URL.source },
          headers,
          timeoutMs,
        },
        ['kind', 'url'],
      ),
      brokered('queue'),
      brokered('bus'),
      record({ kind: { const: 'pull' } }, ['kind']),
    ],
  };
}
