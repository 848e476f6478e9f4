import { expect } from 'chai';
import {
  registryDecider,
  type NewHolder,
  type RegistryCommand,
  type RegistryFact,
} from '#commands/registry/registry.ts';
import type { HolderRecord } from '#src/events/registry/holder.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import { NONE, type Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { ORGANIZATION } from '#test/support/ledger-samples.ts';
import { NOW, nthId } from '#test/support/stamps.ts';

const { given } = specFor(registryDecider);
const [id, other] = [nthId(50), nthId(51)] as const;
const known = { [organizationJournal(ORGANIZATION)]: { live: true, revision: NONE } };
const keys = { kekPath: 'environment', aeadPrimaryKeyId: 'k', prfPrimaryKeyId: 'p' };

const fields: NewHolder = {
  id,
  organizationId: ORGANIZATION,
  externalId: 'cust-1',
  type: 'NATURAL_PERSON',
  sealed: { name: 'sealed name', document: 'sealed document', contact: 'sealed contact' },
  metadata: { tier: 'gold' },
};
const record = (more: Partial<HolderRecord> = {}): HolderRecord => ({
  ...fields,
  createdAt: NOW,
  updatedAt: NOW,
  deletedAt: null,
  ...more,
});
const create = (more: Partial<NewHolder> = {}): RegistryCommand => ({
  type: 'CreateHolder',
  holder: { ...fields, ...more },
  requestHash: 'hash',
  keys,
  requestId: 'r',
});
const audit = (outcome: 'success' | 'failure' | 'already_exists', from = '') =>
  ({
    id: nthId(1),
    organizationId: ORGANIZATION,
    action: 'provision',
    actor: 'ops',
    outcome,
    reason: 'onboarding',
    fromStatus: from,
    toStatus: outcome === 'failure' ? '' : 'active',
    timestamp: NOW,
    requestId: 'r',
  }) as const;
const provisioned: RegistryEvent = {
  type: 'EncryptionProvisioned',
  data: {
    encryption: {
      organizationId: ORGANIZATION,
      status: 'active',
      protectionModel: 'envelope',
      currentVersion: 1,
      readableVersions: [1],
      ...keys,
      occurredAt: NOW,
    },
    audit: audit('success'),
  },
};
const created = (more: Partial<HolderRecord> = {}): RegistryEvent => ({
  type: 'HolderCreated',
  data: { holder: record(more), requestHash: 'hash' },
});
const deleted: RegistryEvent = {
  type: 'HolderDeleted',
  data: { holder: record({ deletedAt: NOW }) },
};
const revoked = (holderId: Uuid): RegistryEvent => ({
  type: 'HolderRevoked',
  data: { organizationId: ORGANIZATION, holderId },
});
const begun: RegistryEvent = {
  type: 'HolderErasureBegun',
  data: {
    erasure: { certificateId: nthId(1), organizationId: ORGANIZATION, holderId: id, begunAt: NOW },
  },
};
const closingFor = (deletion: 'soft' | 'hard'): RegistryEvent => ({
  type: 'HolderClosingBegun',
  data: { closing: { organizationId: ORGANIZATION, holderId: id, deletion, begunAt: NOW } },
});
const closing = closingFor('soft');
const undone: RegistryEvent = {
  type: 'HolderClosingUndone',
  data: { organizationId: ORGANIZATION, holderId: id },
};
/** In these stories the holder is created at revision 1 and begins to close at 2. */
const close = (deletion: 'soft' | 'hard' = 'soft', ownsAccounts = false): RegistryCommand => ({
  ...{ type: 'BeginClosing', organizationId: ORGANIZATION, id, deletion, ownsAccounts },
});
const undo = (at = 2): RegistryCommand => ({
  ...{ type: 'UndoClosing', organizationId: ORGANIZATION, id, closing: at },
});
const remove = (at = 2): RegistryCommand => ({ type: 'DeleteHolder', id, closing: at });
const revoke: RegistryCommand = { type: 'RevokeHolder', organizationId: ORGANIZATION, id };
const beginErasure: RegistryCommand = {
  ...{ type: 'BeginErasure', organizationId: ORGANIZATION, id },
  closing: 2,
};
const completeErasure: RegistryCommand = {
  type: 'CompleteErasure',
  organizationId: ORGANIZATION,
  id,
};
const update = (
  expected: number,
  more: Partial<Extract<RegistryCommand, { type: 'UpdateHolder' }>> = {},
): RegistryCommand => ({
  type: 'UpdateHolder',
  id,
  expected: expected,
  sealed: {},
  ...more,
});

describe('registry', () => {
  it('records a holder, whose person is sealed', () => {
    given(provisioned).when(create(), known).then(created());
  });

  it('sets up the protection with the first holder', () => {
    const types = given()
      .when(create(), known)
      .happened()
      .map(({ type }) => type);
    expect(types).to.deep.equal(['EncryptionProvisioned', 'HolderCreated']);
  });

  it('needs an organization', () => {
    given(provisioned).when(create()).thenRefused('ORGANIZATION_NOT_FOUND');
    const gone = { [organizationJournal(ORGANIZATION)]: { live: false, revision: NONE } };
    given(provisioned).when(create(), gone).thenRefused('ORGANIZATION_NOT_FOUND');
  });

  it('refuses a creation that was revoked, however late it comes', () => {
    given(provisioned, revoked(id)).when(create(), known).thenRefused('RECORD_REVOKED');
    given(provisioned, revoked(other)).when(create(), known).then(created());
  });

  it('revokes only a holder that never was', () => {
    given(provisioned).when(revoke).then(revoked(id));
    given(provisioned, revoked(id)).when(revoke).thenNothing();
    given(provisioned, created()).when(revoke).thenRefused('DOCUMENT_TAKEN');
    given(provisioned, created(), deleted).when(revoke).thenNothing();
    given(provisioned, created(), begun).when(revoke).thenNothing();
  });

  it('changes members, and names them', () => {
    const command = update(1, {
      sealed: { contact: null, name: 'another sealed name' },
      externalId: null,
      metadata: { tier: null, vip: true },
    });
    const { externalId: _, ...left } = record();
    const holder = {
      ...left,
      sealed: { name: 'another sealed name', document: 'sealed document' },
      metadata: { vip: true },
    };
    given(provisioned, created())
      .when(command)
      .then({
        type: 'HolderUpdated',
        data: { holder, changed: ['externalId', 'contact', 'name', 'metadata'] },
      });
  });

  it('takes an update without effect as nothing', () => {
    given(provisioned, created())
      .when(update(1, { metadata: { tier: 'gold' } }))
      .thenNothing();
  });

  it('refuses what was sealed for an earlier state', () => {
    given(provisioned, created()).when(update(0)).thenRefused('RECORD_CHANGED');
  });

  it('returns the last event of a holder, deleted ones included', () => {
    const read: RegistryCommand = { type: 'ReadHolder', id };
    given(provisioned, created()).when(read).thenUnchanged(created());
    given(provisioned, created(), deleted).when(read).thenUnchanged(deleted);
    given(provisioned, created(), begun).when(read).thenRefused('HOLDER_NOT_FOUND');
    given(provisioned).when(read).thenRefused('HOLDER_NOT_FOUND');
  });

  it('returns a recent creation, whatever became of the holder', () => {
    const read: RegistryCommand = { type: 'ReadCreation', id, withinSeconds: 1 };
    given(provisioned, created()).when(read).thenUnchanged(created());
    given(provisioned, created(), deleted).when(read).thenUnchanged(created());
    given(provisioned, created())
      .when({ ...read, withinSeconds: 0 })
      .thenNothing();
    given(provisioned, created(), begun).when(read).thenRefused('HOLDER_NOT_FOUND');
  });

  it('deletes once', () => {
    given(provisioned, created(), closing).when(remove()).then(deleted);
    for (const events of [[], [created(), closing, deleted], [created(), closing, begun]]) {
      for (const command of [close(), remove(), update(1)]) {
        given(provisioned, ...events)
          .when(command)
          .thenRefused('HOLDER_NOT_FOUND');
      }
    }
  });

  describe('a holder that is closing', () => {
    const given2 = (...more: readonly RegistryEvent[]) =>
      given(provisioned, created(), closing, ...more);
    const isLive = (...events: readonly RegistryEvent[]): boolean => {
      const state = registryDecider.initialState();
      for (const [n, event] of events.entries()) registryDecider.evolve(state, event, n);
      return (registryDecider.fact(state) as RegistryFact).isLive(id);
    };

    it('cannot be named, unless the closing is undone', () => {
      expect(isLive(provisioned)).to.equal(false);
      expect(isLive(provisioned, created())).to.equal(true);
      expect(isLive(provisioned, created(), closing)).to.equal(false);
      expect(isLive(provisioned, created(), closing, undone)).to.equal(true);
      expect(isLive(provisioned, created(), closing, deleted)).to.equal(false);
      expect(isLive(provisioned, created(), closing, begun)).to.equal(false);
    });

    it('begins to close only if it is not known to own accounts', () => {
      given(provisioned, created()).when(close()).then(closing);
      given(provisioned, created()).when(close('hard')).then(closingFor('hard'));
      given(provisioned, created()).when(close('soft', true)).thenRefused('HOLDER_OWNS_ACCOUNTS');
      given(provisioned).when(close('soft', true)).thenRefused('HOLDER_NOT_FOUND');
    });

    it('is joined by a second request', () => {
      given2().when(close()).thenUnchanged(closing);
      given2().when(close('hard', true)).thenUnchanged(closing);
    });

    it('need not close again to be erased, once it was deleted', () => {
      given2(deleted).when(close('hard')).thenNothing();
      given2(begun).when(close('hard')).thenNothing();
      given(provisioned).when(close('hard')).thenRefused('HOLDER_NOT_FOUND');
    });

    it('is live again when the closing is undone, once', () => {
      given2().when(undo()).then(undone);
      given2(undone).when(undo()).thenNothing();
      given2().when(undo(1)).thenNothing();
      given2(deleted).when(undo()).thenNothing();
      given2(begun).when(undo()).thenNothing();
    });

    it('is deleted or erased only by the closing in which its accounts were looked for', () => {
      for (const command of [remove(), beginErasure]) {
        given(provisioned, created()).when(command).thenRefused('CLOSING_OVER');
        given2(undone).when(command).thenRefused('CLOSING_OVER');
        given2(undone, closing).when(command).thenRefused('CLOSING_OVER');
      }
      given2(undone, closing).when(remove(4)).then(deleted);
    });

    it('can still be read and changed, and keeps its document', () => {
      given2().when({ type: 'ReadHolder', id }).thenUnchanged(created());
      given2()
        .when(update(1, { externalId: 'cust-2' }))
        .happened();
      given2().when(revoke).thenRefused('DOCUMENT_TAKEN');
    });

    it('stays closing when it is changed, also in a snapshot', () => {
      const holder = record({ externalId: 'cust-2' });
      const updated = { type: 'HolderUpdated', data: { holder, changed: ['externalId'] } } as const;
      given2(updated).when(remove()).happened();
      const state = registryDecider.initialState();
      for (const [n, event] of [provisioned, created(), closing, updated].entries()) {
        registryDecider.evolve(state, event, n);
      }
      const restored = registryDecider.fromSnapshot([...registryDecider.toSnapshot(state)]);
      expect(restored).to.deep.equal(state);
    });
  });

  it('erases a live or deleted holder in two steps, which may be repeated', () => {
    given(provisioned, created(), closing).when(beginErasure).then(begun);
    given(provisioned, created(), deleted).when(beginErasure).then(begun);
    given(provisioned, created(), begun).when(beginErasure).thenUnchanged(begun);
    given(provisioned).when(beginErasure).thenRefused('HOLDER_NOT_FOUND');

    const erased: RegistryEvent = {
      type: 'HolderErased',
      data: {
        holder: { id, organizationId: ORGANIZATION, deletedAt: NOW },
        certificate: {
          id: nthId(1),
          organizationId: ORGANIZATION,
          entityType: 'Holder',
          entityId: id,
          keyId: id,
          destroyedAt: NOW,
          firstRevision: 1,
        },
      },
    };
    given(provisioned, created(), begun).when(completeErasure).then(erased);
    given(provisioned, created()).when(completeErasure).thenNothing();
    given(provisioned, created(), begun, erased).when(completeErasure).thenNothing();
    given(provisioned, created(), begun, erased).when(beginErasure).thenRefused('HOLDER_NOT_FOUND');
  });

  it('audits every attempt to set up the protection', () => {
    const attempt = { actor: 'ops', reason: 'onboarding', requestId: 'r' };
    const provision = {
      type: 'ProvisionEncryption',
      organizationId: ORGANIZATION,
      attempt,
    } as const;
    given()
      .when({ ...provision, keys }, known)
      .then(provisioned);
    given()
      .when({ ...provision, keys: undefined }, known)
      .then({ type: 'EncryptionProvisioningAudited', data: { audit: audit('failure') } });
    given(provisioned)
      .when({ ...provision, keys }, known)
      .then({
        type: 'EncryptionProvisioningAudited',
        data: { audit: audit('already_exists', 'active') },
      });
    given()
      .when({ ...provision, keys })
      .thenRefused('ORGANIZATION_NOT_FOUND');
  });

  it('keeps nothing of a person in its snapshots', () => {
    const state = registryDecider.initialState();
    const events = [provisioned, created(), revoked(other)];
    for (const [n, event] of events.entries()) registryDecider.evolve(state, event, n);
    const chunks = [...registryDecider.toSnapshot(state)];
    expect(chunks.join()).not.to.match(/sealed|cust-1|gold/);
    const restored = registryDecider.fromSnapshot(chunks);
    expect(restored).to.deep.equal(state);
  });
});
