import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  assetCreated,
  createAsset,
  externalOpened,
  ledgerOpened,
  ledgerWith,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { nthId, nthWhole } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);

describe('asset', () => {
  it('is born together with the account of the world outside', () => {
    given(ledgerOpened())
      .when(createAsset({ code: 'BRL', metadata: { symbol: 'R$' } }))
      .then(
        assetCreated({ code: 'BRL', metadata: { symbol: 'R$' }, id: nthId(1) }),
        externalOpened('BRL', { id: nthWhole(1) }),
      );
  });

  it('can be paid with at once', () => {
    given(...ledgerWith('BRL', '@alice'))
      .after(createAsset({ code: 'USD' }))
      .when(postTransaction({ from: '@external/USD', to: '@alice', amount: '1', asset: 'USD' }))
      .thenRefused('ASSET_NOT_FOUND'); // The external account is there; alice holds BRL.
  });

  it('is refused under a code that is taken', () => {
    const { details } = given(...ledgerWith('BRL'))
      .when(createAsset({ code: 'BRL', name: 'Another' }))
      .thenRefused('ASSET_TAKEN');
    expect(details.findings?.[0]).to.include({ location: 'code', value: 'BRL' });
  });

  it('is refused under a name that is taken', () => {
    const { details } = given(...ledgerWith('BRL'))
      .when(createAsset({ code: 'USD', name: 'Asset BRL' }))
      .thenRefused('ASSET_TAKEN');
    expect(details.findings?.[0]).to.include({ location: 'name', value: 'Asset BRL' });
  });

  it('may have the code of another as its name', () => {
    const fields = { code: 'USD', name: 'BRL' };
    given(...ledgerWith('BRL'))
      .when(createAsset(fields))
      .then(assetCreated({ ...fields, id: nthId(1) }), externalOpened('USD', { id: nthWhole(1) }));
  });

  for (const type of ['currency', 'fiat']) {
    it(`is refused as ${type} under a code ISO 4217 does not know`, () => {
      given(ledgerOpened())
        .when(createAsset({ type, code: 'GOLD' }))
        .thenRefused('NOT_ISO_4217');
      given(ledgerOpened())
        .when(createAsset({ type, code: 'BRL' }))
        .then(
          assetCreated({ type, code: 'BRL', id: nthId(1) }),
          externalOpened('BRL', { id: nthWhole(1) }),
        );
    });
  }

  it('is checked against ISO 4217 before it is compared with others', () => {
    given(...ledgerWith('GOLD'))
      .when(createAsset({ type: 'currency', code: 'GOLD' }))
      .thenRefused('NOT_ISO_4217');
  });
});
