import { refuse } from '#src/events/access/refusals.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { anyCaller, OPEN } from '#src/kernel/permission.ts';
import { tokenCodes } from '#src/resources/access/codes.ts';
import {
  discoveryOf,
  discoverySchema,
  keySetSchema,
  permissionsSchema,
  userinfoSchema,
} from '#src/resources/access/token.ts';
import { directoryFor, tokenServices } from './services.ts';

const facts = { tag: 'Tokens', method: 'get', codes: tokenCodes } as const;
/** Keys and addresses change a day ahead of their use. */
const headers = { 'Cache-Control': 'public, max-age=600' };

/** Contract access §7 and §10. */
export const tokenReadRoutes = [
  route({
    ...facts,
    operationId: 'getUserinfo',
    summary: 'Retrieve the user of the bearer token',
    description:
      'Returns the names and the email as they are now. The token of an application is refused.',
    path: '/v1/userinfo',
    permission: anyCaller('get'),
    entityType: 'User',
    replies: { 200: userinfoSchema },
    refusals: ['NOT_A_USER'],
    async handle(request, services) {
      const directory = await directoryFor(request, services);
      const found = directory.subject(request.context.actor.id);
      const profile = found?.kind === 'user' ? await directory.profile(found.id) : undefined;
      if (found === undefined || profile === undefined) {
        throw refuse('NOT_A_USER', 'The token is not that of a user.');
      }
      const { firstName, lastName, username, email } = profile;
      return ok(
        JSON.stringify({
          sub: found.id,
          name: `${firstName} ${lastName}`,
          preferredUsername: username,
          ...{ email, emailVerified: false, picture: '', profile: '' },
        }),
      );
    },
  }),

  route({
    ...facts,
    operationId: 'getPermissions',
    summary: 'Retrieve what the caller may do',
    description:
      'Returns the actions by resource, of all namespaces together or of one. `users/password` is the permission to change ' +
      "one's own password.",
    path: '/v1/permissions',
    permission: anyCaller('get'),
    entityType: 'Permission',
    rateLimit: 'permissions',
    filters: { product: { type: 'string', description: 'A namespace, such as `plugin-fees`' } },
    replies: { 200: permissionsSchema },
    refusals: ['SUBJECT_UNKNOWN'],
    async handle(request, services) {
      const directory = await directoryFor(request, services);
      const subject = directory.subject(request.context.actor.id);
      if (subject === undefined) {
        throw refuse('SUBJECT_UNKNOWN', 'The subject of the token is not in the directory.');
      }
      const { policies } = tokenServices(services);
      return ok(JSON.stringify(policies.permissionsOf(subject, request.query.product)));
    },
  }),

  route({
    ...facts,
    operationId: 'getKeySet',
    summary: 'Retrieve the keys that verify tokens',
    description:
      'Needs no token. A new key is published a day before it signs, and an old one remains until the last token it ' +
      'signed has expired; the response may be cached for ten minutes.',
    path: '/.well-known/jwks.json',
    permission: OPEN,
    entityType: 'KeySet',
    replies: { 200: keySetSchema },
    refusals: [],
    async handle(_, services) {
      return ok(JSON.stringify({ keys: await tokenServices(services).publicKeys() }), { headers });
    },
  }),

  route({
    ...facts,
    operationId: 'getDiscovery',
    summary: 'Retrieve the addresses of the issuer of tokens',
    description:
      'Needs no token, and has the members of OpenID Connect Discovery. The response may be cached for ten minutes.',
    path: '/.well-known/openid-configuration',
    permission: OPEN,
    entityType: 'Discovery',
    replies: { 200: discoverySchema },
    refusals: [],
    handle(_, services) {
      const { issuer, hasTenants } = tokenServices(services);
      return ok(JSON.stringify(discoveryOf(issuer(), hasTenants)), { headers });
    },
  }),
];
