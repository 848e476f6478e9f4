import type { Instant } from './instant.ts';

/**
 * The signing secrets of a subscription, stored as JSON under `signingSecretName`. The replaced ones, too, sign for a
 * while, so that a receiver can change its own in between.
 */
export type SigningSecrets = Readonly<{
  tenantId: string;
  current: Readonly<{ secret: string; since: Instant }>;
  previous?: ReplacedSecret;
  /** Those replaced before `previous`, the latest first. */
  older?: readonly ReplacedSecret[];
}>;

export type ReplacedSecret = Readonly<{ secret: string; until: Instant }>;

export const signingSecretName = (subscriptionId: string): string =>
  SIGNING_SECRETS + subscriptionId;

/** Names of signing secrets begin with it. */
export const SIGNING_SECRETS = 'subscription/';

/** Returns the secrets that sign at a time, the current one first. */
export const secretsAt = ({ current, ...replaced }: SigningSecrets, now: Instant): string[] => [
  current.secret,
  ...replacedIn(replaced)
    .filter(({ until }) => until > now)
    .map(({ secret }) => secret),
];

/** Replaces the current secret; it signs until `until`. Secrets that sign no longer are dropped. */
export function replaceSecret(
  { tenantId, current, ...replaced }: SigningSecrets,
  secret: string,
  now: Instant,
  until: Instant,
): SigningSecrets {
  const stillSigning = replacedIn(replaced).filter((one) => one.until > now);
  return {
    tenantId,
    current: { secret, since: now },
    previous: { secret: current.secret, until },
    ...(stillSigning.length > 0 && { older: stillSigning.slice(0, OLDER_MAX) }),
  };
}

export const parseSecrets = (bytes: Uint8Array): SigningSecrets =>
  JSON.parse(Buffer.from(bytes).toString()) as SigningSecrets;

export const formatSecrets = (secrets: SigningSecrets): Uint8Array =>
  Buffer.from(JSON.stringify(secrets));

const replacedIn = ({
  previous,
  older = [],
}: Pick<SigningSecrets, 'previous' | 'older'>): readonly ReplacedSecret[] =>
  previous === undefined ? older : [previous, ...older];

/** Every secret adds a signature of 48 bytes to a header. */
const OLDER_MAX = 8;
