import type { Tokens } from '#test/support/local-access.ts';
import type { ExampleApi, ExampleMedia } from './example-api.ts';

/** The application that the server has from its start. */
export const CLIENT = { clientId: 'back-office', clientSecret: 'Correct-Horse-of-the-Back-Office' };

/** Runs users, groups, applications and tokens. */
export async function exampleAccess(api: ExampleApi): Promise<void> {
  const { call, within } = api;
  await call('listGroups', { itemsMax: 1 });
  const user = await call('createUser', {
    body: {
      username: 'ana.lima',
      email: 'ana.lima@example.com',
      firstName: 'Ana',
      lastName: 'Lima',
      password: 'Correct-Horse-7',
      groups: ['plugin-fees-editor-group'],
    },
  });
  within({ user_id: user.id, group: 'plugin-fees-editor-group' });
  await call('getUser');
  await call('updateUser', { body: { lastName: 'Lima Prado' } });
  await call('listUsers', { query: { limit: 1, sort_order: 'desc' } });
  await call('getGroup');
  await call('resetPassword', { body: { newPassword: 'Correct-Horse-8' } });

  const application = await call('createApplication', {
    body: { name: 'plugin-fees', description: 'Charges fees' },
  });
  within({ application_id: application.id });
  await call('getApplication');
  await call('listApplications', { query: { limit: 1, sort_order: 'desc' } });
  await tokens(api, user.id);
}

async function tokens({ call }: ExampleApi, userId: string): Promise<void> {
  const login = { grantType: 'password', username: 'ana.lima', password: 'Correct-Horse-8' };
  const first = await call<Tokens>('createToken', { body: login });
  const { accessToken } = await call<Tokens>('refreshToken', {
    body: { refreshToken: first.refreshToken },
  });
  const headers = { Authorization: `Bearer ${accessToken}` };
  await call('getUserinfo', { headers });
  await call('getPermissions', { headers });
  await call('authorize', {
    headers,
    body: { sub: `default/${userId}`, resource: 'packages', action: 'get' },
  });
  await call('updatePassword', {
    headers,
    body: { oldPassword: 'Correct-Horse-8', newPassword: 'Correct-Horse-9' },
  });
  await call('getKeySet');
  await call('getDiscovery', { itemsMax: 2 });

  const media: ExampleMedia = 'application/x-www-form-urlencoded';
  const form = {
    grant_type: 'client_credentials',
    client_id: CLIENT.clientId,
    client_secret: CLIENT.clientSecret,
  };
  const issued = await call<Tokens>('createToken', { media, body: form });
  await call('refreshToken', { media, body: { refresh_token: issued.refreshToken } });
  for (const as of ['application/json', media] as const) {
    const { idToken } = await call<Tokens>('createToken', {
      body: { ...login, password: 'Correct-Horse-9' },
    });
    const body = as === media ? { id_token_hint: idToken } : { idTokenHint: idToken };
    await call('logout', { media: as, body });
  }
}
