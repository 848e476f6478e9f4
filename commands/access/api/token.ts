import { accessServices } from '#commands/access/processes/services.ts';
import { refuse } from '#src/events/access/refusals.ts';
import { tokenIn } from '#src/http/access-check.ts';
import { ok, type Reply } from '#src/http/reply.ts';
import type { RequestClient } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import { formatInstant } from '#src/kernel/instant.ts';
import { anyCaller, OPEN } from '#src/kernel/permission.ts';
import type { TokenClient, TokenRecord, TokenServices } from '#src/ports/token-service.ts';
import { tokenCodes } from '#src/resources/access/codes.ts';
import {
  authorizeBody,
  decisionSchema,
  loginBody,
  logoutBody,
  refreshBody,
  tokenSchema,
} from '#src/resources/access/token.ts';
import { emptySchema } from '#src/resources/access/user.ts';
import { clientIn, oauthForm } from './credentials.ts';

const facts = {
  tag: 'Tokens',
  method: 'post',
  permission: OPEN,
  entityType: 'Token',
  rateLimit: 'token',
  codes: tokenCodes,
} as const;

/** Contract access §3 to §6. Nothing of these requests is stored for their repetition: they contain secrets. */
export const tokenRoutes = [
  route({
    ...facts,
    operationId: 'createToken',
    summary: 'Log in',
    description:
      'Issues tokens to a user or to an application. A client that is sent, in the body or by HTTP Basic, must be valid; with ' +
      'several tenants, a user logs in through a client of its tenant. Unknown members are ignored. A form with the parameter ' +
      'names of OAuth is accepted as well; its response has the members of OAuth, too.',
    path: '/v1/login/oauth/access_token',
    body: loginBody,
    forms: oauthForm(loginBody),
    replies: { 200: tokenSchema },
    refusals: ['GRANT_INCOMPLETE', 'GRANT_NOT_SUPPORTED', 'LOGIN_WRONG', 'CLIENT_WRONG'],
    async handle({ body, client }, services) {
      const { tokens, hasTenants } = accessServices(services.components);
      const { grantType, username, password, nonce } = body;
      if (grantType !== 'password' && grantType !== 'client_credentials') {
        const detail = 'grantType must be password or client_credentials.';
        throw refuse('GRANT_NOT_SUPPORTED', detail);
      }
      const sender = await authenticatedClient(client, body, tokens);
      if (sender === undefined && (grantType === 'client_credentials' || hasTenants)) {
        throw incomplete('clientId and clientSecret');
      }
      if (grantType === 'client_credentials') {
        const issued = await tokens.byClient(sender!);
        if (issued === undefined) throw wrongClient();
        return issuedTo(client, issued);
      }
      if (!username || !password) throw incomplete('username and password');
      const issued = await tokens.byPassword({
        ...{ username, password, address: client.address },
        ...(sender !== undefined && { client: sender }),
        ...(nonce !== undefined && { nonce }),
      });
      if (issued === undefined) throw refuse('LOGIN_WRONG', 'The user or the password is wrong.');
      return issuedTo(client, issued);
    },
  }),

  route({
    ...facts,
    operationId: 'refreshToken',
    summary: 'Refresh tokens',
    description:
      'Spends the refresh token and returns new tokens, with the groups and names as they are now. The same request from the ' +
      'same address gets the same response for ten seconds; a token that is used again later ends its session. `scope` may ' +
      'leave out words. A client that is sent must be the one of the login.',
    path: '/v1/login/oauth/refresh_token',
    body: refreshBody,
    forms: oauthForm(refreshBody),
    replies: { 200: tokenSchema },
    refusals: ['CLIENT_WRONG', 'REFRESH_TOKEN_WRONG'],
    async handle({ body, client }, services) {
      const { tokens } = accessServices(services.components);
      const { address } = client;
      const sender = await authenticatedClient(client, body, tokens);
      const { refreshToken, scope } = body;
      const issued = await tokens.refresh({
        ...{ refreshToken, address },
        ...(scope !== undefined && { scope }),
        ...(sender !== undefined && { client: sender }),
      });
      if (typeof issued === 'string') return issuedTo(client, JSON.parse(issued) as TokenRecord);
      if (issued.fault === 'token') {
        const detail =
          'The refresh token is unknown, expired, used before, of another client, or its owner is gone.';
        throw refuse('REFRESH_TOKEN_WRONG', detail);
      }
      const message = 'must only have words of the scope that was granted';
      throw refuse('MALFORMED_FIELD', `scope ${message}.`, {
        findings: [{ location: 'scope', message }],
      });
    },
  }),

  route({
    ...facts,
    operationId: 'logout',
    summary: 'Log out',
    description:
      'Ends the session of an id token or, without one, of the bearer token: none of its tokens is accepted any longer. The ' +
      'token may have expired, and the request may be repeated.',
    path: '/v1/logout',
    rateLimit: 'general',
    body: logoutBody,
    bodyOptional: true,
    forms: oauthForm(logoutBody),
    replies: { 200: emptySchema },
    refusals: ['REQUIRED_FIELDS'],
    async handle({ body, client: { authorization } }, services) {
      const { tokens } = accessServices(services.components);
      const hint = hintIn(body);
      const ended = await tokens.end(hint ?? tokenIn(authorization));
      if (ended === 'ended') return ok('{}');
      if (ended === 'unreadable' && hint !== undefined) {
        throw refuse('REQUIRED_FIELDS', 'idTokenHint must be an id token.');
      }
      throw refuse('TOKEN_INVALID', 'The token was not issued here.');
    },
  }),

  route({
    ...facts,
    operationId: 'authorize',
    summary: 'Decide whether the caller may do something',
    description:
      'Decides about the subject of the bearer token. A refusal is a decision, not an error. A `sub` that does not fit the ' +
      'token is refused. Unknown members are ignored.',
    path: '/v1/authorize',
    permission: anyCaller('post'),
    entityType: 'Decision',
    rateLimit: 'permissions',
    body: authorizeBody,
    replies: { 200: decisionSchema },
    refusals: ['SUBJECT_UNKNOWN'],
    async handle({ body, context }, services) {
      const { policies, directories } = accessServices(services.components);
      const { sub, resource, action, product } = body;
      const asked = { sub, resource, action, ...(product !== undefined && { product }) };
      const subject = (await directories.of(context.tenantId)).subject(context.actor.id);
      if (subject === undefined) throw unknownSubject();
      const authorized = policies.decide(subject, asked);
      return ok(JSON.stringify({ authorized, timestamp: formatInstant(services.clock.now()) }));
    },
  }),
];

/** Libraries of OAuth send forms, and read the names of RFC 6749 §5.1. */
const issuedTo = ({ sentForm }: RequestClient, issued: TokenRecord): Reply =>
  ok(JSON.stringify(sentForm ? { ...issued, ...oauthMembers(issued) } : issued));

const oauthMembers = (issued: TokenRecord): object => ({
  access_token: issued.accessToken,
  id_token: issued.idToken,
  token_type: issued.tokenType,
  expires_in: issued.expiresIn,
  refresh_token: issued.refreshToken,
});

/** An absent body arrives as undefined. */
const hintIn = (sent?: Readonly<{ idTokenHint?: string; id_token_hint?: string }>) =>
  sent?.idTokenHint ?? sent?.id_token_hint;

/** Returns the client of a request; undefined if it names none. Errors: CLIENT_WRONG and those of the token service. */
async function authenticatedClient(
  sender: RequestClient,
  body: Parameters<typeof clientIn>[1],
  tokens: TokenServices['tokens'],
): Promise<TokenClient | undefined> {
  const client = clientIn(sender, body);
  if (client === undefined) return undefined;
  const known = await tokens.clientOf(client.clientId, client.clientSecret);
  if (known !== undefined) return known;
  throw wrongClient();
}

const wrongClient = () => refuse('CLIENT_WRONG', 'The client or its secret is wrong.');
const incomplete = (members: string) => refuse('GRANT_INCOMPLETE', `This grant needs ${members}.`);
const unknownSubject = () =>
  refuse('SUBJECT_UNKNOWN', 'The subject of the token is not in the directory.');
