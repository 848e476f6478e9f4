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

  it('stops at an event it does not know', () => {
    const state = ledgerDecider.initialState();
    const strange = { type: 'LedgerMelted', data: {} } as never;
    expect(() => ledgerDecider.evolve(state, strange, 0)).to.throw('LedgerMelted');
  });
});
