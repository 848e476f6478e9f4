import type { SigningSecrets } from '#src/kernel/signing-secret.ts';

/** Returns the signing secrets of a subscription; undefined if it has none. Errors: Unavailable. */
export type SecretsOf = (subscriptionId: string) => Promise<SigningSecrets | undefined>;

/**
 * Remembers secrets for some seconds, so that not every attempt reads the store; a rotation takes as long to be seen.
 * Failures are not remembered.
 */
export function rememberSecrets(read: SecretsOf, nowMs: () => number): SecretsOf {
  const remembered = new Map<
    string,
    Readonly<{ readMs: number; secrets: ReturnType<SecretsOf> }>
  >();
  return (id) => {
    const known = remembered.get(id);
    if (known !== undefined && nowMs() - known.readMs < REMEMBER_MS) return known.secrets;
    const entry = { readMs: nowMs(), secrets: read(id) };
    remembered.delete(id);
    remembered.set(id, entry);
    const forget = (): void => {
      if (remembered.get(id) === entry) remembered.delete(id);
    };
    entry.secrets.then((secrets) => secrets ?? forget(), forget);
    const [oldest] = remembered.keys();
    if (remembered.size > REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest);
    return entry.secrets;
  };
}

const REMEMBER_MS = 5000;
const REMEMBERED_MAX = 10_000;
