import { expect } from 'chai';
import { changePassword } from '#commands/access/processes/change-password.ts';
import { changeUser } from '#commands/access/processes/change-user.ts';
import { createApplication } from '#commands/access/processes/create-application.ts';
import { createUser } from '#commands/access/processes/create-user.ts';
import type { SubjectChange } from '#src/ports/directory.ts';
import { accessWorld, profileOf, TENANT } from '#test/support/access-world.ts';
import { PASSWORD } from '#test/support/access.ts';

const groups = ['quipu-viewer-group'];

describe('the directories of several tenants', () => {
  it('are read at their first use, and follow what other processes record', async () => {
    const world = accessWorld('acme');
    const [writer, reader] = [world.process(), world.process()];
    const product = { name: 'plugin-fees', description: '', clientId: 'client-1' };
    const { application } = await createApplication(writer.steps(), writer.credentials, product);
    const changes: [SubjectChange, boolean][] = [];
    const opening = reader.directories.of('acme');
    expect(opening).to.be.instanceOf(Promise);
    expect(reader.directories.of('acme'), 'is read once').to.equal(opening);
    const acme = await opening;
    reader.directories.changed((change, directory) => changes.push([change, directory === acme]));
    expect(reader.directories.of('acme')).to.equal(acme);
    expect(acme.subject('client-1')).to.include({ owner: 'acme' });
    const beta = await reader.directories.of('beta');
    expect(beta.subject('client-1')).to.equal(undefined);
    expect(beta.applications()).to.deep.equal([]);
    await writer.submit({ type: 'DeleteApplication', id: application.id });
    await reader.directories.follow();
    expect(acme.subject('client-1')).to.equal(undefined);
    expect(changes).to.deep.equal([[{ subject: 'client-1', reason: 'deleted' }, true]]);
  });
});

describe('the directory', function () {
  this.timeout(20_000);

  it('has the users and applications that any process recorded', async () => {
    const world = accessWorld();
    const [writer, reader] = [world.process(), world.process()];
    const profile = profileOf('ana');
    const { user } = await createUser(writer.steps(), writer.services, {
      ...{ profile, groups, password: PASSWORD },
    });
    const product = { name: 'plugin-fees', description: 'Fees', clientId: 'client-1' };
    const { application } = await createApplication(writer.steps(), writer.credentials, product);
    expect(reader.directory.subject(user.id)).to.equal(undefined);
    expect(await reader.directory.reached(1)).to.equal(true);
    expect(await reader.directory.reached(2)).to.equal(false);
    expect(reader.directory.subject(user.id)).to.deep.include({
      kind: 'user',
      owner: TENANT,
      groups,
    });
    expect(reader.directory.subject('client-1')).to.include({
      ...{ kind: 'application', id: application.id, product: 'plugin-fees', owner: TENANT },
    });
    expect(reader.directory.users('quipu-viewer-group')).to.have.lengthOf(1);
    expect(reader.directory.users('admin-group')).to.deep.equal([]);
    expect(await reader.directory.profile(user.id)).to.deep.equal(profile);
    expect(await reader.directory.userByName('Ana')).to.equal(user.id);
    expect(await reader.directory.userByName('nobody')).to.equal(undefined);
    const sealed = JSON.stringify(world.events().map(({ data }) => data));
    for (const text of Object.values(profile)) expect(sealed).to.not.contain(text);
  });

  it('says why what was granted to a subject must not be used any longer', async () => {
    const world = accessWorld();
    const [writer, reader] = [world.process(), world.process()];
    const changes: SubjectChange[] = [];
    reader.directory.changed((change) => changes.push(change));
    const said = async () => {
      await reader.directory.reached();
      return changes.splice(0);
    };
    const { user } = await createUser(writer.steps(), writer.services, {
      ...{ profile: profileOf('ana'), groups, password: PASSWORD },
    });
    const { id } = user;
    await changeUser(writer.steps(), writer.services, id, { firstName: 'Ana' });
    expect(await said()).to.deep.equal([]);
    await changeUser(writer.steps(), writer.services, id, { groups: ['admin-group', ...groups] });
    expect(await said()).to.deep.equal([{ subject: id, reason: 'groups' }]);
    await changePassword(writer.steps(), writer.services, id, { newPassword: 'Other-Horse-8' });
    expect(await said()).to.deep.equal([{ subject: id, reason: 'password' }]);
    await createUser(writer.steps(), writer.services, {
      ...{ profile: profileOf('bea'), groups: ['admin-group'], password: PASSWORD },
    });
    await writer.submit({ type: 'DeleteUser', id });
    expect(await said()).to.deep.equal([{ subject: id, reason: 'deleted' }]);
    expect(reader.directory.subject(id)).to.equal(undefined);
    expect(await reader.directory.profile(id)).to.equal(undefined);
    expect(await reader.directory.userByName('ana')).to.equal(undefined);
    const product = { name: 'plugin-fees', description: '', clientId: 'client-1' };
    const { application } = await createApplication(writer.steps(), writer.credentials, product);
    await writer.submit({ type: 'DeleteApplication', id: application.id });
    expect(await said()).to.deep.equal([{ subject: 'client-1', reason: 'deleted' }]);
    expect(reader.directory.subject('client-1')).to.equal(undefined);
  });
});
