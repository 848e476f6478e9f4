import { refuse } from '#src/events/access/refusals.ts';
import { ok } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Directory } from '#src/ports/directory.ts';
import { groupSchema, groupView, SINCE } from '#src/resources/access/group.ts';
import { directoryPage, totaledPageOf } from './listing.ts';
import { directoryFor } from './services.ts';

const PATH = '/v1/groups';

const facts = {
  tag: 'Groups',
  method: 'get',
  entityType: 'Group',
  permission: { namespace: 'plugin-identity', resource: 'groups', action: 'get' },
} as const;

/** Groups come with the platform; no operation writes one. */
export const groupReadRoutes = [
  route({
    ...facts,
    operationId: 'listGroups',
    summary: 'List groups and their members',
    description:
      'Groups come with the platform: they cannot be created, changed or deleted. Members are named by their ' +
      'usernames.',
    path: PATH,
    paging: 'page',
    noMetadata: true,
    replies: { 200: totaledPageOf(groupSchema) },
    refusals: [],
    async handle(request, services) {
      const directory = await directoryFor(request, services);
      const groups = groupsIn(services).map((id) => ({ id, createdAt: SINCE }));
      return directoryPage(groups, request.page, ({ id }) => textOf(directory, id));
    },
  }),

  route({
    ...facts,
    operationId: 'getGroup',
    summary: 'Retrieve a group and its members',
    description:
      'Members are named by their usernames. Change the groups of a user to add or remove one.',
    path: `${PATH}/{group}`,
    pathSchemas: { group: { type: 'string', description: 'Such as `admin-group`' } },
    replies: { 200: groupSchema },
    refusals: ['GROUP_NOT_FOUND'],
    async handle(request, services) {
      const { group } = request.path;
      if (!groupsIn(services).includes(group)) {
        throw refuse('GROUP_NOT_FOUND', 'There is no such group.');
      }
      return ok(await textOf(await directoryFor(request, services), group));
    },
  }),
];

const groupsIn = ({ components }: Services): readonly string[] =>
  (components['access'] as Readonly<{ groups: readonly string[] }>).groups;

async function textOf(directory: Directory, group: string): Promise<string> {
  const names: string[] = [];
  const members = directory.users(group);
  for (let from = 0; from < members.length; from += OPENED_AT_ONCE) {
    const some = members.slice(from, from + OPENED_AT_ONCE);
    const profiles = await Promise.all(some.map(({ id }) => directory.profile(id)));
    names.push(...profiles.flatMap((profile) => profile?.username ?? []));
  }
  return JSON.stringify(groupView(group, names));
}

/** Each may need a call to the key service. */
const OPENED_AT_ONCE = 50;
