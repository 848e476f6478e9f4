import { expect } from 'chai';
import { accessOfBlock, PASSWORD, userNamed, type User } from '#test/support/access.ts';
import { tracesIn } from '#test/support/byte-search.ts';
import { eventsOf } from '#test/support/server.ts';
import { expectProblem } from './problems.ts';

describe('users', function () {
  this.timeout(60_000);
  const { ask, server, restart } = accessOfBlock();

  it('are created and retrieved', async () => {
    const answer = await ask('POST', '/v1/users', userNamed('ana.lima'));
    expect(answer.status, answer.text).to.equal(201);
    const user = answer.json() as User;
    const { id, createdAt, updatedAt } = user;
    expect(user).to.deep.equal({
      id,
      username: 'ana.lima',
      firstName: 'Anabel',
      lastName: 'Lima',
      email: 'ana.lima@example.com',
      groups: ['quipu-viewer-group'],
      createdAt,
      updatedAt,
    });
    expect(updatedAt).to.equal(createdAt);
    const found = await ask('GET', `/v1/users/${id}`);
    expect([found.status, found.json()]).to.deep.equal([200, user]);
  });

  it('share no username and no email, in any letter case', async () => {
    const first = await ask('POST', '/v1/users', userNamed('bea.reis'));
    expect(first.status, first.text).to.equal(201);
    const before = (await eventsOf(server(), 'access-default')).length;
    const sameName = userNamed('BEA.Reis', { email: 'other@example.com' });
    expectProblem(await ask('POST', '/v1/users', sameName), 409, 'IDE-1007', {
      entityType: 'User',
    });
    const sameEmail = userNamed('other.reis', { email: 'Bea.Reis@Example.com' });
    expectProblem(await ask('POST', '/v1/users', sameEmail), 409, 'IDE-1007', {
      entityType: 'User',
    });
    expect((await eventsOf(server(), 'access-default')).length).to.equal(before);
    const other = userNamed('other.reis', { email: 'other@example.com' });
    expect((await ask('POST', '/v1/users', other)).status).to.equal(201);
  });

  it('leave neither person nor password in any file', async () => {
    const secret = { firstName: 'Xerxes-Unmistakable', password: 'Unmistakable-Pw-19' };
    const created = await ask('POST', '/v1/users', userNamed('unmistakable.name', secret));
    expect(created.status, created.text).to.equal(201);
    const { dataDir, output } = server();
    expect(tracesIn(dataDir, { ...secret, username: 'unmistakable.name' })).to.deep.equal([]);
    expect(output().toLowerCase()).to.not.contain('unmistakable');
  });

  it('are refused without repeating what was sent', async () => {
    const cases: [body: object, code: string, status: number][] = [
      [userNamed('cleo.paz', { password: 'Short-Pw-1' }), 'IDE-0020', 400],
      [userNamed('cleo.paz', { password: 'no-upper-case-1' }), 'IDE-0021', 400],
      [userNamed('cleo.paz', { password: 'Cleo.Paz-is-Me-1' }), 'IDE-0021', 400],
      [userNamed('cleo.paz', { password: 'Threeee-In-A-Row-1' }), 'IDE-0021', 400],
      [userNamed('cleo.paz', { password: 123_456_789_012 }), 'IDE-0007', 400],
      [userNamed('cleo.paz', { pasword: PASSWORD }), 'IDE-0004', 400],
      [userNamed('cleo.paz', { groups: ['nobodys-group'] }), 'IDE-1006', 404],
      [userNamed('cleo.paz', { groups: [] }), 'IDE-0002', 400],
      [userNamed('cleo.paz', { email: 'nobody' }), 'IDE-0002', 400],
      [userNamed('cl'), 'IDE-0002', 400],
      [{}, 'IDE-0001', 400],
    ];
    for (const [body, code, status] of cases) {
      const answer = await ask('POST', '/v1/users', body);
      expect([answer.status, (answer.json() as { code: string }).code], answer.text).to.deep.equal([
        status,
        code,
      ]);
      const { password = '-', pasword = '-' } = body as Record<string, unknown>;
      if (password !== '-') expect(answer.text).to.not.contain(String(password));
      if (pasword !== '-') expect(answer.text).to.not.contain(String(pasword));
    }
  });

  const create = async (username: string, more: object = {}): Promise<User> => {
    const answer = await ask('POST', '/v1/users', userNamed(username, more));
    expect(answer.status, answer.text).to.equal(201);
    return answer.json() as User;
  };

  it('are listed in the order of their creation, with their number', async () => {
    const [first, last] = [await create('eva.first'), await create('eva.last')];
    const asked = await ask('GET', '/v1/users?limit=2&sort_order=desc');
    const { items, total, ...page } = asked.json() as Listed<User>;
    expect(items).to.deep.equal([last, first]);
    expect(page).to.deep.equal({ limit: 2, page: 1 });
    const all = (await ask('GET', '/v1/users?limit=100')).json() as Listed<User>;
    expect(all.items).to.have.lengthOf(total);
    const next = (await ask('GET', `/v1/users?limit=1&page=${total}`)).json() as Listed<User>;
    expect(next.items).to.deep.equal([last]);
    const beyond = (await ask('GET', '/v1/users?page=99')).json() as Listed<User>;
    expect([beyond.items, beyond.total]).to.deep.equal([[], total]);
    const none = '/v1/users?start_date=2001-01-01&end_date=2001-01-02';
    expect(((await ask('GET', none)).json() as Listed<User>).total).to.equal(0);
  });

  it('are members of their groups', async () => {
    const groups = ['plugin-crm-viewer-group', 'plugin-fees-editor-group'];
    const { username } = await create('gil.moura', { groups: [...groups, ...groups] });
    const found = (await ask('GET', '/v1/groups/plugin-crm-viewer-group')).json() as Group;
    expect(found).to.include({ id: groups[0], name: groups[0] });
    expect(found.users).to.deep.equal([username]);
    const { items, total } = (await ask('GET', '/v1/groups')).json() as Listed<Group>;
    expect([items.length, total]).to.deep.equal([10, 10]);
    expect(items.map(({ id }) => id)).to.include.members(['admin-group', 'quipu-viewer-group']);
    expectProblem(await ask('GET', '/v1/groups/nobody'), 404, 'IDE-1006', { entityType: 'Group' });
  });

  it('are changed, and what they gave up is free again', async () => {
    const user = await create('hugo.leal');
    const changes = { firstName: 'Victor', email: 'victor@example.com' };
    const groups = ['quipu-editor-group'];
    const path = `/v1/users/${user.id}`;
    const changed = await ask('PATCH', path, { ...changes, groups });
    expect(changed.status, changed.text).to.equal(200);
    const now = changed.json() as User;
    expect(now).to.deep.equal({ ...user, ...changes, groups, updatedAt: now.updatedAt });
    expect((await ask('GET', path)).json()).to.deep.equal(now);
    await create('hugo.other', { email: user.email });
    expectProblem(await ask('PATCH', path, { email: user.email }), 409, 'IDE-1007');
    expect((await ask('GET', path)).json()).to.deep.equal(now);
    const before = (await eventsOf(server(), 'access-default')).length;
    expect((await ask('PATCH', path, changes)).json()).to.deep.equal(now);
    expect((await eventsOf(server(), 'access-default')).length, 'no effect').to.equal(before);
  });

  it('keep what is immutable, which is not repeated', async () => {
    const { id } = await create('iris.neves');
    for (const [member, value] of Object.entries({ id, username: 'other', password: PASSWORD })) {
      const answer = await ask('PATCH', `/v1/users/${id}`, { [member]: value });
      expectProblem(answer, 400, 'IDE-0011', { locations: [member] });
      expect(answer.text).to.not.contain(value);
    }
  });

  it('take one of two concurrent changes to an email, and lose none of their own', async () => {
    const users = [await create('joana.um'), await create('joana.dois')];
    const sent = users.map(({ id }) =>
      ask('PATCH', `/v1/users/${id}`, { email: 'joana@example.com' }),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.toSorted()).to.deep.equal([200, 409]);
    const path = `/v1/users/${users[0]!.id}`;
    const changes = [{ firstName: 'Maria' }, { lastName: 'Souza' }, { email: 'maria@example.com' }];
    await Promise.all(changes.map((change) => ask('PATCH', path, change)));
    expect((await ask('GET', path)).json()).to.include(Object.assign({}, ...changes));
  });

  it('are erased when they are deleted, and their names are free', async () => {
    const { id, username } = await create('karl.deleted');
    expect((await ask('DELETE', `/v1/users/${id}`)).status).to.equal(204);
    expectProblem(await ask('GET', `/v1/users/${id}`), 404, 'IDE-1003');
    expectProblem(await ask('DELETE', `/v1/users/${id}`), 404, 'IDE-1003');
    expectProblem(await ask('PATCH', `/v1/users/${id}`, { firstName: 'Karl' }), 404, 'IDE-1003');
    const reset = { newPassword: 'Another-Horse-8' };
    expectProblem(await ask('PATCH', `/v1/users/${id}/reset-password`, reset), 404, 'IDE-1003');
    const again = await create(username);
    expect(again.id).to.not.equal(id);
  });

  it('always leave an administrator', async () => {
    const groups = ['admin-group'];
    const [one, other] = [await create('lea.um', { groups }), await create('lea.dois', { groups })];
    expect((await ask('DELETE', `/v1/users/${one.id}`)).status).to.equal(204);
    const path = `/v1/users/${other.id}`;
    expectProblem(await ask('DELETE', path), 409, 'IDE-1008', { entityType: 'User' });
    const demoted = { groups: ['quipu-viewer-group'] };
    expectProblem(await ask('PATCH', path, demoted), 409, 'IDE-1008');
    expect((await ask('GET', path)).json()).to.deep.equal(other);
  });

  it('change their own password with the old one, and no other', async () => {
    const { id } = await create('mia.rocha');
    const path = `/v1/users/${id}/update-password`;
    const own = { sub: id };
    const change = { oldPassword: PASSWORD, newPassword: 'Another-Horse-8' };
    expectProblem(await ask('PATCH', path, change), 403, 'IDE-0013');
    const wrong = { ...change, oldPassword: 'Wrong-Horse-88' };
    expectProblem(await ask('PATCH', path, wrong, own), 401, 'IDE-0009');
    const same = { ...change, newPassword: PASSWORD };
    expectProblem(await ask('PATCH', path, same, own), 400, 'IDE-0021');
    const named = { ...change, newPassword: 'I-Am-mia.rocha-1' };
    expectProblem(await ask('PATCH', path, named, own), 400, 'IDE-0021');
    const answer = await ask('PATCH', path, change, own);
    expect([answer.status, answer.text]).to.deep.equal([200, '{}']);
    expectProblem(await ask('PATCH', path, change, own), 401, 'IDE-0009');
    const reset = { newPassword: 'Third-Horse-789' };
    const forgotten = await ask('PATCH', `/v1/users/${id}/reset-password`, reset);
    expect([forgotten.status, forgotten.text]).to.deep.equal([200, '{}']);
    const last = { oldPassword: reset.newPassword, newPassword: PASSWORD };
    expect((await ask('PATCH', path, last, own)).status).to.equal(200);
    const events = await eventsOf(server(), 'access-default');
    const changes = events.filter(({ type }) => type === 'UserPasswordChanged');
    expect(changes).to.have.lengthOf(3);
    expect(changes.map(({ data }) => data).join()).to.not.match(/horse|argon/i);
  });

  it('are there after a restart', async () => {
    const all = (await ask('GET', '/v1/users?limit=100')).json();
    await restart();
    expect((await ask('GET', '/v1/users?limit=100')).json()).to.deep.equal(all);
  });
});

type Listed<Item> = Readonly<{
  items: readonly Item[];
  limit: number;
  page: number;
  total: number;
}>;
type Group = Readonly<{ id: string; name: string; users: readonly string[] }>;
