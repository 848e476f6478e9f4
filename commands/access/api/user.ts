import { userNotFound } from '#commands/access/access.ts';
import {
  changePassword,
  type PasswordChangeRequest,
} from '#commands/access/processes/change-password.ts';
import { changeUser } from '#commands/access/processes/change-user.ts';
import { createUser } from '#commands/access/processes/create-user.ts';
import { deleteUser } from '#commands/access/processes/delete-user.ts';
import { accessServices } from '#commands/access/processes/services.ts';
import { refuse } from '#src/events/access/refusals.ts';
import { created, noContent, ok, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Profile } from '#src/kernel/profile.ts';
import { passwordFault, refusalOf } from '#src/resources/access/password.ts';
import {
  createUserBody,
  emptySchema,
  resetPasswordBody,
  updatePasswordBody,
  updateUserBody,
  userSchema,
  userView,
} from '#src/resources/access/user.ts';
import { sessionIn } from './credentials.ts';
import { followed, stepsOf } from './submit.ts';

const PATH = '/v1/users';

const facts = (action: string) => ({
  tag: 'Users',
  entityType: 'User',
  permission: { namespace: 'plugin-identity', resource: 'users', action },
});

/** Contract access §8. */
export const userWriteRoutes = [
  route({
    ...facts('post'),
    operationId: 'createUser',
    summary: 'Create a user',
    description:
      'Names, username and email are encrypted with a key of the record before anything is stored, and of the password ' +
      'only a hash is. No two users have the same username or email, in any letter case.',
    method: 'post',
    path: PATH,
    body: createUserBody,
    replies: { 201: userSchema },
    refusals: ['GROUP_NOT_FOUND', 'IDENTITY_TAKEN'],
    async handle(request, services) {
      const { password, groups: sent, username, firstName, lastName, email } = request.body;
      const profile = { username, firstName, lastName, email };
      const groups = knownGroups(services, sent);
      mustBeStrong('password', password, profile);
      const { user, revision } = await createUser(
        stepsOf(request, services),
        accessServices(services.components),
        { profile, groups, password },
      );
      const token = await followed(request, services, revision);
      return created(JSON.stringify(userView(user, profile)), { token });
    },
  }),

  route({
    ...facts('patch'),
    operationId: 'updateUser',
    summary: 'Change the names, the email or the groups of a user',
    description: 'Members that are absent stay as they are; `groups` replaces all groups.',
    method: 'patch',
    path: `${PATH}/{user_id}`,
    body: updateUserBody,
    replies: { 200: userSchema },
    refusals: ['USER_NOT_FOUND', 'GROUP_NOT_FOUND', 'IDENTITY_TAKEN', 'LAST_ADMINISTRATOR'],
    async handle(request, services) {
      const { firstName, lastName, email, groups: sent } = request.body;
      const groups = sent && knownGroups(services, sent);
      const { user, profile, revision } = await changeUser(
        stepsOf(request, services),
        accessServices(services.components),
        request.path.user_id,
        { firstName, lastName, email, groups },
      );
      const token = await followed(request, services, revision);
      return ok(JSON.stringify(userView(user, profile)), { token });
    },
  }),

  route({
    ...facts('delete'),
    operationId: 'deleteUser',
    summary: 'Delete a user, and erase who it was',
    description:
      'The key of the record is destroyed, so that no event and no backup of the log tells who the user was. Its sessions ' +
      'end. The last member of `admin-group` stays.',
    method: 'delete',
    path: `${PATH}/{user_id}`,
    replies: { 204: null },
    refusals: ['USER_NOT_FOUND', 'LAST_ADMINISTRATOR'],
    async handle(request, services) {
      const { user_id: id } = request.path;
      const steps = stepsOf(request, services);
      const revision = await deleteUser(steps, accessServices(services.components), id);
      const token = await followed(request, services, revision);
      return noContent({ token });
    },
  }),

  route({
    ...facts('patch'),
    operationId: 'resetPassword',
    summary: 'Set the password of a user, as an administrator; its sessions end',
    description:
      'The old password is not needed. The new one must be strong enough, and every session of the user ends.',
    permission: { namespace: 'plugin-identity', resource: 'reset-password', action: 'patch' },
    method: 'patch',
    path: `${PATH}/{user_id}/reset-password`,
    body: resetPasswordBody,
    replies: { 200: emptySchema },
    refusals: ['USER_NOT_FOUND'],
    async handle(request, services) {
      const profile = await profileOf(request, services);
      return passwordChanged(request, services, profile, request.body);
    },
  }),

  route({
    ...facts('patch'),
    operationId: 'updatePassword',
    summary: 'Change the password of the user of the token; its other sessions end',
    description:
      "Requires the old password and the user's own token; one of another user is refused with 403. The session of " +
      'the token goes on.',
    permission: { namespace: 'plugin-identity', resource: 'update-password', action: 'patch' },
    method: 'patch',
    path: `${PATH}/{user_id}/update-password`,
    body: updatePasswordBody,
    replies: { 200: emptySchema },
    refusals: ['NOT_OWN_USER', 'OLD_PASSWORD_WRONG', 'USER_NOT_FOUND'],
    async handle(request, services) {
      const profile = await profileOf(request, services);
      const { actor } = request.context;
      if (actor.type !== 'user' || actor.id !== request.path.user_id) {
        throw refuse('NOT_OWN_USER', 'Only the user itself changes a password with the old one.');
      }
      const keptSession = sessionIn(request.client);
      return passwordChanged(request, services, profile, { ...request.body, keptSession });
    },
  }),
];

type UserRequest = Request<Readonly<{ user_id: Uuid }>>;

/** Errors: USER_NOT_FOUND, Unavailable. */
async function profileOf(
  { path, context }: UserRequest,
  { components }: Services,
): Promise<Profile> {
  const directory = await accessServices(components).directories.of(context.tenantId);
  const profile = await directory.profile(path.user_id);
  if (profile === undefined) throw userNotFound();
  return profile;
}

/** Errors: USER_NOT_FOUND, OLD_PASSWORD_WRONG, PASSWORD_TOO_SHORT, PASSWORD_TOO_WEAK, Unavailable. */
async function passwordChanged(
  request: UserRequest,
  services: Services,
  profile: Profile,
  passwords: PasswordChangeRequest,
): Promise<Reply> {
  const { user_id: id } = request.path;
  const { credentials } = accessServices(services.components);
  mustBeStrong('newPassword', passwords.newPassword, profile);
  const revision = await changePassword(stepsOf(request, services), { credentials }, id, passwords);
  return ok('{}', { token: await followed(request, services, revision) });
}

/** Returns each group once. Errors: GROUP_NOT_FOUND. */
function knownGroups({ components }: Services, sent: readonly string[]): readonly string[] {
  const { groups } = accessServices(components);
  const findings = sent.flatMap((id, n) =>
    groups.includes(id)
      ? []
      : [{ location: `groups[${n}]`, message: 'is not the id of a group', value: id }],
  );
  const [first] = findings;
  if (first === undefined) return [...new Set(sent)];
  throw refuse('GROUP_NOT_FOUND', `${first.location} ${first.message}.`, {
    findings,
    entityType: 'Group',
  });
}

/** Errors: PASSWORD_TOO_SHORT, PASSWORD_TOO_WEAK, which never repeat the password. */
function mustBeStrong(location: string, password: string, profile: Profile): void {
  const fault = passwordFault(password, profile);
  if (fault === undefined) return;
  const { message } = fault;
  throw refuse(refusalOf(fault), `${location} ${message}.`, { findings: [{ location, message }] });
}
