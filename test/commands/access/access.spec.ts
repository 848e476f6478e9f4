import { expect } from 'chai';
import { accessDecider, type AccessCommand, type AccessFact } from '#commands/access/access.ts';
import type { AccessEvent, ApplicationRecord, UserRecord } from '#src/events/access/access.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { NOW, nthId } from '#test/support/stamps.ts';

const { given } = specFor(accessDecider);
const [ana, bea] = [nthId(0x10), nthId(0x11)];
const sealed = { username: 's1', firstName: 's2', lastName: 's3', email: 's4' };

const image = (changes: Partial<UserRecord> = {}): UserRecord => ({
  ...{ id: ana, owner: 'default', groups: ['admin-group'], sealed },
  ...{ createdAt: NOW, updatedAt: NOW, deletedAt: null },
  ...changes,
});
const created = (changes: Partial<UserRecord> = {}): AccessEvent => ({
  type: 'UserCreated',
  data: { user: image(changes) },
});
const create = ({ id, owner, groups }: UserRecord = image()): AccessCommand => ({
  type: 'CreateUser',
  user: { id, owner, groups, sealed },
});
const updated = (changed: readonly string[], changes: Partial<UserRecord>): AccessEvent => ({
  type: 'UserUpdated',
  data: { user: image(changes), changed },
});
const deleted = (changes: Partial<UserRecord> = {}): AccessEvent => ({
  type: 'UserDeleted',
  data: { user: image({ ...changes, deletedAt: NOW }) },
});
const fields = { name: 'routing', description: '', clientId: 'client-1', owner: 'default' };
const application = (changes: Partial<ApplicationRecord> = {}): AccessEvent => ({
  type: 'ApplicationCreated',
  data: {
    application: {
      ...{ id: nthId(1), ...fields, createdAt: NOW, updatedAt: NOW, deletedAt: null },
      ...changes,
    },
  },
});
const update = (changes: object): AccessCommand => ({
  ...{ type: 'UpdateUser', id: ana, expected: 0, sealed: {} },
  ...changes,
});

describe('the rules of access', () => {
  it('create a user', () => {
    given().when(create()).then(created());
  });

  it('create no user whose creation was revoked, and no deleted one again', () => {
    const revoked: AccessEvent = { type: 'UserRevoked', data: { userId: ana } };
    given().when({ type: 'RevokeUser', id: ana }).then(revoked);
    given(revoked).when(create()).thenRefused('RECORD_REVOKED');
    given(revoked).when({ type: 'RevokeUser', id: ana }).thenNothing();
    const gone = [created(), created({ id: bea }), deleted()];
    given(...gone).when(create()).thenRefused('RECORD_REVOKED'); // prettier-ignore
    given(...gone).when({ type: 'RevokeUser', id: ana }).thenNothing(); // prettier-ignore
    given(created()).when({ type: 'RevokeUser', id: ana }).thenRefused('USER_EXISTS');
  });

  it('change a user that is as the change expects it', () => {
    const groups = ['admin-group', 'quipu-viewer-group'];
    const changes = { email: 'new' };
    given(created())
      .when(update({ sealed: changes, groups }))
      .then(updated(['email', 'groups'], { groups, sealed: { ...sealed, ...changes } }));
    given(created()).when(update({})).thenUnchanged(updated([], {}));
    const since = updated(['email'], { sealed: { ...sealed, ...changes } });
    given(created(), since).when(update({ groups })).thenRefused('RECORD_CHANGED');
    given().when(update({})).thenRefused('USER_NOT_FOUND');
  });

  it('end the validity of changes that were begun before', () => {
    const supersede: AccessCommand = { type: 'SupersedeUser', id: ana, expected: 0 };
    given(created()).when(supersede).then(updated([], {}));
    given(created(), updated([], {})).when(supersede).thenNothing();
    given(created(), updated([], {})).when(update({})).thenRefused('RECORD_CHANGED');
  });

  it('leave an administrator', () => {
    const remove: AccessCommand = { type: 'DeleteUser', id: ana };
    const demote = update({ groups: ['quipu-viewer-group'] });
    const other = created({ id: bea, groups: ['quipu-viewer-group'] });
    given(created(), other).when(remove).thenRefused('LAST_ADMINISTRATOR');
    given(created(), other).when(demote).thenRefused('LAST_ADMINISTRATOR');
    given(created(), other).when({ type: 'DeleteUser', id: bea }).then(deleted({ id: bea, groups: ['quipu-viewer-group'] })); // prettier-ignore
    given(created(), created({ id: bea }))
      .when(remove)
      .then(deleted());
    given(created(), created({ id: bea }))
      .when(demote)
      .then(updated(['groups'], { groups: ['quipu-viewer-group'] }));
    const both = given(created(), created({ id: bea })).after(remove);
    both.when({ type: 'DeleteUser', id: bea }).thenRefused('LAST_ADMINISTRATOR');
  });

  it('record each change of a password once', () => {
    const [first, second] = [nthId(0x20), nthId(0x21)];
    const record = (changeId: typeof first): AccessCommand => ({
      ...{ type: 'RecordPasswordChange', id: ana },
      changeId,
    });
    const changed = (changeId: typeof first): AccessEvent => ({
      type: 'UserPasswordChanged',
      data: { userId: ana, changeId },
    });
    given(created()).when(record(first)).then(changed(first));
    given(created(), changed(first)).when(record(first)).thenNothing();
    given(created(), changed(first)).when(record(second)).then(changed(second));
    given().when(record(first)).thenRefused('USER_NOT_FOUND');
    // The image of the user is still that of the event before.
    given(created(), changed(first)).when(update({})).thenUnchanged(updated([], {}));
  });

  it('give an application a name and a client id that no other one has', () => {
    const make = (changes: object = {}): AccessCommand => ({
      type: 'CreateApplication',
      fields: { ...fields, ...changes },
    });
    given().when(make()).then(application());
    given(application())
      .when(make({ clientId: 'other' }))
      .thenRefused('IDENTITY_TAKEN');
    given(application())
      .when(make({ name: 'streaming' }))
      .thenRefused('IDENTITY_TAKEN');
    const remove: AccessCommand = { type: 'DeleteApplication', id: nthId(1) };
    given().when(remove).thenRefused('APPLICATION_NOT_FOUND');
    given(application()).after(remove).when(make()).then(application({ id: nthId(1) })); // prettier-ignore
  });

  it('are the same after a snapshot', () => {
    const state = accessDecider.initialState();
    const events = [
      application(),
      created(),
      { type: 'UserRevoked', data: { userId: bea } },
      { type: 'UserPasswordChanged', data: { userId: ana, changeId: bea } },
    ] as readonly AccessEvent[];
    for (const [n, event] of events.entries()) accessDecider.evolve(state, event, n);
    const chunks = [...accessDecider.toSnapshot(state)];
    const restored = accessDecider.fromSnapshot(chunks);
    expect([...accessDecider.toSnapshot(restored)]).to.deep.equal(chunks);
    const fact = accessDecider.fact(restored) as AccessFact;
    expect(fact.hasAdministrator()).to.equal(true);
    expect([ana, bea, nthId(1)].map(fact.standingOf)).to.deep.equal(['live', 'ended', 'absent']);
    expect(fact.isRecorded(ana, bea)).to.equal(true);
    expect(fact.isClient('client-1')).to.equal(true);
  });
});
