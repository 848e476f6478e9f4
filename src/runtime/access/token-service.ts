import type { Ids } from '#src/ports/ids.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Credentials } from '#src/ports/credentials.ts';
import { SINGLE_TENANT } from '#src/kernel/tenant.ts';
import type { Directories, DirectorySubject } from '#src/ports/directory.ts';
import type { TokenRecord, TokenService } from '#src/ports/token-service.ts';
import { TokenInvalid, type TokenClaims } from '#src/ports/token-verifier.ts';
import { isLive, ownerOf, type IssuedTokens } from './issued-tokens.ts';
import { Lockout } from './lockout.ts';
import type { Session, Sessions } from './sessions.ts';

export type TokenServiceOptions = Readonly<{
  directories: Directories;
  credentials: Pick<Credentials, 'verifyPassword' | 'verifySecret'>;
  issued: IssuedTokens;
  sessions: Sessions;
  clock: Clock;
  ids: Ids;
}>;

/** Creates the service that issues tokens to the users and applications of all tenants. */
export function createTokenService(options: TokenServiceOptions): TokenService {
  const { directories, credentials, sessions, clock, ids } = options;
  const { signer, revocations, tenants, audience, issuer, accessSeconds } = options.issued;
  const lockout = new Lockout(clock);

  /** Removes what is left of the sessions of these subjects, which are refused in any case. */
  directories.changed(({ subject, reason }, directory) => {
    if (reason === 'deleted') sessions.destroy(subject).catch(() => undefined);
    if (reason !== 'password') return;
    const found = directory.subject(subject);
    if (found?.kind !== 'user' || found.passwordChange === undefined) return;
    const { at, keptSession } = found.passwordChange;
    sessions.endBefore(subject, at, keptSession).catch(() => undefined);
  });

  /** Returns the tenant of a subject as claims. */
  const tenancyOf = (subject: DirectorySubject): TokenClaims => {
    const owner = ownerOf(subject, tenants);
    return tenants === undefined ? { owner } : { owner, tenantId: owner, tenantSlug: owner };
  };

  /** Returns the claims of both tokens about a subject; undefined if it does not exist any more. */
  const claimsOf = async ({
    subject,
    tenantId,
  }: Pick<Session, 'subject' | 'tenantId'>): Promise<SubjectClaims | undefined> => {
    const directory = await directories.of(tenantId);
    const found = directory.subject(subject);
    if (found === undefined) return undefined;
    const tenancy = tenancyOf(found);
    if (found.kind === 'application') {
      return { both: { name: found.product, ...tenancy, type: 'application' } };
    }
    const profile = await directory.profile(found.id);
    if (profile === undefined) return undefined;
    const { username: name, firstName, lastName, email } = profile;
    const displayName = `${firstName} ${lastName}`;
    return {
      both: { name, displayName, ...tenancy, type: 'normal-user', groups: found.groups },
      id: { email, email_verified: false },
    };
  };

  const mayGoOn = async ({
    subject,
    tenantId,
    id,
    clientId,
  }: Omit<Session, 'startedAt'>): Promise<boolean> =>
    isLive(subject, id, { directory: await directories.of(tenantId), revocations }, clientId);

  const recordOf = async (
    session: Session,
    refreshToken: string,
    nonce?: string,
  ): Promise<TokenRecord | undefined> => {
    const { id: sid, subject: sub, clientId, scope } = session;
    const claims = await claimsOf(session);
    if (claims === undefined) return undefined;
    const iat = Math.floor(clock.now() / 1e6);
    const times = { iat, nbf: iat, exp: iat + accessSeconds };
    const client = clientId === undefined ? {} : { azp: clientId };
    const common = { sub, sid, ...client, ...times, ...claims.both };
    const clients = clientId === undefined ? [] : [clientId];
    const audiences = [...clients, ...(audience === undefined ? [] : [audience])];
    const aud = audiences.length > 0 ? audiences : [issuer()];
    const [accessToken, idToken] = await Promise.all([
      signer.sign({ ...common, aud, jti: ids.next(), scope }, 'access'),
      claims.id && scope.split(' ').includes('openid')
        ? signer.sign(
            {
              ...{ ...common, ...claims.id, aud: clientId ?? issuer() },
              ...(nonce !== undefined && { nonce }),
            },
            'id',
          )
        : undefined,
    ]);
    return {
      accessToken,
      ...(idToken !== undefined && { idToken }),
      ...{ tokenType: 'Bearer', expiresIn: accessSeconds, refreshToken, scope },
    };
  };

  const login = async (
    session: Omit<Session, 'startedAt'>,
    nonce?: string,
  ): Promise<TokenRecord | undefined> => {
    if (!(await mayGoOn(session))) return undefined;
    const started = { ...session, startedAt: clock.now() };
    return recordOf(started, await sessions.start(started), nonce);
  };

  const end = async (subject: string, id: string): Promise<void> => {
    await revocations.end(id); // First: a token that is refused cannot start anything.
    await sessions.end({ subject, id });
  };

  return {
    async clientOf(clientId, secret) {
      const tenantId = await credentials.verifySecret(clientId, secret);
      if (tenantId === undefined) return undefined;
      await tenants?.enter(tenantId);
      const directory = await directories.of(tenantId);
      const isClient = directory.subject(clientId)?.kind === 'application';
      return isClient ? { clientId, tenantId } : undefined;
    },

    async byPassword({ username, password, client, nonce, address }) {
      const id = ids.next(); // Before the password is read: if it is changed now, that ends this session.
      const { tenantId = SINGLE_TENANT, ...named } = client ?? {};
      const subject = await lockout.attempt({ tenantId, username, address }, async () => {
        const userId = await (await directories.of(tenantId)).userByName(username);
        return (await credentials.verifyPassword(userId, password)) ? userId : undefined;
      });
      if (subject === undefined) return undefined;
      return login({ id, subject, tenantId, ...named, scope: USER_SCOPE }, nonce);
    },

    byClient: ({ clientId, tenantId }) =>
      login({ id: ids.next(), subject: clientId, tenantId, clientId, scope: '' }),

    async refresh({ refreshToken, scope, client, address }) {
      await revocations.loaded();
      let fault: 'token' | 'scope' = 'token';
      const refreshed = await sessions.refresh(refreshToken, address, {
        async admit({ tenantId }) {
          if (client !== undefined && client.tenantId !== tenantId) return false;
          await tenants?.enter(tenantId);
          return true;
        },
        async respond(session, next) {
          if (!(await mayGoOn(session))) return undefined;
          if (client !== undefined && client.clientId !== session.clientId) return undefined;
          const granted = session.scope.split(' ');
          const words = scope === undefined ? granted : scope.split(' ').filter(Boolean);
          if (!words.every((word) => granted.includes(word))) {
            fault = 'scope';
            return undefined;
          }
          const narrowed = words.join(' ');
          const record = await recordOf({ ...session, scope: narrowed }, next);
          return record && { response: JSON.stringify(record), scope: narrowed };
        },
      });
      if (refreshed === undefined) return { fault };
      if ('response' in refreshed) return refreshed.response;
      await end(refreshed.reused.subject, refreshed.reused.id);
      return { fault };
    },

    async end(token) {
      try {
        const read = await signer.readIssued(token);
        if (read === undefined) return 'unreadable';
        const { sub, sid } = read.claims;
        await end(String(sub), String(sid));
        return 'ended';
      } catch (error) {
        if (error instanceof TokenInvalid) return 'invalid';
        throw error;
      }
    },
  };
}

/** Claims of both tokens, and of the id token alone. */
type SubjectClaims = Readonly<{ both: TokenClaims; id?: TokenClaims }>;

const USER_SCOPE = 'openid profile email';
