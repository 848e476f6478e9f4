import type { Stamp } from '#src/domain/decider.ts';
import { refuse } from '#src/domain/errors.ts';
import { isCurrencyCode } from '#src/domain/iso-4217.ts';
import type { Revision, Uuid } from '#src/domain/ids.ts';
import type { AssetRecord, LedgerEvent } from '#src/events/ledger.ts';
import { externalAccount } from './account/open.ts';
import type { Ledger } from './ledger.ts';

export type CreateAsset = Readonly<{
  type: 'CreateAsset';
  organizationId: Uuid;
  fields: Pick<AssetRecord, 'name' | 'type' | 'code' | 'status' | 'metadata'>;
}>;

/** The assets of a ledger. Neither two codes nor two names may be equal. */
export type Assets = {
  readonly byCode: Map<string, Readonly<{ id: Uuid; name: string; revision: Revision }>>;
  readonly names: Set<string>;
};

/** An asset is born together with its external account, which stands for the world outside the ledger. */
export function createAsset(ledger: Ledger, { fields }: CreateAsset, stamp: Stamp): LedgerEvent[] {
  const { name, code, type } = fields;
  if (CURRENCIES.has(type) && !isCurrencyCode(code)) {
    throw refuse('NOT_ISO_4217', `${code} is not a currency code of ISO 4217.`, {
      findings: [{ location: 'code', message: 'is not in ISO 4217', value: code }],
    });
  }
  if (ledger.assets.byCode.has(code)) throw taken('code', code);
  if (ledger.assets.names.has(name)) throw taken('name', name);

  const asset: AssetRecord = {
    id: stamp.ids.next(),
    organizationId: ledger.organizationId,
    ledgerId: ledger.id,
    ...fields,
    createdAt: stamp.instant,
    updatedAt: stamp.instant,
    deletedAt: null,
  };
  return [{ type: 'AssetCreated', data: { asset } }, externalAccount(ledger, code, stamp)];
}

export function evolveAssets(assets: Assets, asset: AssetRecord, revision: Revision): void {
  assets.byCode.set(asset.code, { id: asset.id, name: asset.name, revision });
  assets.names.add(asset.name);
}

const CURRENCIES: ReadonlySet<string> = new Set(['currency', 'fiat']);

const taken = (location: 'name' | 'code', value: string) =>
  refuse('ASSET_TAKEN', `The ledger has an asset with the ${location} ${value}.`, {
    findings: [{ location, message: 'is taken', value }],
  });
