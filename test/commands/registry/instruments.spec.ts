import { expect } from 'chai';
import {
  registryDecider,
  type NewHolder,
  type RegistryCommand,
} from '#commands/registry/registry.ts';
import type { NewInstrument } from '#commands/registry/instruments.ts';
import type { InstrumentRecord, SealedParty } from '#src/events/registry/instrument.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import { NONE, type Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { LEDGER, ORGANIZATION } from '#test/support/ledger-samples.ts';
import { NOW, nthId } from '#test/support/stamps.ts';

const { given } = specFor(registryDecider);
const [holderId, id, accountId, partyId, other] = [
  ...([nthId(50), nthId(51), nthId(52), nthId(53), nthId(54)] as const),
];
const ledger = {
  live: true,
  revision: NONE,
  organizationId: ORGANIZATION,
  hasAccount: (account: Uuid) => account === accountId,
};
const known = {
  [organizationJournal(ORGANIZATION)]: { live: true, revision: NONE },
  [ledgerJournal(LEDGER)]: ledger,
};

const newHolder: NewHolder = {
  id: holderId,
  organizationId: ORGANIZATION,
  type: 'NATURAL_PERSON',
  sealed: { name: 'sealed name', document: 'sealed document' },
};
const lifetime = { createdAt: NOW, updatedAt: NOW, deletedAt: null };
const holder: RegistryEvent = {
  type: 'HolderCreated',
  data: { holder: { ...newHolder, ...lifetime }, requestHash: 'hash' },
};
const holderDeleted: RegistryEvent = {
  type: 'HolderDeleted',
  data: { holder: { ...newHolder, ...lifetime, deletedAt: NOW } },
};
const party: SealedParty = {
  id: partyId,
  sealed: { document: 'sealed d', name: 'sealed n' },
  role: 'PRIMARY_HOLDER',
  startDate: '2026-01-05',
};
const fields: NewInstrument = {
  ...{ id, organizationId: ORGANIZATION, holderId, ledgerId: LEDGER, accountId },
  type: 'NATURAL_PERSON',
  sealed: { document: 'sealed document', account: 'sealed account', iban: 'sealed iban' },
  bankingDetails: { branch: '0001' },
  relatedParties: [party],
  metadata: { tier: 'gold' },
};
const record = (more: Partial<InstrumentRecord> = {}): InstrumentRecord => ({
  ...fields,
  ...lifetime,
  ...more,
});
const created = (more: Partial<InstrumentRecord> = {}): RegistryEvent => ({
  type: 'InstrumentCreated',
  data: { instrument: record(more), requestHash: 'hash' },
});
const deleted: RegistryEvent = {
  type: 'InstrumentDeleted',
  data: { instrument: record({ deletedAt: NOW }) },
};
const begun: RegistryEvent = {
  type: 'InstrumentErasureBegun',
  data: {
    erasure: {
      certificateId: nthId(1),
      ...{ organizationId: ORGANIZATION, holderId, instrumentId: id, begunAt: NOW },
    },
  },
};
const erased: RegistryEvent = {
  type: 'InstrumentErased',
  data: {
    instrument: { id, holderId, organizationId: ORGANIZATION, deletedAt: NOW },
    certificate: {
      id: nthId(1),
      organizationId: ORGANIZATION,
      entityType: 'Instrument',
      ...{ entityId: id, keyId: id, destroyedAt: NOW, firstRevision: 2 },
    },
  },
};
const provisioned = { type: 'EncryptionProvisioned', data: {} } as RegistryEvent;

const create = (more: Partial<NewInstrument> = {}, isOwn = false): RegistryCommand => ({
  type: 'CreateInstrument',
  instrument: { ...fields, ...more },
  isOwn,
  requestHash: 'hash',
  keys: undefined,
  requestId: 'r',
});
const address = { holderId, id };
const update = (
  more: Partial<Extract<RegistryCommand, { type: 'UpdateInstrument' }>> = {},
): RegistryCommand => ({
  type: 'UpdateInstrument',
  ...address,
  expected: 2,
  sealed: {},
  bankingDetails: { branch: '0001' },
  ...more,
});
const removal = { type: 'DeleteRelatedParty', ...address, relatedPartyId: partyId } as const;
const deletion = { type: 'DeleteInstrument', ...address } as const;
const read = { type: 'ReadInstrument', ...address } as const;
const beginning = {
  type: 'BeginInstrumentErasure',
  organizationId: ORGANIZATION,
  ...address,
} as const;
const completion = {
  type: 'CompleteInstrumentErasure',
  organizationId: ORGANIZATION,
  id,
} as const;
const opened = [provisioned, holder] as const;

describe('instruments of a registry', () => {
  it('connect a live holder with an account that has none', () => {
    given(...opened)
      .when(create(), known)
      .then(created());
    given(...opened, created(), deleted)
      .when(create({ id: other }), known)
      .then(created({ id: other }));
  });

  it('are refused without a holder, a ledger or an account, and for an account that has one', () => {
    given(provisioned).when(create(), known).thenRefused('HOLDER_NOT_FOUND');
    given(...opened, holderDeleted)
      .when(create(), known)
      .thenRefused('HOLDER_NOT_FOUND');
    const foreign = { ...known, [ledgerJournal(LEDGER)]: { ...ledger, organizationId: other } };
    const gone = { ...known, [ledgerJournal(LEDGER)]: { ...ledger, live: false } };
    for (const facts of [foreign, gone]) {
      given(...opened)
        .when(create(), facts)
        .thenRefused('INSTRUMENT_LEDGER_NOT_FOUND');
    }
    given(...opened)
      .when(create({ accountId: other }), known)
      .thenRefused('INSTRUMENT_ACCOUNT_NOT_FOUND');
    given(...opened, created())
      .when(create({ id: other }), known)
      .thenRefused('ACCOUNT_LINKED');
    const link = { organizationId: ORGANIZATION, holderId, ledgerId: LEDGER, accountId };
    const check = { type: 'CheckInstrument', ...link, isOwn: false } as const;
    given(...opened, created())
      .when(check, known)
      .thenRefused('ACCOUNT_LINKED');
    given(...opened)
      .when(check, known)
      .thenUnchanged(holder);
  });

  it('may be those of the organization itself, which no event created', () => {
    given(provisioned).when(create({}, true), known).then(created());
  });

  it('set up the protection if they are first, and are refused once revoked', () => {
    const keys = { kekPath: 'environment', aeadPrimaryKeyId: 'k', prfPrimaryKeyId: 'p' };
    const types = given(holder)
      .when({ ...create(), keys } as RegistryCommand, known)
      .happened()
      .map(({ type }) => type);
    expect(types).to.deep.equal(['EncryptionProvisioned', 'InstrumentCreated']);
    const revoked: RegistryEvent = {
      type: 'HolderRevoked',
      data: { organizationId: ORGANIZATION, holderId: id },
    };
    given(...opened, revoked)
      .when(create(), known)
      .thenRefused('RECORD_REVOKED');
    const revoke = { type: 'RevokeHolder', organizationId: ORGANIZATION, id } as const;
    given(...opened, created())
      .when(revoke)
      .thenRefused('ACCOUNT_LINKED');
    given(...opened, created(), deleted)
      .when(revoke)
      .thenNothing();
  });

  it('change members, add related parties, and name what changed', () => {
    const added = { ...party, id: other };
    const command = update({
      sealed: { iban: null, account: 'another' },
      bankingDetails: null,
      relatedParties: [added],
      metadata: { tier: null },
    });
    const { bankingDetails: _, metadata: __, ...left } = record();
    given(...opened, created())
      .when(command)
      .then({
        type: 'InstrumentUpdated',
        data: {
          instrument: {
            ...left,
            sealed: { document: 'sealed document', account: 'another' },
            relatedParties: [party, added],
          },
          changed: ['iban', 'account', 'bankingDetails', 'relatedParties', 'metadata'],
        },
      });
    given(...opened, created())
      .when(update())
      .thenNothing();
    given(...opened, created())
      .when(update({ expected: 1 }))
      .thenRefused('RECORD_CHANGED');
  });

  it('are not closed before the day of their creation', () => {
    const day = NOW.slice(0, 10);
    given(...opened)
      .when(create({ bankingDetails: { closingDate: '2020-01-01' } }), known)
      .thenRefused('CLOSED_BEFORE_CREATED');
    given(...opened, created())
      .when(update({ bankingDetails: { closingDate: '2020-01-01' } }))
      .thenRefused('CLOSED_BEFORE_CREATED');
    const types = given(...opened, created())
      .when(update({ bankingDetails: { closingDate: day } }))
      .happened()
      .map(({ type }) => type);
    expect(types).to.deep.equal(['InstrumentUpdated']);
  });

  it('lose a related party once', () => {
    const { relatedParties: _, ...left } = record();
    const removed: RegistryEvent = {
      type: 'RelatedPartyDeleted',
      data: { instrument: left, relatedPartyId: partyId },
    };
    given(...opened, created())
      .when(removal)
      .then(removed);
    given(...opened, created(), removed)
      .when(removal)
      .thenRefused('RELATED_PARTY_NOT_FOUND');
  });

  it('are deleted once, and are not those of another holder', () => {
    given(...opened, created())
      .when(deletion)
      .then(deleted);
    given(...opened, created(), deleted)
      .when(read)
      .thenUnchanged(deleted);
    for (const events of [
      [],
      [created(), deleted],
      [created(), begun],
      [created(), begun, erased],
    ]) {
      for (const command of [deletion, removal, update()]) {
        given(...opened, ...events)
          .when(command)
          .thenRefused('INSTRUMENT_NOT_FOUND');
      }
    }
    for (const command of [read, deletion, removal, update(), beginning]) {
      given(...opened, created())
        .when({ ...command, holderId: other } as RegistryCommand)
        .thenRefused('INSTRUMENT_NOT_FOUND');
    }
  });

  it('are erased in two steps, which may be repeated', () => {
    given(...opened, created())
      .when(beginning)
      .then(begun);
    given(...opened, created(), deleted)
      .when(beginning)
      .then(begun);
    given(...opened, created(), begun)
      .when(beginning)
      .thenUnchanged(begun);
    given(...opened, created(), begun)
      .when(completion)
      .then(erased);
    given(...opened, created(), begun, erased)
      .when(completion)
      .thenNothing();
    given(...opened, created(), begun, erased)
      .when(create({ id: other }), known)
      .then(created({ id: other }));
  });

  it('keep their holder while they live, and are erased with it', () => {
    for (const deletion of ['soft', 'hard'] as const) {
      given(...opened, created())
        .when({
          ...{ type: 'BeginClosing', organizationId: ORGANIZATION, id: holderId, deletion },
          ownsAccounts: false,
        })
        .thenRefused('HOLDER_HAS_INSTRUMENTS');
    }
    const next = { type: 'BeginNextErasure', organizationId: ORGANIZATION, holderId } as const;
    const holderBegun: RegistryEvent = {
      type: 'HolderErasureBegun',
      data: {
        erasure: { certificateId: other, organizationId: ORGANIZATION, holderId, begunAt: NOW },
      },
    };
    const ended = [...opened, created(), deleted] as const;
    given(...ended)
      .when(next)
      .thenNothing();
    given(...ended, holderBegun)
      .when(next)
      .then(begun);
    given(...ended, holderBegun, begun)
      .when(next)
      .thenUnchanged(begun);
    given(...ended, holderBegun, begun, erased)
      .when(next)
      .thenNothing();
    given(...ended, holderBegun)
      .when(create({ id: other }), known)
      .thenRefused('HOLDER_NOT_FOUND');
  });

  it('keep nothing of a person in snapshots, and are restored from them', () => {
    const state = registryDecider.initialState();
    for (const [n, event] of [...opened, created()].entries()) {
      registryDecider.evolve(state, event, n);
    }
    const chunks = [...registryDecider.toSnapshot(state)];
    expect(chunks.join()).not.to.match(/sealed|0001|gold/);
    const restored = registryDecider.fromSnapshot(chunks);
    expect([...registryDecider.toSnapshot(restored)]).to.deep.equal(chunks);
    expect(restored.instruments.ofAccount(accountId)).to.equal(id);
    expect([...restored.instruments.ofHolder(holderId)]).to.have.length(1);
  });
});
