import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { NO_FACTS, specFor } from '#test/support/decider-spec.ts';
import {
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
    expect(ledgerDecider.fact(state)).to.deep.equal({ live: true, within: ORGANIZATION });
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
    expect(ledgerDecider.thaw(ledgerDecider.freeze(state))).to.deep.equal(state);
  });

  it('stops at an event it does not know', () => {
    const state = ledgerDecider.initialState();
    const strange = { type: 'LedgerMelted', data: {} } as never;
    expect(() => ledgerDecider.evolve(state, strange, 0)).to.throw('LedgerMelted');
  });
});
