import { expect } from 'chai';
import { accessOfBlock, PASSWORD, userNamed, type User } from '#test/support/access.ts';
import { eventsOf, launchServer, stopServer } from '#test/support/server.ts';

const FIRST = {
  ACCESS_ADMIN_USERNAME: 'root.admin',
  ACCESS_ADMIN_EMAIL: 'root@example.com',
  ACCESS_ADMIN_PASSWORD: PASSWORD,
  ACCESS_ADMIN_CLIENT_ID: 'first-client',
  ACCESS_ADMIN_CLIENT_SECRET: 'f'.repeat(32),
};

describe('the first administrator and application', function () {
  this.timeout(60_000);
  const { ask, restart, server } = accessOfBlock(FIRST);
  const typesOf = async () => (await eventsOf(server(), 'access-default')).map(({ type }) => type);

  it('are created at the first start and at no other', async () => {
    expect(await typesOf()).to.deep.equal(['ApplicationCreated', 'UserCreated']);
    await restart({ ACCESS_ADMIN_USERNAME: 'other.admin', ACCESS_ADMIN_PASSWORD: `${PASSWORD}!` });
    expect(await typesOf()).to.deep.equal(['ApplicationCreated', 'UserCreated']);
  });

  it('belong to the group of administrators, and take their names', async () => {
    const [, created] = await eventsOf(server(), 'access-default');
    const { id } = (JSON.parse(created?.data ?? '') as { user: User }).user;
    const found = (await ask('GET', `/v1/users/${id}`)).json() as User;
    expect(found).to.include({ username: 'root.admin', email: 'root@example.com' });
    expect(found.groups).to.deep.equal(['admin-group']);
    const again = await ask('POST', '/v1/users', userNamed('Root.Admin'));
    expect(again.status).to.equal(409);
  });

  it('are refused at start if a part is missing or the password is weak, which is not repeated', async () => {
    const cases = [
      { ...FIRST, ACCESS_ADMIN_CLIENT_SECRET: '' },
      { ...FIRST, ACCESS_ADMIN_PASSWORD: 'guessable' },
      { ...FIRST, ACCESS_ADMIN_EMAIL: 'nobody' },
    ];
    for (const env of cases) {
      const starting = await launchServer({ env });
      const code = await new Promise((resolve) => starting.child.once('exit', resolve));
      expect(code, starting.output()).to.equal(78);
      expect(starting.output()).to.contain('ACCESS_ADMIN_').and.not.contain('guessable');
      await stopServer(starting);
    }
  });
});
