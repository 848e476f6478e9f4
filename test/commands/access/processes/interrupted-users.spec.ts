import { expect } from 'chai';
import type { AccessCommand } from '#commands/access/access.ts';
import { changePassword } from '#commands/access/processes/change-password.ts';
import { changeUser } from '#commands/access/processes/change-user.ts';
import { createFirstAccess } from '#commands/access/processes/first-access.ts';
import { createApplication } from '#commands/access/processes/create-application.ts';
import { createUser } from '#commands/access/processes/create-user.ts';
import { deleteUser } from '#commands/access/processes/delete-user.ts';
import { destroyUnusedCredentials } from '#commands/access/processes/unused-credentials.ts';
import { systemClock } from '#src/adapters/system.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { ACCESS_SCOPE } from '#src/kernel/access-scope.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { accessWorld, Ended, JOURNAL, profileOf, TENANT } from '#test/support/access-world.ts';
import { PASSWORD } from '#test/support/access.ts';

const HOUR = 3600 * 1e6;
const LATER = { now: () => (systemClock.now() + 2 * HOUR) as Micros };
const groups = ['quipu-viewer-group'];

describe('changes of users that a crash interrupts', function () {
  this.timeout(20_000);
  let world: ReturnType<typeof accessWorld>;
  beforeEach(() => {
    world = accessWorld();
  });
  afterEach(() => {
    const verifier = createJournalVerifier(audit, JOURNAL);
    for (const event of world.events()) expect(verifier.take(event)).to.equal(undefined);
    expect([...verifier.summary().unknown]).to.deep.equal([]);
  });

  const begun = (username: string) => ({
    profile: profileOf(username),
    groups,
    password: PASSWORD,
  });
  const create = async (username: string, process = world.process()) =>
    (await createUser(process.steps(), process.services, begun(username))).user.id;
  const ended = async (work: Promise<unknown>): Promise<void> => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(Ended);
  };
  const refusalOf = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof Refusal)) throw new Error(`Not refused: ${String(error)}`);
    return error.refusal;
  };
  const cleaned = (process = world.process(), clock: Pick<typeof systemClock, 'now'> = LATER) => {
    const { journals, keys, credentials } = process;
    const { ids } = world;
    return destroyUnusedCredentials({ keys, credentials, journals, clock, ids });
  };

  it('leave the names of a creation to the next one, and the interrupted one cannot come to be', async () => {
    const first = world.process();
    const cut = first.steps({ at: 'CreateUser', is: 'before' });
    await ended(createUser(cut, first.services, begun('ana')));
    const [left] = [...world.secrets.keys()].filter((name) => name.startsWith('password/'));
    const id = await create('ana');
    expect(world.typesOf()).to.deep.equal(['UserRevoked', 'UserCreated']);
    const user = { id: left?.slice('password/'.length), owner: TENANT, groups, sealed: {} };
    const late = first.submit({ type: 'CreateUser', user } as never);
    expect(await refusalOf(late)).to.equal('RECORD_REVOKED');
    expect(await refusalOf(create('ana'))).to.equal('IDENTITY_TAKEN');
    const other = world.process();
    await other.directory.reached();
    expect(await other.directory.userByName('ANA')).to.equal(id);
  });

  it('keep the names of a creation that was recorded', async () => {
    const process = world.process();
    const cut = process.steps({ at: 'CreateUser', is: 'after' });
    await ended(createUser(cut, process.services, begun('ana')));
    expect(await refusalOf(create('ana'))).to.equal('IDENTITY_TAKEN');
    expect(await cleaned()).to.equal(0);
  });

  it('are cleaned up after an hour, which a deletion need not wait for', async () => {
    const process = world.process();
    const cut = process.steps({ at: 'CreateUser', is: 'before' });
    await ended(createUser(cut, process.services, begun('ana')));
    const id = await create('bea');
    expect(await cleaned(world.process(), systemClock)).to.equal(0);
    expect(await cleaned()).to.equal(2); // A key and a password.
    await process.submit({ type: 'DeleteUser', id });
    expect(await cleaned(world.process(), systemClock)).to.equal(2);
    expect([...world.secrets.values()].filter((one) => one !== 'destroyed')).to.have.lengthOf(1); // Of search tokens.
    expect(await cleaned()).to.equal(0);
  });

  it('let a deletion be finished by the same request, once', async () => {
    const id = await create('ana');
    await create('bea');
    const process = world.process();
    const cut = process.steps({ at: 'DeleteUser', is: 'after' });
    await ended(deleteUser(cut, process.services, id));
    expect(await process.credentials.verifyPassword(id, PASSWORD)).to.equal(true);
    await deleteUser(process.steps(), process.services, id);
    expect(await process.credentials.verifyPassword(id, PASSWORD)).to.equal(false);
    const again = deleteUser(process.steps(), process.services, id);
    expect(await refusalOf(again)).to.equal('USER_NOT_FOUND');
    expect(world.typesOf().filter((type) => type === 'UserDeleted')).to.have.lengthOf(1);
    expect(await cleaned()).to.equal(0);
  });

  it('leave an email to others if its change was not recorded', async () => {
    const [ana, bea] = [await create('ana'), await create('bea')];
    const process = world.process();
    const email = 'new@example.com';
    const cut = process.steps({ at: 'UpdateUser', is: 'before' });
    await ended(changeUser(cut, process.services, ana, { email }));
    const { user } = await changeUser(process.steps(), process.services, bea, { email });
    expect(user.id).to.equal(bea);
    const again = changeUser(process.steps(), process.services, ana, { email });
    expect(await refusalOf(again)).to.equal('IDENTITY_TAKEN');
    const free = await changeUser(process.steps(), process.services, ana, { email: 'a@b.example' });
    expect(free.profile.email).to.equal('a@b.example');
  });

  it('keep an email whose change was recorded, and free the old one', async () => {
    const ana = await create('ana');
    const process = world.process();
    const cut = process.steps({ at: 'UpdateUser', is: 'after' });
    await ended(changeUser(cut, process.services, ana, { email: 'new@example.com' }));
    const taken = createUser(process.steps(), process.services, {
      ...begun('other'),
      profile: { ...profileOf('other'), email: 'NEW@example.com' },
    });
    expect(await refusalOf(taken)).to.equal('IDENTITY_TAKEN');
    const old = { ...profileOf('other'), email: profileOf('ana').email };
    const next = { ...begun('other'), profile: old };
    await createUser(process.steps(), process.services, next);
  });

  it('keep an email that a later change gave the user, however late an earlier one ends', async () => {
    const ana = await create('ana');
    const process = world.process();
    const emails = ['first@example.com', 'second@example.com', profileOf('ana').email];
    for (const [n, email] of emails.entries()) {
      const { submit, ...steps } = process.steps();
      const slow: typeof submit = async (journal, command, key) => {
        const outcome = await submit(journal, command, key);
        if ((command as AccessCommand).type === 'UpdateUser') {
          await changeUser(world.process().steps(), world.process().services, ana, { email });
        }
        return outcome;
      };
      const change = { email: `${n}@example.com` };
      await changeUser({ ...steps, submit: slow }, process.services, ana, change);
      const profile = { ...profileOf('other'), email };
      const other = createUser(process.steps(), process.services, { ...begun('other'), profile });
      expect(await refusalOf(other), email).to.equal('IDENTITY_TAKEN');
    }
  });

  it('let only one of many creations at the same time have the names', async () => {
    const work = Array.from({ length: 6 }, () => create('ana', world.process()));
    const results = await Promise.allSettled(work);
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
    expect(world.typesOf().filter((type) => type === 'UserCreated')).to.have.lengthOf(1);
  });

  it('record a change of a password that was made, at the next start or by the same request', async () => {
    for (const again of ['start', 'request']) {
      const id = await create(`user.of.${again}`);
      const process = world.process();
      const cut = process.steps({ at: 'RecordPasswordChange', is: 'before' });
      const reset = { newPassword: 'Another-Horse-8' };
      const before = world.events().length;
      await ended(changePassword(cut, process.services, id, reset));
      expect(world.events()).to.have.lengthOf(before);
      if (again === 'start') expect(await cleaned()).to.equal(0);
      else await changePassword(process.steps(), process.services, id, reset);
      expect(world.typesOf().slice(before)).to.deep.equal(['UserPasswordChanged']);
      const next = world.process();
      const repeated = changePassword(next.steps(), next.services, id, reset);
      expect(await refusalOf(repeated)).to.equal('PASSWORD_TOO_WEAK');
      expect(await cleaned()).to.equal(0);
      expect(world.events()).to.have.lengthOf(before + 1);
    }
  });

  it('let the first administrator be created after the first application was', async () => {
    const first = {
      ...{ username: 'root', email: 'root@example.com', password: PASSWORD },
      ...{ clientId: 'first', clientSecret: 'f'.repeat(32) },
    };
    const process = world.process();
    const cut = process.steps({ at: 'CreateUser', is: 'before' });
    await ended(createFirstAccess(cut, process.services, first));
    const starts = [1, 2, 3].map(async () => {
      const { steps, services } = world.process();
      await createFirstAccess(steps(), services, first);
    });
    await Promise.all(starts);
    const types = world.typesOf().filter((type) => type !== 'UserRevoked');
    expect(types).to.deep.equal(['ApplicationCreated', 'UserCreated']);
    expect(await process.credentials.verifySecret('first', first.clientSecret)).to.equal(TENANT);
  });

  it('are cleaned up in the tenant that they are of', async () => {
    const theirs = accessWorld('acme');
    const process = theirs.process();
    const { user } = await createUser(process.steps(), process.services, begun('ana'));
    const product = { name: 'plugin-fees', description: '', clientId: 'client-1' };
    const { clientSecret } = await createApplication(process.steps(), process.credentials, product);
    const cut = process.steps({ at: 'CreateUser', is: 'before' });
    await ended(createUser(cut, process.services, begun('bea')));
    const { journals, keys, credentials } = theirs.process();
    const clean = () =>
      destroyUnusedCredentials({ keys, credentials, journals, clock: LATER, ids: theirs.ids });
    expect(await clean(), 'the key and the password of the interrupted one').to.equal(2);
    expect(await clean()).to.equal(0);
    expect(theirs.typesOf()).to.deep.equal(['UserCreated', 'ApplicationCreated', 'UserRevoked']);
    expect(await credentials.verifyPassword(user.id, begun('ana').password)).to.equal(true);
    expect(await credentials.verifySecret('client-1', clientSecret)).to.equal('acme');
  });

  it('leave keys of other components alone', async () => {
    const { keys } = world.process();
    const record = {
      ...{ tenantId: TENANT, organizationId: world.ids.next() },
      recordId: world.ids.next(),
    };
    expect(record.organizationId).to.not.equal(ACCESS_SCOPE);
    await keys.create(record, { tokens: [], claims: [] });
    expect(await cleaned()).to.equal(0);
    expect(await keys.open(record)).to.not.equal(undefined);
  });
});
