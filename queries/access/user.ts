import { refuse } from '#src/events/access/refusals.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import { userSchema, userView } from '#src/resources/access/user.ts';
import type { Directory, DirectoryUser } from '#src/ports/directory.ts';
import { directoryPage, totaledPageOf } from './listing.ts';
import { directoryFor } from './services.ts';

const PATH = '/v1/users';

const facts = {
  tag: 'Users',
  method: 'get',
  entityType: 'User',
  permission: { namespace: 'plugin-identity', resource: 'users', action: 'get' },
} as const;

export const userReadRoutes = [
  route({
    ...facts,
    operationId: 'listUsers',
    summary: 'List users',
    description:
      'Returns the users of your tenant in the order of their creation, with `total`, and never a password.',
    path: PATH,
    paging: 'page',
    noMetadata: true,
    replies: { 200: totaledPageOf(userSchema) },
    refusals: [],
    async handle(request, services) {
      const directory = await directoryFor(request, services);
      return directoryPage(directory.users(), request.page, (user) => userText(directory, user));
    },
  }),

  route({
    ...facts,
    operationId: 'getUser',
    summary: 'Retrieve a user',
    description: 'The response never has a password. A deleted user is refused with 404.',
    path: `${PATH}/{user_id}`,
    replies: { 200: userSchema },
    refusals: ['USER_NOT_FOUND'],
    async handle(request, services) {
      const directory = await directoryFor(request, services);
      const user = directory.subject(request.path.user_id);
      const text = user?.kind === 'user' ? await userText(directory, user) : undefined;
      if (text === undefined) throw refuse('USER_NOT_FOUND', 'There is no such user.');
      return ok(text);
    },
  }),
];

/** Renders a user with the person in plain text; undefined if it was deleted meanwhile. */
async function userText(directory: Directory, user: DirectoryUser): Promise<string | undefined> {
  const profile = await directory.profile(user.id);
  return profile && JSON.stringify(userView(user, profile));
}
