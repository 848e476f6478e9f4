import type { Ids } from '#src/ports/ids.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Credentials } from '#src/ports/credentials.ts';
import type { Directory } from '#src/ports/directory.ts';
import type { TokenRecord, TokenService } from '#src/ports/token-service.ts';
import { TokenInvalid, type TokenClaims } from '#src/ports/token-verifier.ts';
import { isLive, type IssuedTokens } from './issued-tokens.ts';
import { Lockout } from './lockout.ts';
import type { Session, Sessions } from './sessions.ts';

export type TokenServiceOptions = Readonly<{
  directory: Pick<Directory, 'subject' | 'userByName' | 'profile' | 'changed'>;
  credentials: Pick<Credentials, 'verifyPassword' | 'verifySecret'>;
  issued: IssuedTokens;
  sessions: Sessions;
  clock: Clock;
  ids: Ids;
}>;

/** Creates the service that issues tokens to the users and applications of a directory. */
export function createTokenService(options: TokenServiceOptions): TokenService {
  const { directory, credentials, sessions, clock, ids } = options;
  const { signer, revocations, audience, issuer, accessSeconds } = options.issued;
  const lockout = new Lockout(clock);

  /** Removes what is left of the sessions of these subjects, which are refused in any case. */
  directory.changed(({ subject, reason }) => {
    if (reason === 'deleted') sessions.destroy(subject).catch(() => undefined);
    if (reason !== 'password') return;
    const found = directory.subject(subject);
    if (found?.kind !== 'user' || found.passwordChange === undefined) return;
    const { at, keptSession } = found.passwordChange;
    sessions.endBefore(subject, at, keptSession).catch(() => undefined);
  });

  /** Returns the claims of both tokens about a subject; undefined if it does not exist any more. */
  const claimsOf = async (subject: string): Promise<SubjectClaims | undefined> => {
    const found = directory.subject(subject);
    if (found === undefined) return undefined;
    const { owner } = found;
    if (found.kind === 'application') {
      return { both: { name: found.product, owner, type: 'application' } };
    }
    const profile = await directory.profile(found.id);
    if (profile === undefined) return undefined;
    const { username: name, firstName, lastName, email } = profile;
    const displayName = `${firstName} ${lastName}`;
    return {
      both: { name, displayName, owner, type: 'normal-user', groups: found.groups },
      id: { email, email_verified: false },
    };
  };

  const recordOf = async (
    { id: sid, subject: sub, clientId, scope }: Session,
    refreshToken: string,
    nonce?: string,
  ): Promise<TokenRecord | undefined> => {
    const claims = await claimsOf(sub);
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

  const isGoingOn = ({ subject, id, clientId }: Omit<Session, 'startedAt'>): boolean =>
    isLive(subject, id, { directory, revocations }, clientId);

  const login = async (
    session: Omit<Session, 'startedAt'>,
    nonce?: string,
  ): Promise<TokenRecord | undefined> => {
    if (!isGoingOn(session)) return undefined;
    const started = { ...session, startedAt: clock.now() };
    return recordOf(started, await sessions.start(started), nonce);
  };

  const end = async (subject: string, id: string): Promise<void> => {
    await revocations.end(id); // First: a token that is refused cannot start anything.
    await sessions.end({ subject, id });
  };

  return {
    async isClient(clientId, secret) {
      const isRight = await credentials.verifySecret(clientId, secret);
      return isRight && directory.subject(clientId)?.kind === 'application';
    },

    async byPassword({ username, password, clientId, nonce, address }) {
      const id = ids.next(); // Before the password is read: if it is changed now, that ends this session.
      const subject = await lockout.attempt(username, address, async () => {
        const userId = await directory.userByName(username);
        return (await credentials.verifyPassword(userId, password)) ? userId : undefined;
      });
      if (subject === undefined) return undefined;
      const client = clientId === undefined ? {} : { clientId };
      return login({ id, subject, ...client, scope: USER_SCOPE }, nonce);
    },

    byClient: (clientId) => login({ id: ids.next(), subject: clientId, clientId, scope: '' }),

    async refresh({ refreshToken, scope, address, clientId }) {
      await revocations.loaded();
      let fault: 'token' | 'scope' = 'token';
      const refreshed = await sessions.refresh(refreshToken, address, async (session, next) => {
        if (!isGoingOn(session)) return undefined;
        if (clientId !== undefined && clientId !== session.clientId) return undefined;
        const granted = session.scope.split(' ');
        const words = scope === undefined ? granted : scope.split(' ').filter(Boolean);
        if (!words.every((word) => granted.includes(word))) {
          fault = 'scope';
          return undefined;
        }
        const narrowed = words.join(' ');
        const record = await recordOf({ ...session, scope: narrowed }, next);
        return record && { response: JSON.stringify(record), scope: narrowed };
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
