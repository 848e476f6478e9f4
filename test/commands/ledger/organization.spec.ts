import { expect } from 'chai';
import { organizationDecider, type OrganizationCommand } from '#commands/ledger/organization.ts';
import { organizationJournal } from '#src/domain/journal-name.ts';
import { NO_FACTS, specFor } from '#test/support/decider-spec.ts';
import {
  createOrganization,
  idOf,
  LEDGER,
  ledgerNameReserved,
  ledgerNameSettled,
  organizationCreated,
  OWN_HOLDER,
  reserveLedgerName,
} from '#test/support/ledger-samples.ts';

const { given } = specFor(organizationDecider);

const PARENT = idOf('parent organization');
const THE_PARENT = organizationJournal(PARENT);
const SECOND = idOf('second ledger');

describe('organization', () => {
  it('is created whole, with its own holder', () => {
    const facts = { legalName: 'Tawantinsuyu', metadata: { region: 'Cusco', branches: 4 } };
    given().when(createOrganization(facts)).then(organizationCreated(facts));
  });

  it('asks about its parent, and about nothing else', () => {
    const state = organizationDecider.initialState();
    const needs = (command: OrganizationCommand) =>
      organizationDecider.needs(state, command, NO_FACTS);
    const child = createOrganization({ parentOrganizationId: PARENT });
    expect(needs(child)).to.deep.equal({ journals: [THE_PARENT] });
    expect(needs(createOrganization())).to.equal(undefined);
    expect(needs(reserveLedgerName())).to.equal(undefined);
  });

  it('is created below a parent that lives', () => {
    const fields = { parentOrganizationId: PARENT };
    given()
      .when(createOrganization(fields), { [THE_PARENT]: { live: true, revision: 0 } })
      .then(organizationCreated(fields));
  });

  it('is refused below a parent nobody knows', () => {
    const { details } = given()
      .when(createOrganization({ parentOrganizationId: PARENT }))
      .thenRefused('PARENT_ORGANIZATION_NOT_FOUND');
    expect(details.findings?.[0]).to.include({ location: 'parentOrganizationId', value: PARENT });
  });

  it('is refused below a parent that lives no more', () => {
    given()
      .when(createOrganization({ parentOrganizationId: PARENT }), {
        [THE_PARENT]: { live: false, revision: 9 },
      })
      .thenRefused('PARENT_ORGANIZATION_NOT_FOUND');
  });

  it('is not created over itself: an id minted twice is a defect, not a refusal', () => {
    expect(() => given(organizationCreated()).when(createOrganization())).to.throw('exists');
  });

  it('tells other journals that it lives, once it does', () => {
    const state = organizationDecider.initialState();
    expect(organizationDecider.fact(state)).to.equal(undefined);
    organizationDecider.evolve(state, organizationCreated(), 0);
    expect(organizationDecider.fact(state)).to.deep.equal({ live: true });
  });

  it('stops at an event it does not know', () => {
    const state = organizationDecider.initialState();
    const strange = { type: 'OrganizationMelted', data: {} } as never;
    expect(() => organizationDecider.evolve(state, strange, 0)).to.throw('OrganizationMelted');
  });
});

describe('name of a ledger', () => {
  it('is reserved with all that opening the ledger needs', () => {
    given(organizationCreated())
      .when(reserveLedgerName({ metadata: { tier: 1 } }))
      .then(ledgerNameReserved({ metadata: { tier: 1 } }));
  });

  it('carries the own holder of the organization on to the ledger', () => {
    const [event] = given(organizationCreated()).when(reserveLedgerName()).happened();
    expect(event?.data).to.have.property('holderId', OWN_HOLDER);
  });

  for (const name of ['Retail', 'RETAIL', 'retail', 'rEtAiL']) {
    it(`is refused as ${name} when Retail is taken`, () => {
      const { details } = given(organizationCreated(), ledgerNameReserved({ name: 'Retail' }))
        .when(reserveLedgerName({ name, id: SECOND }))
        .thenRefused('LEDGER_NAME_TAKEN');
      expect(details.findings?.[0]).to.include({ location: 'name', value: name });
    });
  }

  it('is compared without letter case beyond ASCII too', () => {
    given(organizationCreated(), ledgerNameReserved({ name: 'Ñandú' }))
      .when(reserveLedgerName({ name: 'ÑANDÚ', id: SECOND }))
      .thenRefused('LEDGER_NAME_TAKEN');
  });

  it('is free when it differs by a blank', () => {
    given(organizationCreated(), ledgerNameReserved({ name: 'Retail' }))
      .when(reserveLedgerName({ name: 'Retail ', id: SECOND }))
      .then(ledgerNameReserved({ name: 'Retail ', id: SECOND }));
  });

  it('is taken from the reservation on, and stays so when settled', () => {
    const reserved = [organizationCreated(), ledgerNameReserved()];
    given(...reserved)
      .when(reserveLedgerName({ id: SECOND }))
      .thenRefused('LEDGER_NAME_TAKEN');
    given(...reserved, ledgerNameSettled())
      .when(reserveLedgerName({ id: SECOND }))
      .thenRefused('LEDGER_NAME_TAKEN');
  });

  it('is settled when the ledger is open', () => {
    given(organizationCreated(), ledgerNameReserved())
      .when({ type: 'SettleLedgerName', ledgerId: LEDGER })
      .then(ledgerNameSettled());
  });

  it('is not reserved in an organization that does not exist', () => {
    given().when(reserveLedgerName()).thenRefused('ORGANIZATION_NOT_FOUND');
    given()
      .when({ type: 'SettleLedgerName', ledgerId: LEDGER })
      .thenRefused('ORGANIZATION_NOT_FOUND');
  });

  it('survives a snapshot', () => {
    const state = organizationDecider.initialState();
    organizationDecider.evolve(state, organizationCreated(), 0);
    organizationDecider.evolve(state, ledgerNameReserved({ name: 'Retail' }), 1);
    organizationDecider.evolve(state, ledgerNameReserved({ name: 'Ñandú', id: SECOND }), 2);

    expect(organizationDecider.thaw(organizationDecider.freeze(state))).to.deep.equal(state);
  });
});
