import { expect } from 'chai';
import type {
  DeleteLedger,
  LedgerChanges,
  UpdateLedger,
} from '#commands/ledger/records/ledger-record.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerFact } from '#commands/ledger/state/journal-facts.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import type { LedgerEvent, LedgerRecord } from '#src/events/ledger/ledger.ts';
import { NO_FACTS, specFor } from '#test/support/decider-spec.ts';
import {
  accountOpened,
  createAccount,
  createAsset,
  idOf,
  ledgerOpened,
  ledgerWith,
  openLedger,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { NOW, stampAt } from '#test/support/stamps.ts';
import { funded } from '#test/support/transaction-samples.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;

const post = postTransaction({ from: '@external/BRL', to: '@alice', amount: '1' });

describe('ledger', () => {
  it('opens with what its organization reserved', () => {
    given()
      .when(openLedger({ metadata: { tier: 1 } }))
      .then(ledgerOpened({ metadata: { tier: 1 } }));
  });

  it('opens once: the step may be repeated after a crash', () => {
    given(ledgerOpened()).when(openLedger()).thenNothing();
  });

  for (const command of [createAsset(), createAccount(), post]) {
    it(`refuses ${command.type} before it is open`, () => {
      given().when(command).thenRefused('LEDGER_NOT_FOUND');
    });

    it(`refuses ${command.type} below another organization`, () => {
      given(...ledgerWith('BRL', '@alice'))
        .when({ ...command, organizationId: idOf('another organization') })
        .thenRefused('LEDGER_NOT_FOUND');
    });
  }

  it('needs no other journal for anything', () => {
    const state = ledgerDecider.initialState();
    for (const command of [openLedger(), createAsset(), createAccount(), post]) {
      expect(ledgerDecider.needs(state, command, NO_FACTS)).to.equal(undefined);
    }
  });

  it('tells other journals that it lives, once it is open', () => {
    const state = ledgerDecider.initialState();
    expect(ledgerDecider.fact(state)).to.equal(undefined);
    ledgerDecider.evolve(state, ledgerOpened(), 0);
    expect(ledgerDecider.fact(state)).to.include({ live: true, organizationId: ORGANIZATION });
  });

  it('tells other journals of accounts and their segments, also after a snapshot', () => {
    const state = ledgerDecider.initialState();
    const segmentId = '0190a1c0-0000-7000-8000-0000000000a1' as Uuid;
    const opened = accountOpened({ alias: '@vip', segmentId });
    [...ledgerWith('BRL', '@alice'), opened].forEach((event, n) => {
      ledgerDecider.evolve(state, event, n);
    });
    const copy = ledgerDecider.fromSnapshot(ledgerDecider.toSnapshot(state));
    for (const one of [state, copy]) {
      const { accountNamed, hasSegment } = ledgerDecider.fact(one) as LedgerFact;
      expect(accountNamed('@vip')).to.include({ segmentId });
      expect(accountNamed('@alice')).to.include({ segmentId: undefined });
      expect(accountNamed('@nobody')).to.equal(undefined);
      expect(hasSegment(segmentId)).to.equal(false);
    }
  });

  it('is the same after a snapshot, with what is held', () => {
    const state = ledgerDecider.initialState();
    const events = [...ledgerWith('BRL', '@alice', '@bob'), funded('@alice')];
    events.forEach((event, n) => ledgerDecider.evolve(state, event, n));
    const hold = postTransaction({ from: '@alice', to: '@bob', amount: '1', pending: true });
    const held = ledgerDecider.decide(state, hold, NO_FACTS, stampAt(NOW));
    if ('unchanged' in held) throw new Error('A hold changes something');
    for (const event of held) ledgerDecider.evolve(state, event, events.length);
    expect([...state.pending.values()]).to.deep.equal([events.length]);
    expect(ledgerDecider.fromSnapshot(ledgerDecider.toSnapshot(state))).to.deep.equal(state);
  });

  it('stops at an event it does not know', () => {
    const state = ledgerDecider.initialState();
    const strange = { type: 'LedgerMelted', data: {} } as never;
    expect(() => ledgerDecider.evolve(state, strange, 0)).to.throw('LedgerMelted');
  });
});

describe('ledger update', () => {
  const before = (ledgerOpened({ metadata: { a: 1 } }).data as Readonly<{ ledger: LedgerRecord }>)
    .ledger;
  const open = () => given(ledgerOpened({ metadata: { a: 1 } }));
  const update = (changes: LedgerChanges, reservedAt?: number): UpdateLedger => ({
    type: 'UpdateLedger',
    organizationId: ORGANIZATION,
    changes,
    ...(reservedAt !== undefined && { reservedAt: at(reservedAt) }),
  });
  const at = (revision: number) => ({ journal: organizationJournal(ORGANIZATION), revision });
  const updated = (ledger: LedgerRecord, changed: string[], more: object = {}): LedgerEvent => ({
    type: 'LedgerUpdated',
    data: { ledger, changed, ...more },
  });

  it('changes status and metadata alone, and the letter case of its name', () => {
    const metadata = { a: 1, b: 2 };
    open()
      .when(update({ name: 'RETAIL', metadata: { b: 2 } }), {}, LATER)
      .then(
        updated({ ...before, name: 'RETAIL', metadata, updatedAt: LATER }, ['name', 'metadata']),
      );
  });

  it('gives itself no other name: nothing happens before that is reserved', () => {
    open()
      .when(update({ name: 'Shops', metadata: { b: 2 } }), {}, LATER)
      .thenUnchanged(updated(before, []));
  });

  it('takes a name that was reserved, once', () => {
    const named = open();
    named
      .when(update({ name: 'Shops' }, 5), {}, LATER)
      .then(
        updated({ ...before, name: 'Shops', updatedAt: LATER }, ['name'], { reservedAt: at(5) }),
      );
    const unchanged = updated({ ...before, name: 'Shops', updatedAt: LATER }, []);
    for (const late of [5, 4]) {
      named.when(update({ name: 'Other' }, late)).thenUnchanged(unchanged);
    }
  });

  it('may give up a reservation, which is overtaken then', () => {
    const named = open();
    named.when(update({}, 5), {}, LATER).then(updated(before, [], { reservedAt: at(5) }));
    named.when(update({ name: 'Shops' }, 5)).thenUnchanged(updated(before, []));
  });

  describe('of metadata that must be unique', () => {
    const fact = { live: true, revision: 0, unique: new Map([['ledger', new Set(['a'])]]) };

    it('waits for what the organization reserves, as a whole', () => {
      const status = { code: 'INACTIVE', description: null };
      for (const metadata of [{ a: 2 }, { a: null }, null]) {
        open()
          .when(update({ status, metadata }), { settings: fact }, LATER)
          .thenUnchanged(updated(before, []));
      }
      open()
        .when(update({ metadata: { a: 2 } }, 5), { settings: fact }, LATER)
        .then(
          updated({ ...before, metadata: { a: 2 }, updatedAt: LATER }, ['metadata'], {
            reservedAt: at(5),
          }),
        );
    });

    it('is the ledger’s own matter where it stays, or is of another kind', () => {
      const metadata = { a: 1, b: 2 };
      const after = updated({ ...before, metadata, updatedAt: LATER }, ['metadata']);
      open().when(update({ metadata }), { settings: fact }, LATER).then(after);
      const others = { ...fact, unique: new Map([['account', new Set(['a', 'b'])]]) };
      open().when(update({ metadata }), { settings: others }, LATER).then(after);
    });

    it('asks for the settings when there is metadata, and only then', () => {
      const ledger = ledgerDecider.initialState();
      ledgerDecider.evolve(ledger, ledgerOpened(), 0);
      const facts = { ...NO_FACTS, event: () => ledgerOpened() };
      const needs = (command: UpdateLedger) => ledgerDecider.needs(ledger, command, facts);
      expect(needs(update({ metadata: { a: 1 } }))).to.deep.equal({ settings: true });
      expect(needs(update({ metadata: { a: 1 } }, 5))).to.equal(undefined);
      expect(needs(update({ name: 'Shops' }))).to.equal(undefined);
    });
  });

  it('without effect leaves nothing behind', () => {
    for (const changes of [{}, { name: 'Retail', metadata: { a: 1 } }]) {
      open().when(update(changes), {}, LATER).thenUnchanged(updated(before, []));
    }
  });

  it('is refused before it is open, and below another organization', () => {
    given().when(update({})).thenRefused('NOT_FOUND');
    const elsewhere = { ...update({}), organizationId: idOf('another organization') };
    open().when(elsewhere).thenRefused('NOT_FOUND');
  });
});

describe('ledger deletion', () => {
  const remove = (inProduction = false): DeleteLedger => ({
    type: 'DeleteLedger',
    organizationId: ORGANIZATION,
    inProduction,
  });

  it('says what was there, and nothing is accepted after it', () => {
    const ledger = given(...ledgerWith('BRL', '@alice'));
    const image = (ledgerOpened().data as Readonly<{ ledger: LedgerRecord }>).ledger;
    ledger.when(remove(), {}, LATER).then({
      type: 'LedgerClosed',
      data: { ledger: { ...image, updatedAt: LATER, deletedAt: LATER } },
    });
    ledger.when(remove()).thenNothing(); // For the step in the organization to be repeated.
    ledger
      .when({ type: 'UpdateLedger', organizationId: ORGANIZATION, changes: {} })
      .thenRefused('NOT_FOUND');
    for (const command of [createAsset(), createAccount(), post]) {
      ledger.when(command).thenRefused('LEDGER_NOT_FOUND');
    }
    ledger.when(openLedger()).thenNothing();
  });

  it('is refused in production, before it is open, and below another organization', () => {
    given(ledgerOpened()).when(remove(true)).thenRefused('ACTION_NOT_ALLOWED');
    given().when(remove()).thenRefused('NOT_FOUND');
    const elsewhere = { ...remove(), organizationId: idOf('another organization') };
    given(ledgerOpened()).when(elsewhere).thenRefused('NOT_FOUND');
  });
});
