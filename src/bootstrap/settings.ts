import { existsSync, readFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import type { AllowedHosts } from '#src/http/allowed-hosts.ts';
import { parseEnv } from 'node:util';
import type { Micros } from '#src/kernel/instant.ts';
import type { AllowedOrigins } from '#src/http/cors.ts';
import { MEMORY_LIMIT_MIN } from '#src/http/memory-budget.ts';
import { httpMemoryDefault, httpThreadsDefault, httpThreadsMax } from './machine-limits.ts';
import { ERROR_CODE_STYLES, type ErrorCodeStyle } from '#src/http/error-code.ts';
import { isEmbedded } from './store-urls.ts';
import { components } from '#src/components/index.ts';
import { SettingReader, type Environment } from '#src/kernel/setting-reader.ts';
import { topicPatterns } from '#src/bridge/topic-name.ts';
import {
  readAccessSettings,
  readIssuerSettings,
  type AccessSettings,
  type IssuerSettings,
} from './access-settings.ts';
import { readConsumerSettings, type KafkaConsumerSettings } from './consumer-settings.ts';
import { definitions, producers } from './definitions.ts';
import { readProtectionSettings, type ProtectionSettings } from './protection-settings.ts';
import { readStreamingSettings, type StreamingSettings } from './streaming-settings.ts';
import { readTracingSettings, type TracingSettings } from './tracing-settings.ts';

/** All settings; nothing else in the program reads the environment. */
export type Settings = Readonly<{
  host: string;
  port: number;
  /** The ports of mounts that have their own, by setting. */
  listeners: Readonly<Record<string, number>>;
  dataDir: string;
  /** The first part of event types and topics; the name of the core permission namespace. */
  platform: string;
  maxPaginationLimit: number;
  /** The longest date range that a list accepts, in months; undefined means unlimited. */
  maxPaginationMonths: number | undefined;
  eventStoreUrl: string;
  readStoreUrl: string;
  roles: ReadonlySet<Role>;
  peers: PeerSettings;
  /** Undefined while access management is off. */
  access: AccessSettings | undefined;
  issuer: IssuerSettings;
  protection: ProtectionSettings;
  /** Undefined when streaming is off. */
  streaming: StreamingSettings | undefined;
  /** The topics from which events of other producers are delivered; undefined when only the log is. */
  consumer: KafkaConsumerSettings | undefined;
  logLevel: LogLevel;
  /** Undefined while no collector of spans is configured. */
  tracing: TracingSettings | undefined;
  /** Writes are refused when the clock jumps ahead by more seconds, or the log is ahead of the clock by more. */
  clockJumpMaxSeconds: number;
  /** The time up to which an operator has confirmed the clock and the log. */
  clockConfirmedUntil: Micros | undefined;
  corsAllowedOrigins: AllowedOrigins;
  allowedHosts: AllowedHosts;
  /** The number of threads that serve connections; 0 means that the main thread does. */
  httpThreads: number;
  /** The maximum size of request bodies and replies that are held at once, in bytes. */
  httpMemoryBytes: number;
  errorDocsBaseUrl: string | undefined;
  errorCodeStyle: ErrorCodeStyle;
  /**
   * The time in seconds for which an equal transaction without a key counts as a repetition; 0 means never (contract
   * §7.9).
   */
  idempotencyBodyHashSeconds: number;
  /** The settings that each component declares. */
  components: Readonly<Record<string, object>>;
}>;

/** The address at which other API processes of the same log send commands to this one. */
export type PeerSettings = Readonly<{
  /** The address to listen on. */
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** The address that others use; undefined means the one to listen on. */
  address: string | undefined;
}>;

/** A role of a process: it serves requests, builds read models, publishes events or delivers them. */
export type Role = (typeof ROLES)[number];
/** Without subscriptions `delivery` does nothing, but deployments already configure it. */
const ROLES = ['api', 'projector', 'relay', 'delivery'] as const;

/** The lowest severity that is written to stderr. */
export type LogLevel = (typeof LOG_LEVELS)[number];
const LOG_LEVELS = ['info', 'debug', 'warn', 'error'] as const;

/** Exit code for invalid settings (sysexits, EX_CONFIG). */
export const EXIT_CONFIG = 78;

/** Invalid settings; the message lists every problem, one a line. */
export class SettingsError extends Error {
  constructor(mistakes: readonly string[]) {
    super(`Settings are wrong:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/**
 * Reads the settings of this process from the environment, and from an `.env` file for what is not set there. Warns of
 * unknown names that resemble ours. Errors: SettingsError.
 */
export function loadSettings(warn: (text: string) => void, file = '.env'): Settings {
  return readSettings({ ...settingsIn(file), ...process.env }, warn);
}

function settingsIn(file: string): Environment {
  if (!existsSync(file)) return {};
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new SettingsError([`${file} cannot be read: ${(error as Error).message}`]);
  }
}

export function readSettings(env: Environment, warn: (text: string) => void): Settings {
  const reader = new SettingReader(env);
  const { mistakes } = reader;
  const host = reader.text('HOST', '127.0.0.1');
  const port = reader.integer('PORT', 3000, 0, PORT_MAX);
  const eventStoreUrl = reader.text('EVENT_STORE_URL', 'embedded:');
  const readStoreUrl = reader.text('READ_STORE_URL', 'embedded:');
  const roles = rolesOf(reader.text('ROLES', ROLES.join(',')), mistakes);
  const isShared = !isEmbedded(eventStoreUrl) && !isEmbedded(readStoreUrl);
  const platform = reader.text('PLATFORM', 'quipu');
  const access = readAccessSettings(reader, platform);
  const settings: Settings = {
    host,
    port,
    listeners: listenersIn(reader, port),
    dataDir: reader.text('DATA_DIR', './data'),
    platform,
    maxPaginationLimit: reader.integer('MAX_PAGINATION_LIMIT', 100, 1, 10_000),
    maxPaginationMonths: reader.integer('MAX_PAGINATION_MONTH_DATE_RANGE', 0, 0, 1200) || undefined,
    eventStoreUrl,
    readStoreUrl,
    access,
    issuer: readIssuerSettings(reader, platform, access),
    protection: readProtectionSettings(reader, { isShared: isShared && roles.has('api') }),
    streaming: readStreamingSettings(reader, definitions),
    consumer: readConsumerSettings(
      reader,
      topicPatterns(reader.text('PLATFORM', 'quipu'), sourceDerivedKeys),
    ),
    roles,
    peers: {
      host,
      port: reader.integer('PEER_PORT', 0, 0, PORT_MAX),
      address: reader.text('PEER_ADDRESS') || undefined,
    },
    logLevel: reader.choice('LOG_LEVEL', LOG_LEVELS),
    tracing: readTracingSettings(reader),
    clockJumpMaxSeconds: reader.integer('CLOCK_JUMP_MAX_SECONDS', 3600, 1, 31_536_000),
    clockConfirmedUntil: reader.instant('CLOCK_CONFIRMED_UNTIL'),
    corsAllowedOrigins: originsOf(reader.text('CORS_ALLOWED_ORIGINS', access ? '*' : ''), mistakes),
    allowedHosts: hostsOf(reader.text('ALLOWED_HOSTS'), host, mistakes),
    httpThreads: reader.integer('HTTP_THREADS', httpThreadsDefault(), 0, httpThreadsMax()),
    httpMemoryBytes: reader.integer(
      'HTTP_MEMORY_BYTES',
      httpMemoryDefault(),
      MEMORY_LIMIT_MIN,
      Number.MAX_SAFE_INTEGER,
    ),
    idempotencyBodyHashSeconds: reader.integer('IDEMPOTENCY_BODY_HASH_SECONDS', 0, 0, 86_400),
    errorDocsBaseUrl: urlOf(reader.text('ERROR_DOCS_BASE_URL'), mistakes),
    errorCodeStyle: reader.choice('ERROR_CODE_STYLE', ERROR_CODE_STYLES),
    components: Object.fromEntries(
      parts.map(({ name, readSettings }) => [name, readSettings(reader)]),
    ),
  };
  const open = reader.flag('ALLOW_UNAUTHENTICATED');
  if (!open && settings.access === undefined && !isLoopback(host)) {
    mistakes.push(
      `HOST=${host} exposes Quipu to other machines without authentication: ` +
        'use a loopback address, set PLUGIN_AUTH_ENABLED=true, or set ALLOW_UNAUTHENTICATED=true',
    );
  }
  if (!/^[a-z0-9_]+$/.test(settings.platform)) {
    mistakes.push('PLATFORM must be lower-case letters, digits and underscores');
  }
  checkStores(settings, mistakes);
  for (const name of Object.keys(env)) {
    const meant = unknownName(name, reader.names);
    if (meant !== undefined) warn(`Setting ${name} is not known${meant && `; is it ${meant}?`}`);
  }
  // What publishing and consuming share is read, and may be wrong, twice.
  if (mistakes.length > 0) throw new SettingsError([...new Set(mistakes)]);
  return settings;
}

const sourceDerivedKeys = producers
  .filter(({ topicStyle }) => topicStyle === 'source-derived')
  .flatMap((producer) => producer.definitions.map(({ key }) => key));

/** Reads the settings of each component. */
const parts = (
  await Promise.all(
    components.map(async ({ name, settings }) => ({ name, ...(await settings?.()) })),
  )
).flatMap(({ name, readSettings }) => (readSettings ? [{ name, readSettings }] : []));

const PORT_MAX = 65_535;

/** Reads the ports of mounts; a mount whose setting is absent is served by the main listener. */
function listenersIn(reader: SettingReader, mainPort: number): Record<string, number> {
  const names = components.flatMap(({ mounts }) => mounts.map(({ listener }) => listener));
  const taken = new Map([[mainPort, 'PORT']]);
  const listeners: Record<string, number> = {};
  for (const name of new Set(names.filter((one) => one !== undefined))) {
    const port = reader.optionalInteger(name, 0, PORT_MAX);
    if (port === undefined) continue;
    const other = taken.get(port);
    if (port !== 0 && other !== undefined) {
      reader.mistakes.push(
        `${name}=${port} is the port of ${other}: leave it out, or choose another`,
      );
    }
    taken.set(port, name);
    listeners[name] = port;
  }
  return listeners;
}

/**
 * Reads the origins whose pages may read replies and write. Without access management, any page could otherwise move
 * money on the machine of its reader; with it, a page needs a token.
 */
function originsOf(text: string, mistakes: string[]): AllowedOrigins {
  if (text === '') return 'loopback';
  if (text === '*') return '*';
  const origins = text.split(',').map((part) => part.trim().replace(/\/$/, ''));
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      mistakes.push(`CORS_ALLOWED_ORIGINS: ${origin} is not an origin like https://app.example`);
    }
  }
  return origins;
}

/**
 * Returns the hosts to accept. On a loopback address its own names are served without being listed. Elsewhere the names
 * of a server are not known, so that all are served until some are listed.
 */
function hostsOf(text: string, host: string, mistakes: string[]): AllowedHosts {
  if (text === '*' || (text === '' && !isLoopback(host))) return 'any';
  const names = text.split(',').map((part) => part.trim().toLowerCase());
  for (const name of names) {
    if (text === '' || /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(name)) continue;
    mistakes.push(`ALLOWED_HOSTS: ${name} is not a host name like ledger.example, without a port`);
  }
  return names.filter((name) => name !== '');
}

/** Reads a URL, to which codes are appended after a slash. */
function urlOf(text: string, mistakes: string[]): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || /[?#]/.test(text)) {
    mistakes.push(
      `ERROR_DOCS_BASE_URL=${text} must be a URL with http or https, without a query or a fragment`,
    );
  }
  return url?.href.replace(/\/+$/, '');
}

function rolesOf(text: string, mistakes: string[]): ReadonlySet<Role> {
  const named = text.split(',').map((part) => part.trim());
  for (const role of named) {
    if ((ROLES as readonly string[]).includes(role)) continue;
    mistakes.push(`ROLES: ${role} is not one of ${ROLES.join(', ')}`);
  }
  return new Set(named as Role[]);
}

/** Requires all roles for a data folder, because it belongs to one process. */
function checkStores({ eventStoreUrl, readStoreUrl, roles }: Settings, mistakes: string[]): void {
  const schemes = [
    [
      'EVENT_STORE_URL',
      eventStoreUrl,
      /^(embedded:$|(esdb|kurrentdb|kdb)(\+discover)?:\/\/.)/,
      'esdb://host:2113',
    ],
    [
      'READ_STORE_URL',
      readStoreUrl,
      /^(embedded:$|mongodb(\+srv)?:\/\/.)/,
      'mongodb://host:27017/quipu',
    ],
  ] as const;
  for (const [name, url, pattern, example] of schemes) {
    if (!pattern.test(url)) mistakes.push(`${name} must be embedded: or like ${example}`);
  }
  const isAlone = roles.has('api') && roles.has('projector');
  if (isAlone || !(isEmbedded(eventStoreUrl) || isEmbedded(readStoreUrl))) return;
  mistakes.push(
    'ROLES: a data folder has one process, so with embedded: api and projector belong together',
  );
}

export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  if (isIPv6(host)) return host === '::1' || /^::ffff:127\./i.test(host);
  return host === 'localhost';
}

/**
 * Returns the name probably meant, '' for an unknown name with one of our prefixes; undefined for a name that is not
 * ours.
 */
function unknownName(name: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(name)) return undefined;
  const near = [...known].find((ours) => ours.length >= NEAR_LENGTH_MIN && closeTo(name, ours));
  if (near !== undefined) return near;
  return /^(STREAMING|PLUGIN_AUTH|OIDC)_/.test(name) ? '' : undefined;
}

/** Short names (HOST, PORT) resemble too many names of other programs. */
const NEAR_LENGTH_MIN = 6;

/**
 * Returns whether two names differ by one letter changed, added or left out, or two neighbors swapped, ignoring case
 * and underscores.
 */
function closeTo(a: string, b: string): boolean {
  const [x, y] = [a, b].map((name) => name.toUpperCase().replaceAll(/[_-]/g, ''));
  if (x === undefined || y === undefined || Math.abs(x.length - y.length) > 1) return false;
  let same = 0;
  while (same < x.length && x[same] === y[same]) same += 1;
  const [tailX, tailY] = [x.slice(same), y.slice(same)];
  return (
    tailX.slice(1) === tailY.slice(1) ||
    tailX.slice(1) === tailY ||
    tailY.slice(1) === tailX ||
    (swapped(tailX) === tailY.slice(0, 2) && tailX.slice(2) === tailY.slice(2))
  );
}

const swapped = (text: string): string => text.charAt(1) + text.charAt(0);
