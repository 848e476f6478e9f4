import type { Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { uuidTime } from '#src/kernel/uuid-time.ts';
import type { Directories, Directory, DirectorySubject } from '#src/ports/directory.ts';
import type { TokenSigner } from '#src/ports/token-signer.ts';
import type { TokenTenants } from '#src/ports/token-tenants.ts';
import type { TokenVerifier, VerifiedToken } from '#src/ports/token-verifier.ts';
import type { Revocations } from './revocations.ts';

/** Issues tokens, and ends the sessions of those that were issued. */
export type IssuedTokens = Readonly<{
  signer: TokenSigner;
  revocations: Revocations;
  /** Undefined while one tenant is served, which tokens do not name. */
  tenants: TokenTenants | undefined;
  issuer: () => string;
  /** Added to the audience of every access token. */
  audience: string | undefined;
  /** The life of an access token and of a refresh token. */
  accessSeconds: number;
  refreshSeconds: number;
}>;

type SessionFacts = Readonly<{
  directory: Pick<Directory, 'subject'>;
  revocations: Pick<Revocations, 'loaded' | 'hasEnded'>;
}>;

/**
 * Verifies tokens that are issued here: by their signature once, and with every request by whether their subject and
 * session still exist in the tenant.
 */
export function issuedTokenVerifier(
  verifier: TokenVerifier,
  {
    directories,
    revocations,
  }: Readonly<{ directories: Pick<Directories, 'of'> }> & Pick<SessionFacts, 'revocations'>,
): TokenVerifier {
  return {
    async verify(token): Promise<VerifiedToken> {
      await revocations.loaded();
      return verifier.verify(token);
    },
    isRevoked({ sub, sid, azp }, tenantId) {
      const client = azp as string | undefined;
      const isOver = (directory: Directory): boolean =>
        !isLive(String(sub), String(sid), { directory, revocations }, client);
      const directory = directories.of(tenantId);
      return directory instanceof Promise ? directory.then(isOver) : isOver(directory);
    },
  };
}

/** Returns the tenant of a subject as its tokens name it. */
export const ownerOf = (
  { owner }: Pick<DirectorySubject, 'owner'>,
  tenants: Pick<TokenTenants, 'nameOf'> | undefined,
): string => tenants?.nameOf(owner) ?? owner;

/**
 * Returns whether a session may go on: its subject lives, the client that it was begun with does, too, and neither a logout
 * nor a new password has ended it.
 */
export function isLive(
  subject: string,
  session: string,
  { directory, revocations }: SessionFacts,
  clientId?: string,
): boolean {
  if (clientId !== undefined && directory.subject(clientId) === undefined) return false;
  const found = directory.subject(subject);
  if (found === undefined || revocations.hasEnded(session)) return false;
  const change = found.kind === 'user' ? found.passwordChange : undefined;
  if (change === undefined || change.keptSession === session) return true;
  const startedAt = uuidTime(session as Uuid) ?? (0 as Micros);
  return startedAt > change.at; // A session of the same millisecond ends, too.
}
