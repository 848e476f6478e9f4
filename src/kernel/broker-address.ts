/** The address of an exchange or queue of RabbitMQ: `amqps://host:5671/vhost?exchange=events`, or `?queue=orders`. */
export type QueueAddress = Readonly<{
  isEncrypted: boolean;
  host: string;
  port: number;
  vhost: string;
  /** Empty for the default exchange, which routes to the queue that the routing key names. */
  exchange: string;
  /** Undefined: the event key. */
  routingKey?: string;
}>;

/** The address of a topic of Kafka: `kafkas://host:9093,host:9093/topic?sasl=SCRAM-SHA-512`; `kafka:` is without TLS. */
export type BusAddress = Readonly<{
  isEncrypted: boolean;
  brokers: readonly Readonly<{ host: string; port: number }>[];
  topic: string;
  mechanism: SaslMechanism;
}>;

export type SaslMechanism = (typeof MECHANISMS)[number];
const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** Reads the address of a queue target; undefined if it is not one. */
export function readQueueAddress(text: string): QueueAddress | undefined {
  const [, scheme, authority = '', path = '', search = ''] = AMQP.exec(text) ?? [];
  const isEncrypted = scheme === 'amqps';
  const place = scheme === undefined ? undefined : placeOf(authority, isEncrypted ? 5671 : 5672);
  const vhost = decoded(path.slice(1));
  const query = queryOf(search, ['exchange', 'queue', 'routingKey']);
  if (place === undefined || vhost === undefined || query === undefined) return undefined;
  const { exchange, queue, routingKey } = query;
  const names = [exchange, queue, routingKey].filter((name) => name !== undefined);
  if (names.some((name) => name === '' || new TextEncoder().encode(name).length > NAME_BYTES_MAX))
    return undefined;
  const common = { isEncrypted, ...place, vhost: vhost === '' ? '/' : vhost };
  if (exchange !== undefined && queue === undefined) {
    return { ...common, exchange, ...(routingKey !== undefined && { routingKey }) };
  }
  if (queue === undefined || exchange !== undefined || routingKey !== undefined) return undefined;
  return { ...common, exchange: '', routingKey: queue };
}

/** Reads the address of a bus target; undefined if it is not one. */
export function readBusAddress(text: string): BusAddress | undefined {
  const [, scheme, authority = '', topic = '', search = ''] = KAFKA.exec(text) ?? [];
  if (scheme === undefined || topic === '.' || topic === '..') return undefined;
  const brokers = authority.split(',').map((one) => placeOf(one, 9092));
  const query = queryOf(search, ['sasl']);
  const mechanism = MECHANISMS.find((one) => one === (query?.['sasl'] ?? 'PLAIN'));
  const places = brokers.filter((one) => one !== undefined);
  if (places.length < brokers.length || query === undefined || mechanism === undefined) {
    return undefined;
  }
  return { isEncrypted: scheme === 'kafkas', brokers: places, topic, mechanism };
}

const AMQP = /^(amqps?):\/\/([^/?#\\@\s]+)(\/[^/?#\\\s]*)?(\?[^#\s]*)?$/;
const KAFKA = /^(kafkas?):\/\/([^/?#\\@\s]+)\/([A-Za-z0-9._-]{1,249})(\?[^#\s]*)?$/;
/** Names of AMQP are short strings. */
const NAME_BYTES_MAX = 255;

/** Splits `host:port`; the host of an IPv6 address is without its brackets. */
function placeOf(
  authority: string,
  portOfScheme: number,
): Readonly<{ host: string; port: number }> | undefined {
  const [, v6, name, digits] =
    /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(authority) ?? [];
  const host = v6 ?? name;
  const port = digits === undefined ? portOfScheme : Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

/** Reads a query whose members are all known and there once. */
function queryOf(
  search: string,
  known: readonly string[],
): Readonly<Record<string, string | undefined>> | undefined {
  const found: Record<string, string> = {};
  for (const part of search.slice(1).split('&').filter(Boolean)) {
    const [name = '', value] = part.split(/=(.*)/s).map(decoded);
    if (!known.includes(name) || value === undefined || name in found) return undefined;
    found[name] = value;
  }
  return found;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
