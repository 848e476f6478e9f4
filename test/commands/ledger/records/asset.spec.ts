import { expect } from 'chai';
import type { AssetCommand } from '#commands/ledger/records/asset.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { AssetRecord, LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountId,
  accountOpened,
  assetCreated,
  createAccount,
  createAsset,
  externalOpened,
  idOf,
  inflow,
  ledgerOpened,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { nthId, nthWhole } from '#test/support/stamps.ts';

type UpdateAsset = Extract<AssetCommand, { type: 'UpdateAsset' }>;

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;

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

describe('asset update', () => {
  const update = (changes: UpdateAsset['changes'], code = 'BRL'): UpdateAsset => ({
    type: 'UpdateAsset',
    organizationId: ORGANIZATION,
    id: idOf(`asset ${code}`),
    changes,
  });
  const real = assetCreated({ name: 'Real', metadata: { a: 1, b: 2 } });
  const before = (real.data as Readonly<{ asset: AssetRecord }>).asset;
  const book = () =>
    given(ledgerOpened(), real, externalOpened('BRL'), assetCreated({ code: 'USD' }));
  const updated = (asset: AssetRecord, ...changed: string[]): LedgerEvent => ({
    type: 'AssetUpdated',
    data: { asset, changed },
  });

  it('replaces metadata as a whole, without the keys that are null', () => {
    book()
      .when(update({ name: 'Real', metadata: { b: 3, c: null } }), {}, LATER)
      .then(updated({ ...before, metadata: { b: 3 }, updatedAt: LATER }, 'metadata'));
  });

  it('removes metadata that are empty, and keeps those that are not sent', () => {
    const { metadata: _, ...bare } = before;
    for (const metadata of [{}, null]) {
      book()
        .when(update({ name: 'Real', metadata }), {}, LATER)
        .then(updated({ ...bare, updatedAt: LATER }, 'metadata'));
    }
    book()
      .when(update({ name: 'Real' }))
      .thenUnchanged(updated(before));
  });

  it('may block the asset by its status, which stops nothing', () => {
    book()
      .after(update({ name: 'Real', status: { code: 'BLOCKED', description: 'Fraud' } }))
      .after(createAccount({ alias: '@alice' }))
      .when(inflow('@alice', '1'))
      .happened();
  });

  it('gives no name that another asset has, and frees the one it had', () => {
    book()
      .when(update({ name: 'Asset USD' }))
      .thenRefused('ASSET_TAKEN');
    const renamed = book().after(update({ name: 'Reais' }));
    renamed.when(createAsset({ code: 'EUR', name: 'Reais' })).thenRefused('ASSET_TAKEN');
    renamed.when(update({ name: 'Real' }, 'USD')).happened();
  });

  it('is refused for what is not there', () => {
    book()
      .when(update({ name: 'x' }, 'EUR'))
      .thenRefused('NOT_FOUND');
  });
});

describe('asset deletion', () => {
  const remove: AssetCommand = {
    type: 'DeleteAsset',
    organizationId: ORGANIZATION,
    id: idOf('asset BRL'),
  };
  const removeAlice = {
    type: 'DeleteAccount',
    organizationId: ORGANIZATION,
    accountId: accountId('@alice'),
  } as const;

  it('takes the external account along, in the same append', () => {
    const gone = { updatedAt: LATER, deletedAt: LATER };
    const [, created, opened] = ledgerWith('BRL') as [
      LedgerEvent,
      LedgerEvent & { type: 'AssetCreated' },
      LedgerEvent & { type: 'AccountOpened' },
    ];
    const { account, balance } = opened.data;
    given(...ledgerWith('BRL'))
      .when(remove, {}, LATER)
      .then(
        {
          type: 'AccountDeleted',
          data: { account: { ...account, ...gone }, balances: [{ ...balance, ...gone }] },
        },
        { type: 'AssetDeleted', data: { asset: { ...created.data.asset, ...gone } } },
      );
  });

  it('is refused while another account holds it', () => {
    const book = given(...ledgerWith('BRL', '@alice'));
    book.when(remove).thenRefused('BALANCE_BLOCKS_DELETION');
    book.after(removeAlice).when(remove).happened();
  });

  it('is refused while the balance of the world outside is not zero', () => {
    given(...ledgerWith('BRL', '@alice'))
      .after(inflow('@alice', '5'))
      .after(postTransaction({ from: '@alice', to: '@external/BRL', amount: '5' }), removeAlice)
      .when(remove)
      .happened();
    given(...ledgerWith('BRL'), accountOpened({ alias: '@other', type: 'external' }))
      .after(postTransaction({ from: '@external/BRL', to: '@other', amount: '5' }))
      .when(remove)
      .thenRefused('BALANCE_BLOCKS_DELETION');
  });

  it('frees name and code', () => {
    const book = given(...ledgerWith('BRL')).after(remove);
    book.when(createAccount()).thenRefused('ASSET_NOT_FOUND');
    book.when(remove).thenRefused('NOT_FOUND');
    book
      .after(createAsset())
      .when(createAccount({ alias: '@alice' }))
      .happened();
    book.when(inflow('@alice', '1')).happened();
  });
});
