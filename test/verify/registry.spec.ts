import { expect } from 'chai';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { idOf, ORGANIZATION } from '#test/support/ledger-samples.ts';
import { NOW } from '#test/support/stamps.ts';
import { bend, sealed, type Draft } from './hand-made.ts';

/** The journal of a registry in which one holder was erased, read by the auditor. */
describe('the auditor of a registry', () => {
  const differenceIn = (drafts: readonly Draft[]): string | undefined => {
    const verifier = createJournalVerifier(audit, `registry-${ORGANIZATION}`);
    return sealed(drafts)
      .map((event) => verifier.take(event)?.what)
      .find(Boolean);
  };

  it('accepts an erasure whose certificate states what the journal says', () => {
    expect(differenceIn(erasedLife())).to.equal(undefined);
  });

  for (const [path, value, what] of [
    ['certificate', undefined, 'states id undefined'],
    ['certificate.id', idOf('other'), 'states id'],
    ['certificate.organizationId', idOf('other'), 'states organizationId'],
    ['certificate.entityType', 'Account', 'states entityType'],
    ['certificate.entityId', idOf('other'), 'states entityId'],
    ['certificate.keyId', idOf('other'), 'states keyId'],
    ['certificate.firstRevision', 2, 'states firstRevision 2, not 1'],
    ['certificate.firstRevision', undefined, 'states firstRevision undefined'],
    ['holder.id', idOf('other'), 'is absent'],
  ] as const) {
    it(`reports an erasure with ${path} ${String(value)}`, () => {
      const drafts = erasedLife();
      bend(drafts.at(-1)!, path, value);
      expect(differenceIn(drafts)).to.contain(what);
    });
  }
});

function erasedLife(): Draft[] {
  const organizationId = ORGANIZATION;
  const [id, certificateId] = [idOf('holder'), idOf('certificate')];
  const times = { createdAt: NOW, updatedAt: NOW, deletedAt: null };
  const holder = { id, organizationId, type: 'NATURAL_PERSON', sealed: { name: 'x' }, ...times };
  const erasure = { certificateId, organizationId, holderId: id, begunAt: NOW };
  const certificate = {
    ...{ id: certificateId, organizationId, entityType: 'Holder', entityId: id, keyId: id },
    ...{ destroyedAt: NOW, firstRevision: 1 },
  };
  return [
    { type: 'EncryptionProvisioned', data: { encryption: { organizationId }, audit: {} } },
    { type: 'HolderCreated', data: { holder, requestHash: 'x' } },
    { type: 'HolderUpdated', data: { holder, changed: ['name'] } },
    { type: 'HolderErasureBegun', data: { erasure } },
    { type: 'HolderErased', data: { holder: { id, organizationId, deletedAt: NOW }, certificate } },
  ];
}
