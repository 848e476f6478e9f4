import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '#test/support/free-port.ts';
import { startOwnKafka } from './own-kafka.ts';

export const LOGIN = { username: 'quipu', password: 'correct horse' } as const;

/** A broker with a certificate for 127.0.0.1 alone, and a user for each mechanism of SASL that we support. */
export async function startSecuredKafka() {
  const [encrypted, plain] = [await freePort(), await freePort()];
  let certificate = '';
  const kafka = await startOwnKafka({
    format: SCRAM.flatMap((mechanism) => [
      '--add-scram',
      `${mechanism}=[name=${LOGIN.username},password=${LOGIN.password}]`,
    ]),
    settings({ dir, port, controller }) {
      const keys = join(dir, 'keys.p12');
      certificate = newCertificate(keys);
      const ours = [
        `PLAINTEXT://127.0.0.1:${port}`,
        `SASL_SSL://127.0.0.1:${encrypted}`,
        `SASL_PLAINTEXT://127.0.0.1:${plain}`,
      ];
      return [
        `listeners=${[...ours, `CONTROLLER://127.0.0.1:${controller}`].join(',')}`,
        `advertised.listeners=${ours.join(',')}`,
        `listener.security.protocol.map=${[...ours.map(nameOf), 'CONTROLLER'].map(protocolOf).join(',')}`,
        `sasl.enabled.mechanisms=${['PLAIN', ...SCRAM].join(',')}`,
        ...['sasl_ssl', 'sasl_plaintext'].flatMap(loginModules),
        'ssl.keystore.type=PKCS12',
        `ssl.keystore.location=${keys}`,
        `ssl.keystore.password=${KEYS_PASSWORD}`,
      ].join('\n');
    },
  });
  return {
    ...kafka,
    /** PEM of the authority of its certificate, which is the certificate itself. */
    certificate,
    encrypted: `127.0.0.1:${encrypted}`,
    /** By a name that is not in the certificate. */
    misnamed: `localhost:${encrypted}`,
    plain: `127.0.0.1:${plain}`,
  };
}

const nameOf = (listener: string): string => listener.slice(0, listener.indexOf(':'));
/** A listener has the name of its protocol. */
const protocolOf = (name: string): string =>
  `${name}:${name === 'CONTROLLER' ? 'PLAINTEXT' : name}`;

function newCertificate(keys: string): string {
  const keytool = (...args: readonly string[]): string =>
    execFileSync('keytool', [...args, '-alias', 'kafka', '-keystore', keys, ...STORE], {
      ...{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    });
  keytool(
    ...['-genkeypair', '-keyalg', 'EC', '-groupname', 'secp256r1', '-validity', '2'],
    ...['-dname', 'CN=kafka', '-ext', 'san=ip:127.0.0.1', '-ext', 'bc:c=ca:true'],
  );
  return keytool('-exportcert', '-rfc');
}

function loginModules(listener: string): readonly string[] {
  const of = (mechanism: string, login: string): string =>
    `listener.name.${listener}.${mechanism.toLowerCase()}.sasl.jaas.config=${MODULES}.${login};`;
  const user = `user_${LOGIN.username}="${LOGIN.password}"`;
  return [
    of('PLAIN', `plain.PlainLoginModule required ${user}`),
    ...SCRAM.map((mechanism) => of(mechanism, 'scram.ScramLoginModule required')),
  ];
}

const SCRAM = ['SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
const MODULES = 'org.apache.kafka.common.security';
const KEYS_PASSWORD = 'of-no-value';
const STORE = ['-storetype', 'PKCS12', '-storepass', KEYS_PASSWORD] as const;
