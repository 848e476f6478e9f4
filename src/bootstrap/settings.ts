import { existsSync, readFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import type { AllowedHosts } from '#src/http/allowed-hosts.ts';
import { parseEnv } from 'node:util';
import type { Micros } from '#src/kernel/instant.ts';
import type { AllowedOrigins } from '#src/http/cors.ts';
import { MEMORY_LIMIT_MIN } from '#src/http/memory-budget.ts';
import { httpMemoryDefault } from './machine-limits.ts';
import { ERROR_CODE_STYLES, type ErrorCodeStyle } from '#src/http/error-code.ts';
import { isEmbedded } from './store-urls.ts';
import {
  choice,
  flag,
  instant,
  integer,
  text as textOf,
  type Environment,
} from './setting-values.ts';
import {
  readStreamingSettings,
  STREAMING_NAMES,
  type StreamingSettings,
} from './streaming-settings.ts';

/** What can be set from outside; nothing else in the program reads the environment. */
export type Settings = Readonly<{
  host: string;
  port: number;
  dataDir: string;
  /** First part of event types and topics; the name of the core permission namespace. */
  platform: string;
  /** What kind of deployment this is; in `production` organizations and ledgers are not deleted. */
  envName: string;
  maxPaginationLimit: number;
  /** How long a window of dates may be that a list is asked for; undefined: as long as one likes. */
  maxPaginationMonths: number | undefined;
  /** Transactions in one batch of version 2. */
  transactionBatchMaxSize: number;
  eventStoreUrl: string;
  readStoreUrl: string;
  roles: ReadonlySet<Role>;
  /** Undefined when streaming is off. */
  streaming: StreamingSettings | undefined;
  logLevel: LogLevel;
  /** How far the clock may jump ahead, or the log be ahead of it, before nothing is written any more. */
  clockJumpMaxSeconds: number;
  /** What the clock and the log may show all the same, because an operator has confirmed it. */
  clockConfirmedUntil: Micros | undefined;
  corsAllowedOrigins: AllowedOrigins;
  allowedHosts: AllowedHosts;
  /** Bytes of request bodies and replies that are held at once. */
  httpMemoryBytes: number;
  errorDocsBaseUrl: string | undefined;
  errorCodeStyle: ErrorCodeStyle;
  /** For so long an equal transaction without a key counts as a repetition; 0: never (contract §7.9). */
  idempotencyBodyHashSeconds: number;
}>;

/** What a process does: serves requests, builds read models, publishes events, delivers them. */
export type Role = (typeof ROLES)[number];
/** `delivery` finds nothing to deliver before there are subscriptions; its name is in the settings of deployments. */
const ROLES = ['api', 'projector', 'relay', 'delivery'] as const;

/** The least that is written of what a process says on stderr. */
export type LogLevel = (typeof LOG_LEVELS)[number];
const LOG_LEVELS = ['info', 'debug', 'warn', 'error'] as const;

/** Exit code of a program that was set up wrong (sysexits, EX_CONFIG). */
export const EXIT_CONFIG = 78;

/** Every mistake at once, one a line. */
export class SettingsError extends Error {
  constructor(mistakes: readonly string[]) {
    super(`Settings are wrong:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/**
 * The settings of this process: the environment, and beneath it an `.env` file when there is one. Warns of
 * names that look like ours and are not. Errors: SettingsError.
 */
export function loadSettings(warn: (text: string) => void, file = '.env'): Settings {
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  return readSettings({ ...fromFile, ...process.env }, warn);
}

export function readSettings(env: Environment, warn: (text: string) => void): Settings {
  for (const name of Object.keys(env)) {
    const meant = unknownName(name);
    if (meant !== undefined) warn(`Setting ${name} is not known${meant && `; is it ${meant}?`}`);
  }
  const mistakes: string[] = [];
  const text = (name: Name, fallback: string): string => textOf(env, name, fallback);
  const settings: Settings = {
    host: text('HOST', '127.0.0.1'),
    port: integer(env, 'PORT', 3000, 0, 65_535, mistakes),
    dataDir: text('DATA_DIR', './data'),
    platform: text('PLATFORM', 'quipu'),
    envName: text('ENV_NAME', 'development'),
    maxPaginationLimit: integer(env, 'MAX_PAGINATION_LIMIT', 100, 1, 10_000, mistakes),
    maxPaginationMonths:
      integer(env, 'MAX_PAGINATION_MONTH_DATE_RANGE', 0, 0, 1200, mistakes) || undefined,
    transactionBatchMaxSize: integer(env, 'TRANSACTION_BATCH_MAX_SIZE', 10, 1, 50, mistakes),
    eventStoreUrl: text('EVENT_STORE_URL', 'embedded:'),
    readStoreUrl: text('READ_STORE_URL', 'embedded:'),
    streaming: readStreamingSettings(env, mistakes),
    roles: rolesOf(text('ROLES', ROLES.join(',')), mistakes),
    logLevel: choice(env, 'LOG_LEVEL', LOG_LEVELS, mistakes),
    clockJumpMaxSeconds: integer(env, 'CLOCK_JUMP_MAX_SECONDS', 3600, 1, 31_536_000, mistakes),
    clockConfirmedUntil: instant(env, 'CLOCK_CONFIRMED_UNTIL', mistakes),
    corsAllowedOrigins: originsOf(text('CORS_ALLOWED_ORIGINS', ''), mistakes),
    allowedHosts: hostsOf(text('ALLOWED_HOSTS', ''), text('HOST', '127.0.0.1'), mistakes),
    httpMemoryBytes: integer(
      env,
      'HTTP_MEMORY_BYTES',
      httpMemoryDefault(),
      MEMORY_LIMIT_MIN,
      Number.MAX_SAFE_INTEGER,
      mistakes,
    ),
    idempotencyBodyHashSeconds: integer(
      env,
      'IDEMPOTENCY_BODY_HASH_SECONDS',
      0,
      0,
      86_400,
      mistakes,
    ),
    errorDocsBaseUrl: urlOf(text('ERROR_DOCS_BASE_URL', ''), mistakes),
    errorCodeStyle: choice(env, 'ERROR_CODE_STYLE', ERROR_CODE_STYLES, mistakes),
  };
  const open = flag(env, 'ALLOW_UNAUTHENTICATED', mistakes);
  if (!open && !isLoopback(settings.host)) {
    mistakes.push(
      `HOST=${settings.host} can be reached from other machines, and nothing asks who calls: ` +
        'use a loopback address, or set ALLOW_UNAUTHENTICATED=true',
    );
  }
  if (!/^[a-z0-9_]+$/.test(settings.platform)) {
    mistakes.push('PLATFORM must be lower-case letters, digits and underscores');
  }
  checkStores(settings, mistakes);
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return settings;
}

const NAMES = [
  'HOST',
  'PORT',
  'DATA_DIR',
  'PLATFORM',
  'ENV_NAME',
  'MAX_PAGINATION_LIMIT',
  'MAX_PAGINATION_MONTH_DATE_RANGE',
  'TRANSACTION_BATCH_MAX_SIZE',
  'ALLOW_UNAUTHENTICATED',
  'EVENT_STORE_URL',
  'READ_STORE_URL',
  'ROLES',
  'LOG_LEVEL',
  'CLOCK_JUMP_MAX_SECONDS',
  'CLOCK_CONFIRMED_UNTIL',
  'CORS_ALLOWED_ORIGINS',
  'ALLOWED_HOSTS',
  'HTTP_MEMORY_BYTES',
  'ERROR_DOCS_BASE_URL',
  'ERROR_CODE_STYLE',
  'IDEMPOTENCY_BODY_HASH_SECONDS',
  ...STREAMING_NAMES,
] as const;
type Name = (typeof NAMES)[number];

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
 * On a loopback address its own names are served without being listed. Elsewhere the names under which a server is
 * reached are not known, so that all are served until some are listed.
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

/** Codes are appended to it, after a slash. */
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

/** A data folder belongs to one process, which must then do everything. */
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

function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  if (isIPv6(host)) return host === '::1' || /^::ffff:127\./i.test(host);
  return host === 'localhost';
}

/** The name probably meant, '' for one of our prefixes without a likeness; undefined when it is not ours. */
function unknownName(name: string): string | undefined {
  if ((NAMES as readonly string[]).includes(name)) return undefined;
  const near = NAMES.find((ours) => ours.length >= NEAR_LENGTH_MIN && closeTo(name, ours));
  if (near !== undefined) return near;
  return /^(STREAMING|PLUGIN_AUTH|OIDC)_/.test(name) ? '' : undefined;
}

/** Short names (HOST, PORT) have too many neighbours that belong to others. */
const NEAR_LENGTH_MIN = 6;

/** One letter changed, added, left out, or two neighbours swapped, after dropping case and underscores. */
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
