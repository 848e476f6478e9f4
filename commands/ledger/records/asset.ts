import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { externalAlias } from '#src/kernel/external-alias.ts';
import { isCurrencyCode } from '#src/kernel/iso-4217.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import {
  ifChanged,
  patched,
  patchedStatus,
  replacedMetadata,
  type MetadataChanges,
  type StatusChanges,
} from '#src/kernel/patch.ts';
import type { AssetRecord, LedgerEvent } from '#src/events/ledger/ledger.ts';
import { accountDeleted, accountImageRevisions } from '#commands/ledger/account/delete.ts';
import { externalAccount } from '#commands/ledger/account/account-opened.ts';
import { beforeImage, needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import { checkRecordSize } from '#commands/ledger/state/record-size.ts';
import type { Asset, Assets, Ledger } from '#commands/ledger/state/ledger-state.ts';
import { newRecord, deletedRecord } from './record-life.ts';
import { isEmpty, type Account } from '#commands/ledger/state/book.ts';

export type CreateAsset = Readonly<{
  type: 'CreateAsset';
  organizationId: Uuid;
  fields: Pick<AssetRecord, 'name' | 'type' | 'code' | 'status' | 'metadata'>;
}>;

/** Metadata are replaced. */
export type UpdateAsset = Readonly<{
  type: 'UpdateAsset';
  organizationId: Uuid;
  assetId: Uuid;
  changes: Readonly<{
    name?: string | undefined;
    status?: StatusChanges | undefined;
    metadata?: MetadataChanges | undefined;
  }>;
}>;

export type DeleteAsset = Readonly<{ type: 'DeleteAsset'; organizationId: Uuid; assetId: Uuid }>;

export type AssetCommand = CreateAsset | UpdateAsset | DeleteAsset;

export function needsAsset(ledger: Ledger, command: AssetCommand, facts: Facts): Needs | undefined {
  if (command.type === 'CreateAsset') return undefined;
  const asset = ledger.assets.byId.get(command.assetId);
  if (asset === undefined) return undefined;
  if (command.type === 'UpdateAsset') return needsBeforeImages(facts, asset.revision);
  return needsBeforeImages(facts, asset.revision, ...accountImageRevisions(outside(ledger, asset)));
}

/** An asset is born together with its external account, which stands for the world outside the ledger. */
export function createAsset(ledger: Ledger, { fields }: CreateAsset, stamp: Stamp): LedgerEvent[] {
  const { name, code, type } = fields;
  if (CURRENCIES.has(type) && !isCurrencyCode(code)) {
    throw refuse('NOT_ISO_4217', `${code} is not a currency code of ISO 4217.`, {
      findings: [{ location: 'code', message: 'is not in ISO 4217', value: code }],
    });
  }
  if (ledger.assets.codes.has(code)) throw taken('code', code);
  if (ledger.assets.names.has(name)) throw taken('name', name);

  const asset: AssetRecord = newRecord(ledger, fields, stamp);
  checkRecordSize(asset);
  return [{ type: 'AssetCreated', data: { asset } }, externalAccount(ledger, code, stamp)];
}

/** Whatever its status says, an asset stops no movement. */
export function updateAsset(
  { assets }: Ledger,
  { assetId, changes }: UpdateAsset,
  facts: Facts,
  { instant }: Stamp,
): Decision<LedgerEvent> {
  const known = assets.byId.get(assetId) ?? notFound();
  const { name = known.name, status, metadata } = changes;
  if (name !== known.name && assets.names.has(name)) throw taken('name', name);

  const before = beforeImage('asset', known.revision, facts);
  const patch = {
    name,
    status: patchedStatus(before.status, status),
    ...(metadata !== undefined && { metadata: replacedMetadata(metadata) }),
  };
  const { record: asset, changed } = patched<AssetRecord>(before, patch, instant);
  checkRecordSize(asset);
  return ifChanged({ type: 'AssetUpdated', data: { asset, changed } });
}

/** Its external account goes with it; no other account may hold it. */
export function deleteAsset(
  ledger: Ledger,
  { assetId }: DeleteAsset,
  facts: Facts,
  { instant }: Stamp,
): LedgerEvent[] {
  const known = ledger.assets.byId.get(assetId) ?? notFound();
  const account = outside(ledger, known);
  if (ledger.book.accountsHolding(known.code) > 1) {
    throw refuse('BALANCE_BLOCKS_DELETION', `Accounts of the ledger hold ${known.code}.`);
  }
  if (!account.balances.every(isEmpty)) {
    throw refuse('BALANCE_BLOCKS_DELETION', `The balance of ${account.alias} is not zero.`);
  }
  const asset = deletedRecord(beforeImage('asset', known.revision, facts), instant);
  return [accountDeleted(account, facts, instant), { type: 'AssetDeleted', data: { asset } }];
}

/** The account that was born with the asset: protected, so it is there as long as the asset is. */
function outside({ book }: Ledger, { code }: Asset): Account {
  const account = book.account(externalAlias(code));
  if (account === undefined) throw new Error(`The asset ${code} has no external account`);
  return account;
}

export function evolveAssets(assets: Assets, record: AssetRecord, revision: Revision): void {
  const { id, code, name } = record;
  removeAsset(assets, id);
  putAsset(assets, { id, code, name, revision });
}

export function putAsset({ byId, codes, names }: Assets, asset: Asset): void {
  byId.set(asset.id, asset);
  codes.add(asset.code);
  names.add(asset.name);
}

export function removeAsset({ byId, codes, names }: Assets, id: Uuid): void {
  const asset = byId.get(id);
  if (asset === undefined) return;
  byId.delete(id);
  codes.delete(asset.code);
  names.delete(asset.name);
}

const CURRENCIES: ReadonlySet<string> = new Set(['currency', 'fiat']);

const taken = (location: 'name' | 'code', value: string) =>
  refuse('ASSET_TAKEN', `The ledger has an asset with the ${location} ${value}.`, {
    findings: [{ location, message: 'is taken', value }],
  });

function notFound(): never {
  throw refuse('NOT_FOUND', 'There is no such asset.');
}
