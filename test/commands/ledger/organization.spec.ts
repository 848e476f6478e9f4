import { expect } from 'chai';
import { organizationDecider } from '#commands/ledger/organization.ts';
import type { OrganizationCommand } from '#commands/ledger/organization-commands.ts';
import type { UpdateOrganization } from '#commands/ledger/records/organization-record.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import type { MetadataChanges } from '#src/kernel/patch.ts';
import { valueName } from '#src/kernel/unique-values.ts';
import type { OrganizationEvent, OrganizationRecord } from '#src/events/ledger/organization.ts';
import type { Metadata } from '#src/events/shared.ts';
import { NO_FACTS, specFor } from '#test/support/decider-spec.ts';
import {
  createOrganization,
  idOf,
  LEDGER,
  ledgerNameReserved,
  ledgerNameSettled,
  ORGANIZATION,
  organizationCreated,
  OWN_HOLDER,
  reserveLedgerName,
} from '#test/support/ledger-samples.ts';

const { given } = specFor(organizationDecider);

const PARENT = idOf('parent organization');
const THE_PARENT = organizationJournal(PARENT);
const SECOND = idOf('second ledger');
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;

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

    expect(organizationDecider.fromSnapshot(organizationDecider.toSnapshot(state))).to.deep.equal(
      state,
    );
  });
});

describe('rename of a ledger', () => {
  const reserve = (name: string, ledgerId = LEDGER): OrganizationCommand => ({
    type: 'ReserveLedgerRename',
    ledgerId,
    name,
    changes: { metadata: { a: 1 } },
  });
  const reserved = (name: string): OrganizationEvent => ({
    type: 'LedgerRenameReserved',
    data: { ledgerId: LEDGER, name, changes: { metadata: { a: 1 } } },
  });
  const freed = (name: string, more: object = {}): OrganizationEvent => ({
    type: 'LedgerNameFreed',
    data: { ledgerId: LEDGER, name, ...more },
  });
  const settle = (name: string, reservedAt = 2): OrganizationCommand => ({
    type: 'SettleLedgerChange',
    ledgerId: LEDGER,
    reservedAt,
    ledger: { name, metadata: { a: 1 } },
  });
  const book = (...events: OrganizationEvent[]) =>
    given(organizationCreated(), ledgerNameReserved({ name: 'Retail' }), ...events);

  it('reserves the new name beside the old one', () => {
    const renaming = book();
    renaming.when(reserve('Shops')).then(reserved('Shops'));
    for (const name of ['RETAIL', 'SHOPS']) {
      renaming.when(reserveLedgerName({ name, id: SECOND })).thenRefused('LEDGER_NAME_TAKEN');
    }
  });

  it('waits for the one that is open, which can be found', () => {
    const renaming = book(reserved('Shops'));
    renaming.when(reserve('Stores')).thenNothing();
    renaming.when({ type: 'FindLedgerChange', ledgerId: LEDGER }).thenUnchanged(reserved('Shops'));
    book().when({ type: 'FindLedgerChange', ledgerId: LEDGER }).thenNothing();
  });

  it('is refused when another ledger has the name, or has it reserved', () => {
    const renaming = given(
      organizationCreated(),
      ledgerNameReserved({ name: 'Retail' }),
      reserved('Shops'),
      ledgerNameReserved({ name: 'Second', id: SECOND }),
    );
    renaming.when(reserve('shops', SECOND)).thenRefused('LEDGER_NAME_TAKEN');
    renaming.when(reserve('RETAIL', SECOND)).thenRefused('LEDGER_NAME_TAKEN');
    renaming.when(reserve('SECOND', SECOND)).thenNothing(); // Its own.
  });

  it('is refused for a ledger the organization does not have', () => {
    book().when(reserve('Shops', SECOND)).thenRefused('NOT_FOUND');
  });

  it('frees the old name when the ledger took the new one, and the new one when it did not', () => {
    book(reserved('Shops')).when(settle('SHOPS')).then(freed('retail'));
    book(reserved('Shops')).when(settle('Retail')).then(freed('shops'));
  });

  it('is settled once', () => {
    book(reserved('Shops'), freed('retail')).when(settle('Shops')).thenNothing();
    book(reserved('Shops'), freed('retail'), reserved('Third')).when(settle('Shops')).thenNothing();
  });

  it('ends with the ledger, whose names are all free then', () => {
    const closed = book(reserved('Shops'));
    closed
      .when({ type: 'FreeLedgerNames', ledgerId: LEDGER })
      .then(freed('retail', { closed: true }), freed('shops', { closed: true }));
    closed.when({ type: 'FreeLedgerNames', ledgerId: LEDGER }).thenNothing();
    closed.when(settle('Shops')).thenNothing();
    closed.when(reserveLedgerName({ name: 'Retail', id: SECOND })).happened();
  });

  it('is finished in an organization that was deleted meanwhile, and not begun', () => {
    const deleted: OrganizationEvent = {
      type: 'OrganizationDeleted',
      data: organizationCreated().data as never,
    };
    book(reserved('Shops'), deleted).when(settle('Shops')).then(freed('retail'));
    book(deleted).when(reserve('Shops')).thenRefused('ORGANIZATION_NOT_FOUND');
    book(deleted)
      .when(reserveLedgerName({ id: SECOND }))
      .thenRefused('ORGANIZATION_NOT_FOUND');
    book(deleted).when({ type: 'SettleLedgerName', ledgerId: LEDGER }).then(ledgerNameSettled());
  });

  it('survives a snapshot', () => {
    const state = organizationDecider.initialState();
    [organizationCreated(), ledgerNameReserved({ name: 'Retail' }), reserved('Shops')].forEach(
      (event, n) => organizationDecider.evolve(state, event, n),
    );
    expect(organizationDecider.fromSnapshot(organizationDecider.toSnapshot(state))).to.deep.equal(
      state,
    );
    expect(state.renames.get(LEDGER)).to.deep.equal({ revision: 2, metadata: true });
  });
});

describe('metadata of ledgers that must be unique', () => {
  const settings = { live: true, revision: 0, unique: new Map([['ledger', new Set(['a'])]]) };
  const asked = { settings };
  const reserve = (metadata: MetadataChanges, ledgerId = LEDGER): OrganizationCommand => ({
    type: 'ReserveLedgerMetadata',
    ledgerId,
    changes: { metadata },
  });
  const reserved = (metadata: MetadataChanges): OrganizationEvent => ({
    type: 'LedgerMetadataReserved',
    data: { ledgerId: LEDGER, changes: { metadata } },
  });
  const settle = (metadata: Metadata, name = 'Retail', reservedAt = 3): OrganizationCommand => ({
    type: 'SettleLedgerChange',
    ledgerId: LEDGER,
    reservedAt,
    ledger: { name, metadata },
  });
  const settled = (metadata: Metadata): OrganizationEvent => ({
    type: 'LedgerMetadataSettled',
    data: { ledger: { id: LEDGER, metadata } },
  });
  const claiming = (event: OrganizationEvent, text: string): OrganizationEvent =>
    ({ ...event, claims: [valueName('ledger', 'a', text)] }) as never;
  const second = ledgerNameReserved({ name: 'Second', id: SECOND });
  const has = claiming(ledgerNameReserved({ name: 'Retail', metadata: { a: 'x' } }), 'x');
  const book = (...events: OrganizationEvent[]) =>
    given(organizationCreated(), has, second, ...events);

  it('is claimed with the name of a new ledger, and refused with it', () => {
    const metadata = { a: 'x' };
    given(organizationCreated())
      .when(reserveLedgerName({ name: 'Retail', metadata }), asked)
      .then(has);
    const third = reserveLedgerName({ name: 'Third', id: idOf('third'), metadata });
    const { details } = book().when(third, asked).thenRefused('INDEX_CONFLICT');
    expect(details.findings?.[0]).to.include({ location: 'metadata.a', value: 'x' });
    book().when(third).happened(); // Nobody asks.
  });

  it('is claimed before the ledger has it; what it has stays its own until that is settled', () => {
    book()
      .when(reserve({ a: 'y' }), asked)
      .then(claiming(reserved({ a: 'y' }), 'y'));
    const open = book(claiming(reserved({ a: 'y' }), 'y'));
    for (const a of ['x', 'y']) {
      open.when(reserve({ a }, SECOND), asked).thenRefused('INDEX_CONFLICT');
    }
  });

  it('shows what the ledger has in the end, which may be what it had', () => {
    const open = () => book(claiming(reserved({ a: 'y' }), 'y'));
    open()
      .when(settle({ a: 'y' }), asked)
      .then(settled({ a: 'y' }));
    for (const [left, free] of [
      ['y', 'x'],
      ['x', 'y'],
    ] as const) {
      const after = book(claiming(reserved({ a: 'y' }), 'y'), settled({ a: left }));
      after.when(reserve({ a: left }, SECOND), asked).thenRefused('INDEX_CONFLICT');
      after.when(reserve({ a: free }, SECOND), asked).happened();
    }
  });

  it('waits for the change that is open, which can be found, and is settled once', () => {
    const open = book(reserved({ a: 'y' }));
    open.when(reserve({ b: 1 }), asked).thenNothing();
    open.when({ type: 'FindLedgerChange', ledgerId: LEDGER }).thenUnchanged(reserved({ a: 'y' }));
    const after = book(reserved({ a: 'y' }), settled({ a: 'y' }));
    after.when(settle({ a: 'y' }), asked).thenNothing();
    after.when({ type: 'FindLedgerChange', ledgerId: LEDGER }).thenNothing();
  });

  it('is shown after a rename that says something of it, if anybody asks', () => {
    const changes = { metadata: { a: 'y' } };
    const data = { ledgerId: LEDGER, name: 'Shops', changes };
    const rename = () => book(claiming({ type: 'LedgerRenameReserved', data }, 'y'));
    const freed: OrganizationEvent = {
      type: 'LedgerNameFreed',
      data: { ledgerId: LEDGER, name: 'retail' },
    };
    rename()
      .when(reserve({ a: 'y' }, SECOND), asked)
      .thenRefused('INDEX_CONFLICT');
    rename()
      .when(settle({ a: 'y' }, 'Shops'), asked)
      .then(freed, settled({ a: 'y' }));
    rename()
      .when(settle({ a: 'y' }, 'Shops'))
      .then(freed);
  });

  it('is free when the ledger is deleted', () => {
    const closed: OrganizationEvent = {
      type: 'LedgerNameFreed',
      data: { ledgerId: LEDGER, name: 'retail', closed: true },
    };
    book(closed)
      .when(reserve({ a: 'x' }, SECOND), asked)
      .happened();
    book(closed)
      .when(reserve({ a: 'z' }), asked)
      .thenRefused('NOT_FOUND');
  });

  it('finds a ledger whose creation is not settled, until it has been changed', () => {
    const find: OrganizationCommand = { type: 'FindLedgerOpening', ledgerId: LEDGER };
    book().when(find).thenUnchanged(has);
    book(reserved({ b: 1 }), settled({ a: 'x', b: 1 }))
      .when(find)
      .thenNothing();
    book(ledgerNameSettled()).when(find).thenNothing();
    given(organizationCreated()).when(find).thenNothing();
  });

  it('survives a snapshot', () => {
    const state = organizationDecider.initialState();
    [organizationCreated(), has, second, reserved({ a: 'y' })].forEach((event, n) =>
      organizationDecider.evolve(state, event, n),
    );
    expect(organizationDecider.fromSnapshot(organizationDecider.toSnapshot(state))).to.deep.equal(
      state,
    );
    expect([...state.shown.keys()]).to.deep.equal([LEDGER, SECOND]);
  });
});

describe('organization update', () => {
  const update = (changes: UpdateOrganization['changes']): OrganizationCommand => ({
    type: 'UpdateOrganization',
    changes,
  });
  const before = (organizationCreated().data as Readonly<{ organization: OrganizationRecord }>)
    .organization;
  const updated = (organization: OrganizationRecord, ...changed: string[]): OrganizationEvent => ({
    type: 'OrganizationUpdated',
    data: { organization, changed },
  });

  it('changes what is sent and says what that was', () => {
    const address = { ...before.address, country: 'PE' };
    given(organizationCreated())
      .when(update({ doingBusinessAs: 'Quipu', address, metadata: { a: 1 } }), {}, LATER)
      .then(
        updated(
          { ...before, doingBusinessAs: 'Quipu', address, metadata: { a: 1 }, updatedAt: LATER },
          'doingBusinessAs',
          'address',
          'metadata',
        ),
      );
  });

  it('without effect leaves nothing behind', () => {
    for (const changes of [{}, { legalName: before.legalName, address: { ...before.address } }]) {
      given(organizationCreated()).when(update(changes), {}, LATER).thenUnchanged(updated(before));
    }
  });

  it('asks about the new parent, unless that is the organization itself', () => {
    const state = organizationDecider.initialState();
    organizationDecider.evolve(state, organizationCreated(), 0);
    const needs = (parentOrganizationId: Uuid) =>
      organizationDecider.needs(state, update({ parentOrganizationId }), NO_FACTS);
    expect(needs(PARENT)).to.deep.equal({ events: [0], journals: [THE_PARENT] });
    expect(needs(ORGANIZATION)).to.deep.equal({ events: [0] });
  });

  it('takes a parent that lives, and no other', () => {
    const story = () => given(organizationCreated());
    const parent = update({ parentOrganizationId: PARENT });
    const changed = { ...before, parentOrganizationId: PARENT, updatedAt: LATER };
    story()
      .when(parent, { [THE_PARENT]: { live: true, revision: 0 } }, LATER)
      .then(updated(changed, 'parentOrganizationId'));
    story().when(parent).thenRefused('PARENT_ORGANIZATION_NOT_FOUND');
    story()
      .when(parent, { [THE_PARENT]: { live: false, revision: 1 } })
      .thenRefused('PARENT_ORGANIZATION_NOT_FOUND');
    story()
      .when(update({ parentOrganizationId: ORGANIZATION }))
      .thenRefused('OWN_PARENT');
  });

  it('is refused before it is there', () => {
    given().when(update({})).thenRefused('NOT_FOUND');
  });
});

describe('organization deletion', () => {
  const remove = (inProduction = false): OrganizationCommand => ({
    type: 'DeleteOrganization',
    inProduction,
  });

  it('says what was there, and is the end', () => {
    const story = given(organizationCreated());
    const { organization } = organizationCreated().data as never as {
      organization: OrganizationRecord;
    };
    story.when(remove(), {}, LATER).then({
      type: 'OrganizationDeleted',
      data: { organization: { ...organization, updatedAt: LATER, deletedAt: LATER } },
    });
    story.when(remove()).thenRefused('NOT_FOUND');
    story.when({ type: 'UpdateOrganization', changes: {} }).thenRefused('NOT_FOUND');
  });

  it('is no deed for production', () => {
    given(organizationCreated()).when(remove(true)).thenRefused('ACTION_NOT_ALLOWED');
    given().when(remove(true)).thenRefused('NOT_FOUND');
  });

  it('is known to other journals', () => {
    const state = organizationDecider.initialState();
    organizationDecider.evolve(state, organizationCreated(), 0);
    const data = organizationCreated().data as never;
    organizationDecider.evolve(state, { type: 'OrganizationDeleted', data }, 1);
    expect(organizationDecider.fact(state)).to.deep.equal({ live: false });
  });
});
