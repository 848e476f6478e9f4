import { expect } from 'chai';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { idOf } from '#test/support/ledger-samples.ts';
import { NOW } from '#test/support/stamps.ts';
import { bend, sealed, type Draft } from './hand-made.ts';

describe('the auditor of access', () => {
  const differenceIn = (drafts: readonly Draft[]): string | undefined => {
    const verifier = createJournalVerifier(audit, 'access-default');
    return sealed(drafts)
      .map((event) => verifier.take(event)?.what)
      .find(Boolean);
  };

  it('accepts users and applications that come and go', () => {
    expect(differenceIn(life())).to.equal(undefined);
  });

  for (const [at, path, value, what] of [
    [0, 'application.clientSecret', 'shh', 'members that belong elsewhere'],
    [1, 'user.email', 'ana@example.com', 'email in plain text'],
    [1, 'user.sealed.email', undefined, 'sealed members'],
    [1, 'user.sealed.password', 'x', 'sealed members'],
    [1, 'user.groups', [], 'in no group'],
    [2, 'user.id', idOf('ana'), 'exists already'],
    [3, 'user.id', idOf('nobody'), 'there is no user'],
    [3, 'user.groups', ['viewer'], 'nobody manages access'],
    [4, 'userId', idOf('nobody'), 'there is no user'],
    [4, 'hash', 'x', 'a change of a password has hash'],
    [5, 'user.id', idOf('ana'), 'nobody manages access'],
    [6, 'userId', idOf('ana'), 'is live'],
    [6, 'userId', idOf('bea'), 'has ended before'],
    [7, 'application.id', idOf('nothing'), 'there is no application'],
  ] as const) {
    it(`reports event ${at} with ${path} ${String(value)}`, () => {
      const drafts = life();
      bend(drafts[at]!, path, value);
      expect(differenceIn(drafts)).to.contain(what);
    });
  }

  it('reports a second application of the name, and a user who was revoked', () => {
    const [application, ana, , , , , revoked] = life();
    const other = structuredClone(application!);
    bend(other, 'application.id', idOf('other'));
    expect(differenceIn([application!, other])).to.contain('another application');
    bend(revoked!, 'userId', idOf('ana'));
    expect(differenceIn([revoked!, ana!])).to.contain('deleted or revoked');
  });
});

function life(): Draft[] {
  const times = { createdAt: NOW, updatedAt: NOW, deletedAt: null };
  const person = { username: 'a', firstName: 'b', lastName: 'c', email: 'd' };
  const user = (name: string, groups: readonly string[]) => ({
    ...{ id: idOf(name), owner: 'default', groups, sealed: { ...person } },
    ...times,
  });
  const application = {
    ...{ id: idOf('application'), name: 'routing', description: '', clientId: 'x' },
    ...{ owner: 'default', ...times },
  };
  return [
    { type: 'ApplicationCreated', data: { application: { ...application } } },
    { type: 'UserCreated', data: { user: user('ana', ['admin-group']) } },
    { type: 'UserCreated', data: { user: user('bea', ['viewer']) } },
    { type: 'UserUpdated', data: { user: user('ana', ['admin-group', 'viewer']), changed: [] } },
    { type: 'UserPasswordChanged', data: { userId: idOf('ana'), changeId: idOf('change') } },
    { type: 'UserDeleted', data: { user: user('bea', ['viewer']) } },
    { type: 'UserRevoked', data: { userId: idOf('never') } },
    { type: 'ApplicationDeleted', data: { application: { ...application } } },
  ];
}
