import type { StreamingFact } from '#commands/streaming/streaming.ts';
import type { JournalFact } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import { streamingJournal } from '#src/kernel/journal-name.ts';
import {
  formatSecrets,
  parseSecrets,
  replaceSecret,
  SIGNING_SECRETS,
  signingSecretName,
} from '#src/kernel/signing-secret.ts';
import type { Clock } from '#src/ports/clock.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { RandomBytes } from '#src/ports/random-bytes.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import type { Journals } from '#src/journal/journals.ts';

/** The secrets that sign deliveries to webhooks. Errors: Unavailable. */
export type SigningSecretKeeper = Readonly<{
  /** Makes the first secret of a subscription. */
  create(tenantId: string, subscriptionId: Uuid): Promise<string>;
  /** Returns the current secret; undefined if it was destroyed. */
  current(subscriptionId: Uuid): Promise<string | undefined>;
  /**
   * Replaces the secret, which still signs for 24 hours, or makes one where a restored folder lacks it; undefined if it
   * was destroyed.
   */
  replace(tenantId: string, subscriptionId: Uuid): Promise<string | undefined>;
  destroy(subscriptionId: Uuid): Promise<void>;
}>;

export type SecretSources = Readonly<{
  /** Opens the store on first use. */
  secrets: () => Promise<SecretStore>;
  clock: Clock;
  randomBytes: RandomBytes;
}>;

export function createSecretKeeper({
  secrets,
  clock,
  randomBytes,
}: SecretSources): SigningSecretKeeper {
  const newSecret = (): string =>
    `whsec_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')}`;

  return {
    async create(tenantId, subscriptionId) {
      const secret = newSecret();
      const current = { secret, since: formatInstant(clock.now()) };
      const bytes = formatSecrets({ tenantId, current });
      await (await secrets()).put(signingSecretName(subscriptionId), bytes);
      return secret;
    },

    async current(subscriptionId) {
      const found = await (await secrets()).get(signingSecretName(subscriptionId));
      return found && parseSecrets(found.value).current.secret;
    },

    async replace(tenantId, subscriptionId) {
      const store = await secrets();
      const name = signingSecretName(subscriptionId);
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const found = await store.get(name);
        const secret = newSecret();
        const now = clock.now();
        const since = formatInstant(now);
        const until = formatInstant((now + OVERLAP_MICROS) as Micros);
        const replaced =
          found === undefined
            ? { tenantId, current: { secret, since } }
            : replaceSecret(parseSecrets(found.value), secret, since, until);
        const written = await store.compareAndSet(name, found?.version, formatSecrets(replaced));
        if (written !== undefined) return secret;
        if ((found ?? (await store.get(name))) === undefined) return undefined;
      }
      throw new Unavailable('The signing secret is being replaced by others');
    },

    destroy: async (subscriptionId) => (await secrets()).destroy(signingSecretName(subscriptionId)),
  };
}

/**
 * Destroys signing secrets without a subscription: a crash or an unavailable log came between a secret and the event
 * that needs it, or ends its use. The journal decides, because a read model may lack subscriptions. Secrets of the last
 * hour are left alone: their event may still be on its way. Returns how many were destroyed. Errors: Unavailable.
 */
export async function destroyUnusedSecrets(
  store: SecretStore | undefined,
  { fact }: Pick<Journals, 'fact'>,
  clock: Clock,
): Promise<number> {
  const before = formatInstant((clock.now() - SETTLED_MICROS) as Micros);
  let destroyed = 0;
  if (store === undefined) return destroyed;
  for await (const { name, secret } of store.list()) {
    if (!name.startsWith(SIGNING_SECRETS)) continue;
    const { tenantId, current } = parseSecrets(secret.value);
    if (current.since >= before) continue;
    const id = name.slice(SIGNING_SECRETS.length) as Uuid;
    const streaming = await fact(streamingJournal(tenantId), tenantId);
    if (isSigned(streaming, id)) continue;
    await store.destroy(name);
    destroyed += 1;
  }
  return destroyed;
}

const isSigned = (streaming: JournalFact | undefined, id: Uuid): boolean =>
  (streaming as StreamingFact | undefined)?.isSigned(id) === true;

const SECRET_BYTES = 32;
const OVERLAP_MICROS = 24 * 3600 * 1_000_000;
const SETTLED_MICROS = 3600 * 1_000_000;
/** Rotations at the same time take turns. */
const ROUNDS_MAX = 100;
