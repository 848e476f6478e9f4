import { hostFault } from '#src/adapters/network/address-guard.ts';
import { readRanges } from '#src/adapters/network/address-ranges.ts';
import type { BrokerCredentials, BrokerLogin } from '#src/adapters/network/broker-delivery.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';

/** The settings of targets; plain data, so that a thread can be given it. */
export type DeliverySettings = Readonly<{
  /** Ranges that are not public, but may be addressed. */
  allowedCidrs: readonly string[];
  /** The logins that queue and bus targets name. */
  credentials: BrokerCredentials;
}>;

/** Reads the settings of targets. The result is valid only if the reader found no mistake. */
export function readDeliverySettings(reader: SettingReader): DeliverySettings {
  const allowedCidrs = listOf(reader.text('DELIVERY_ALLOWED_CIDRS'));
  const mistakes: string[] = [];
  readRanges(allowedCidrs, mistakes);
  reader.mistakes.push(...mistakes.map((mistake) => `DELIVERY_ALLOWED_CIDRS: ${mistake}`));

  const credentials: Record<string, BrokerLogin> = {};
  for (const [name, value] of reader.secretsBy(CREDENTIALS)) {
    const login = NAME.test(name) ? loginIn(value) : undefined;
    if (login !== undefined) credentials[name] = login;
    // The value is not quoted, because it contains a password.
    else reader.mistakes.push(`${CREDENTIALS}${name} must be like user:password@host,host`);
  }
  return { allowedCidrs, credentials };
}

const CREDENTIALS = 'DELIVERY_CREDENTIALS_';
const NAME = /^[A-Z0-9_]{1,40}$/;

/** Reads `user:password@host,host`; the password may contain any character, the user name no colon. */
function loginIn(value: string): BrokerLogin | undefined {
  const [, username = '', password = '', list = ''] =
    /^([^:]+):(.+)@([^@]+)$/s.exec(value.trim()) ?? [];
  const hosts = listOf(list).map((host) => host.replace(/^\[(.*)\]$/, '$1').toLowerCase());
  const isValid = hosts.length > 0 && hosts.every((host) => hostFault(host) === undefined);
  return isValid ? { username, password, hosts } : undefined;
}

const listOf = (list: string): readonly string[] =>
  list
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
