import { rootCertificates } from 'node:tls';
import type { ISocketFactory, Kafka, SASLOptions } from 'kafkajs';
import { unreachable } from '#src/kernel/unreachable.ts';
import { kafkajs } from './driver.ts';
import { silenceNegativeTimeouts } from './quiet.ts';

export type KafkaConnection = Readonly<{
  /** Each as `host:port`. */
  brokers: readonly string[];
  clientId: string;
  /** Undefined: unencrypted. `ca`: PEM of an additional authority besides the system's. */
  tls?: Readonly<{ ca?: string }>;
  sasl?: Readonly<{
    mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
    username: string;
    password: string;
  }>;
  /** Receives the driver's log messages; most are routine events of a cluster. */
  onLog?: (text: string) => void;
  /** The driver's retries while it connects. */
  connectRetries?: number;
  /** Opens sockets to the brokers given and to those that they name. */
  socketFactory?: ISocketFactory;
}>;

export function connectionTo({
  brokers,
  clientId,
  tls,
  sasl,
  onLog,
  connectRetries = CONNECT_RETRIES,
  socketFactory,
}: KafkaConnection): Kafka {
  silenceNegativeTimeouts();
  return new kafkajs.Kafka({
    brokers: [...brokers],
    clientId,
    logLevel: onLog === undefined ? kafkajs.logLevel.NOTHING : kafkajs.logLevel.ERROR,
    logCreator:
      () =>
      ({ namespace, log }) => {
        onLog?.(`${namespace}: ${log.message}`);
      },
    connectionTimeout: CONNECT_MS,
    retry: { initialRetryTime: RETRY_MS, maxRetryTime: RETRY_MS_MAX, retries: connectRetries },
    ...(tls !== undefined && {
      ssl: tls.ca === undefined ? true : { ca: [...rootCertificates, tls.ca] },
    }),
    ...(sasl !== undefined && { sasl: saslOf(sasl) }),
    ...(socketFactory !== undefined && { socketFactory }),
  });
}

const saslOf = ({
  mechanism,
  ...credentials
}: NonNullable<KafkaConnection['sasl']>): SASLOptions => {
  switch (mechanism) {
    case 'PLAIN':
      return { mechanism: 'plain', ...credentials };
    case 'SCRAM-SHA-256':
      return { mechanism: 'scram-sha-256', ...credentials };
    case 'SCRAM-SHA-512':
      return { mechanism: 'scram-sha-512', ...credentials };
    default:
      return unreachable(mechanism);
  }
};

const CONNECT_MS = 3000;
const CONNECT_RETRIES = 5;
const RETRY_MS = 100;
const RETRY_MS_MAX = 3000;
