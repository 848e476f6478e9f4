import { expect } from 'chai';
import type { RefusalName } from '#src/kernel/errors.ts';
import { PASSWORD, userNamed, type User } from '#test/support/access.ts';
import type { Client } from '#test/support/client.ts';
import { FIRST_CLIENT } from '#test/support/local-access.ts';
import { got, made, type List } from './books.ts';
import type { Changes, Stage } from './provocations.ts';

/** Two users beside the only administrator, and an application. */
export async function stageAccess(client: Client): Promise<Stage> {
  const [administrator] = (await got<List<User>>(client, '/v1/users')).items;
  await made<User>(client, '/v1/users', userNamed('the.boss'));
  const { id } = await made<User>(client, '/v1/users', userNamed('staged.user'));
  const application = await made<User>(client, '/v1/applications', { name: 'plugin-crm' });
  expect((await client.get('/v1/groups/admin-group')).status).to.equal(200);
  return {
    user_id: id,
    'the administrator': administrator?.id ?? '',
    application_id: application.id,
    group: 'admin-group',
  };
}

/** Bodies that would be taken. */
export const accessBodies = {
  createUser: userNamed('provoked.user'),
  updateUser: { firstName: 'Provoked' },
  resetPassword: { newPassword: PASSWORD.replace('7', '8') },
  updatePassword: { oldPassword: PASSWORD, newPassword: PASSWORD.replace('7', '8') },
  createApplication: { name: 'streaming' },
  createToken: { grantType: 'client_credentials', ...FIRST_CLIENT },
  refreshToken: { refreshToken: 'provoked' },
  logout: { idTokenHint: 'provoked' },
  authorize: { sub: 'admin/quipu-editor-role', resource: 'accounts', action: 'get' },
};

const weak = {
  PASSWORD_TOO_SHORT: { newPassword: 'Short-1' },
  PASSWORD_TOO_WEAK: { newPassword: 'no-upper-case-1' },
};

/** What each operation is refused for: the members in which its body differs from one that is taken. */
export const accessProvocations: Readonly<
  Record<string, Readonly<Partial<Record<RefusalName, Changes>>>>
> = {
  createUser: {
    MALFORMED_FIELD: { email: 'nobody' },
    PASSWORD_TOO_SHORT: { password: 'Short-1' },
    PASSWORD_TOO_WEAK: { password: 'no-upper-case-1' },
    GROUP_NOT_FOUND: { groups: ['nobodys-group'] },
    IDENTITY_TAKEN: { username: 'Staged.User' },
  },
  updateUser: {
    MALFORMED_FIELD: { email: 'nobody' },
    IMMUTABLE_FIELD: { username: 'other' },
    GROUP_NOT_FOUND: { groups: ['nobodys-group'] },
    IDENTITY_TAKEN: { email: 'the.boss@example.com' },
    LAST_ADMINISTRATOR: {
      at: { user_id: 'the administrator' },
      groups: ['quipu-viewer-group'],
    },
  },
  deleteUser: { LAST_ADMINISTRATOR: { at: { user_id: 'the administrator' } } },
  resetPassword: weak,
  updatePassword: { ...weak, NOT_OWN_USER: {} },
  createToken: {
    UNEXPECTED_FIELDS: { grantType: null },
    MALFORMED_FIELD: { nonce: 'x'.repeat(256) },
    GRANT_TYPE_INVALID: { grantType: 5 },
    GRANT_INCOMPLETE: { grantType: 'password' },
    GRANT_NOT_SUPPORTED: { grantType: 'authorization_code' },
    LOGIN_WRONG: { grantType: 'password', username: 'nobody', password: 'Wrong-Horse-77' },
    CLIENT_WRONG: { clientSecret: 'wrong' },
  },
  refreshToken: {
    UNEXPECTED_FIELDS: { refreshToken: null },
    MALFORMED_FIELD: { scope: 'x'.repeat(256) },
    CLIENT_WRONG: { clientId: 'nobody' },
    REFRESH_TOKEN_WRONG: {},
  },
  logout: { MALFORMED_FIELD: { id_token_hint: 'x'.repeat(20_000) }, REQUIRED_FIELDS: {} },
  authorize: { UNEXPECTED_FIELDS: { sub: null }, MALFORMED_FIELD: { action: 'fly' } },
  getUserinfo: { NOT_A_USER: {} },
  createApplication: {
    APPLICATION_NAME_UNKNOWN: { name: 'somebody' },
    IDENTITY_TAKEN: { name: 'plugin-crm' },
  },
};
