import type { InstrumentRecord } from '#src/events/registry/instrument.ts';
import type { EncryptionRecord } from '#src/events/registry/registry.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { planned, recordFact, type Definition } from '#src/bridge/definition.ts';
import { instant, listOf, oneOf, text, uuid, written } from '#src/bridge/payload-members.ts';
import { orNull, payloadOf, picked } from '#src/bridge/payload-schema.ts';

const deletion = { deletionType: oneOf('soft', 'hard'), deletedAt: instant };

/** P30: ids and classes only; no document, name or contact of a person is published. */
const holder = payloadOf({
  ...{ id: uuid, organizationId: uuid, type: text, externalId: orNull(text) },
  ...written,
});
const deletedHolder = payloadOf({ id: uuid, organizationId: uuid, ...deletion });

const relatedParty = payloadOf({ relatedPartyId: uuid, role: text });
const instrument = payloadOf({
  ...{ id: uuid, holderId: uuid, organizationId: uuid, ledgerId: uuid, accountId: uuid },
  ...{ type: text, ...written, relatedParties: orNull(listOf(relatedParty)) },
});
const deletedInstrument = payloadOf({
  id: uuid,
  holderId: uuid,
  organizationId: uuid,
  ...deletion,
});
const deletedRelatedParty = payloadOf({
  ...{ instrumentId: uuid, holderId: uuid, organizationId: uuid, relatedPartyId: uuid },
  deletedAt: instant,
});
const provisioning = payloadOf({ organizationId: uuid, status: text, occurredAt: instant });

/** Names the related parties by their ids alone. */
const partiesOf = ({ relatedParties }: InstrumentRecord): object => ({
  relatedParties:
    relatedParties?.map(({ id: relatedPartyId, role }) => ({ relatedPartyId, role })) ?? null,
});

type DeletedParty = Readonly<{ instrument: InstrumentRecord; relatedPartyId: Uuid }>;

/** Everything that the customer registry publishes (contract events §6.2 and §7). */
export const definitions: readonly Definition[] = [
  recordFact({
    key: 'holder.created',
    tail: 'crm_holder.created',
    description: 'A holder was registered',
    payload: holder,
    member: 'holder',
    types: ['HolderCreated'],
  }),
  recordFact({
    key: 'holder.updated',
    tail: 'crm_holder.updated',
    description: 'A holder was changed',
    payload: holder,
    member: 'holder',
    types: ['HolderUpdated'],
  }),
  recordFact({
    key: 'holder.deleted',
    tail: 'crm_holder.deleted',
    description: 'A holder was deleted',
    payload: deletedHolder,
    member: 'holder',
    types: ['HolderDeleted', 'HolderErased'],
    adds: (_, { type }) => ({ deletionType: type === 'HolderErased' ? 'hard' : 'soft' }),
  }),
  recordFact({
    key: 'instrument.created',
    tail: 'crm_instrument.created',
    description: 'An account of a holder was registered',
    payload: instrument,
    member: 'instrument',
    types: ['InstrumentCreated'],
    adds: partiesOf,
  }),
  recordFact({
    key: 'instrument.updated',
    tail: 'crm_instrument.updated',
    description: 'An account of a holder was changed',
    payload: instrument,
    member: 'instrument',
    types: ['InstrumentUpdated'],
    adds: partiesOf,
  }),
  recordFact({
    key: 'instrument.deleted',
    tail: 'crm_instrument.deleted',
    description: 'An account of a holder was removed from the registry',
    payload: deletedInstrument,
    member: 'instrument',
    types: ['InstrumentDeleted', 'InstrumentErased'],
    adds: (_, { type }) => ({ deletionType: type === 'InstrumentErased' ? 'hard' : 'soft' }),
  }),
  {
    ...planned(
      'instrument.related-party-deleted',
      'crm_instrument.related_party_deleted',
      'A related party was removed from an account of a holder',
      deletedRelatedParty,
      { subject: 'instrumentId' },
    ),
    types: ['RelatedPartyDeleted'],
    emissions({ data }) {
      const { instrument: record, relatedPartyId } = data as DeletedParty;
      const { id: instrumentId, holderId, organizationId, updatedAt: deletedAt } = record;
      const source = { instrumentId, holderId, organizationId, relatedPartyId, deletedAt };
      const payload = picked(deletedRelatedParty, source);
      return [{ subject: instrumentId, recordKey: instrumentId, payload }];
    },
  },
  {
    ...planned(
      'encryption.provisioned',
      'crm_encryption.provisioned',
      'The protection of personal data was set up for an organization',
      provisioning,
      { subject: 'organizationId', enabled: false },
    ),
    types: ['EncryptionProvisioned'],
    emissions({ data }) {
      const { encryption } = data as Readonly<{ encryption: EncryptionRecord }>;
      const { organizationId: subject } = encryption;
      return [{ subject, recordKey: subject, payload: picked(provisioning, encryption) }];
    },
  },
];
