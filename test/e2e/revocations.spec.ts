import { expect } from 'chai';
import { userNamed, type User } from '#test/support/access.ts';
import { localAccessOfBlock, REFRESH, type Tokens } from '#test/support/local-access.ts';
import { expectProblem } from './problems.ts';

type Application = Readonly<{ id: string; clientId: string; clientSecret: string }>;

describe('tokens that must stop working', function () {
  this.timeout(60_000);
  const access = localAccessOfBlock();
  const { ask, tokens } = access;
  let admin: string;
  before(async () => {
    admin = (await tokens()).accessToken;
  });

  let count = 0;
  const newUser = async (groups = ['quipu-viewer-group']) => {
    const made = userNamed(`user.${(count += 1)}`, { groups });
    const answer = await ask('POST', '/v1/users', admin, made);
    expect(answer.status, answer.text).to.equal(201);
    const { id } = answer.json() as User;
    const { username, password } = made;
    return { id, username, password, session: await tokens({ username, password }) };
  };
  const refresh = ({ refreshToken }: Tokens) => ask('POST', REFRESH, undefined, { refreshToken });
  const list = ({ accessToken }: Tokens) => ask('GET', '/v1/organizations', accessToken);
  const expectEnded = async (session: Tokens) => {
    expectProblem(await list(session), 401, 'LDG-0042');
    expectProblem(await ask('GET', '/v1/permissions', session.accessToken), 401, 'AUT-0007');
    expectProblem(await refresh(session), 400, 'AUT-1005');
  };
  const expectLive = async (session: Tokens) => expect((await list(session)).status).to.equal(200);

  it('are those of a deleted user, at once', async () => {
    const { id, session, username, password } = await newUser();
    await expectLive(session);
    expect((await ask('DELETE', `/v1/users/${id}`, admin)).status).to.equal(204);
    await expectEnded(session);
    expectProblem(await access.login({ username, password }), 401, 'AUT-1002');
  });

  it('are those of a deleted application, at once', async () => {
    const body = { name: 'quipu', description: 'of a test' };
    const made = await ask('POST', '/v1/applications', admin, body);
    expect(made.status, made.text).to.equal(201);
    const { id, clientId, clientSecret } = made.json() as Application;
    const login = { grantType: 'client_credentials', clientId, clientSecret };
    const session = await tokens(login);
    await expectLive(session);
    const asked = { sub: 'admin/quipu-editor-role', resource: 'accounts', action: 'post' };
    const decided = await ask('POST', '/v1/authorize', session.accessToken, asked);
    expect(decided.json()).to.include({ authorized: true });
    expect((await ask('DELETE', `/v1/applications/${id}`, admin)).status).to.equal(204);
    await expectEnded(session);
    expectProblem(await access.login(login), 401, 'AUT-1004');
  });

  it('are those from before a reset of the password, also after a restart', async () => {
    const { id, session, username } = await newUser();
    const newPassword = 'Another-Horse-8';
    const reset = await ask('PATCH', `/v1/users/${id}/reset-password`, admin, { newPassword });
    expect(reset.status, reset.text).to.equal(200);
    await expectEnded(session);
    const next = await tokens({ username, password: newPassword });
    await expectLive(next);
    await access.restart();
    expectProblem(await refresh(session), 400, 'AUT-1005');
    admin = (await tokens()).accessToken;
    expect((await refresh(next)).status).to.equal(200);
  });

  it('are those of the other sessions when users change their password', async () => {
    const { id, session, username, password } = await newUser();
    const other = await tokens({ username, password });
    const body = { oldPassword: password, newPassword: 'Another-Horse-8' };
    const changed = await ask(
      'PATCH',
      `/v1/users/${id}/update-password`,
      session.accessToken,
      body,
    );
    expect(changed.status, changed.text).to.equal(200);
    await expectEnded(other);
    await expectLive(session);
    const refreshed = await refresh(session);
    expect(refreshed.status, refreshed.text).to.equal(200);
    await expectLive(await tokens({ username, password: body.newPassword }));
    const another = await newUser();
    const path = `/v1/users/${another.id}/update-password`;
    expectProblem(await ask('PATCH', path, session.accessToken, body), 403, 'IDE-0013');
  });

  it('lose what a group granted as soon as the user leaves it', async () => {
    const { id, session } = await newUser(['quipu-editor-group']);
    const create = () => ask('POST', '/v1/organizations', session.accessToken, {});
    expect((await create()).status).to.equal(400);
    const groups = ['plugin-crm-viewer-group'];
    expect((await ask('PATCH', `/v1/users/${id}`, admin, { groups })).status).to.equal(200);
    expectProblem(await create(), 403, 'LDG-0043');
    expectProblem(await ask('GET', '/v1/users', session.accessToken), 403, 'IDE-0043');
    const { accessToken } = (await refresh(session)).json() as Tokens;
    const claims = JSON.parse(atob(accessToken.split('.')[1]!)) as { groups: string[] };
    expect(claims.groups).to.deep.equal(groups);
  });
});
