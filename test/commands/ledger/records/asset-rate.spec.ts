import { expect } from 'chai';
import type { PutAssetRate } from '#commands/ledger/records/asset-rate.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { AssetRateRecord, LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { idOf, LEDGER, ledgerOpened, ORGANIZATION } from '#test/support/ledger-samples.ts';
import { NOW, nthId } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;
const DOLLAR = { from: 'USD', to: 'BRL', rate: 5425, scale: 3, source: null, ttl: 0 };

const put = (
  fields: Partial<PutAssetRate['fields']> = {},
  more: Partial<PutAssetRate> = {},
): PutAssetRate => ({
  type: 'PutAssetRate',
  organizationId: ORGANIZATION,
  fields: { ...DOLLAR, ...fields },
  ...more,
});

const record = (changes: Partial<AssetRateRecord> = {}): AssetRateRecord => ({
  id: idOf('rate'),
  organizationId: ORGANIZATION,
  ledgerId: LEDGER,
  externalId: idOf('external'),
  ...DOLLAR,
  createdAt: NOW,
  updatedAt: NOW,
  ...changes,
});

const known = (changes: Partial<AssetRateRecord> = {}): LedgerEvent => ({
  type: 'AssetRateCreated',
  data: { assetRate: record(changes) },
});

const updated = (changes: Partial<AssetRateRecord>, ...changed: string[]): LedgerEvent => ({
  type: 'AssetRateUpdated',
  data: { assetRate: record({ updatedAt: LATER, ...changes }), changed },
});

describe('asset rate', () => {
  it('is put for a pair of assets, which need not exist', () => {
    given(ledgerOpened())
      .when(put({ source: 'Central bank', ttl: 60 }, { metadata: { session: 1 } }))
      .then(
        known({
          id: nthId(2),
          externalId: nthId(1),
          source: 'Central bank',
          ttl: 60,
          metadata: { session: 1 },
        }),
      );
  });

  it('carries the external id that was sent', () => {
    given(ledgerOpened())
      .when(put({}, { externalId: idOf('mine') }))
      .then(known({ id: nthId(1), externalId: idOf('mine') }));
  });

  it('is replaced where it is, keeping its ids and what metadata say', () => {
    given(ledgerOpened(), known({ source: 'Somebody', ttl: 9, metadata: { a: 1, b: 2 } }))
      .when(put({ rate: 5430 }, { metadata: { b: null, c: true } }), {}, LATER)
      .then(
        updated(
          { rate: 5430, source: null, ttl: 0, metadata: { a: 1, c: true } },
          ...['rate', 'source', 'ttl', 'metadata'],
        ),
      );
  });

  it('takes another external id when one is sent', () => {
    given(ledgerOpened(), known())
      .when(put({}, { externalId: idOf('mine') }), {}, LATER)
      .then(updated({ externalId: idOf('mine') }, 'externalId'));
  });

  it('is recorded again when nothing but its age changes', () => {
    given(ledgerOpened(), known()).when(put(), {}, LATER).then(updated({}));
  });

  it('is another one the other way round', () => {
    given(ledgerOpened(), known())
      .when(put({ from: 'BRL', to: 'USD' }))
      .then(known({ id: nthId(2), externalId: nthId(1), from: 'BRL', to: 'USD' }));
  });

  it('is not created with metadata to remove', () => {
    const { details } = given(ledgerOpened())
      .when(put({}, { metadata: { a: null } }))
      .thenRefused('METADATA_NESTED');
    expect(details.findings).to.have.length(1);
  });

  it('is replaced after a snapshot too', () => {
    const state = ledgerDecider.initialState();
    [ledgerOpened(), known()].forEach((event, n) => ledgerDecider.evolve(state, event, n));
    expect(state.rates).to.deep.equal(new Map([['USD/BRL', 1]]));
    expect(ledgerDecider.fromSnapshot(ledgerDecider.toSnapshot(state))).to.deep.equal(state);
  });

  it('belongs to a ledger that is there', () => {
    given().when(put()).thenRefused('LEDGER_NOT_FOUND');
  });
});
