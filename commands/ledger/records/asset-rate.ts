import type { Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { mergedMetadata, patched, type MetadataChanges } from '#src/kernel/patch.ts';
import type { AssetRateRecord, LedgerEvent } from '#src/events/ledger/ledger.ts';
import { beforeImage, needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';

/** Absent members get their defaults, except the external id and the metadata, which stay as they are. */
export type PutAssetRate = Readonly<{
  type: 'PutAssetRate';
  organizationId: Uuid;
  fields: Pick<AssetRateRecord, 'from' | 'to' | 'rate' | 'scale' | 'source' | 'ttl'>;
  externalId?: Uuid | undefined;
  metadata?: MetadataChanges | undefined;
}>;

export function needsAssetRate(
  { rates }: Ledger,
  { fields: { from, to } }: PutAssetRate,
  facts: Facts,
): Needs | undefined {
  const known = rates.get(pairOf(from, to));
  return known === undefined ? undefined : needsBeforeImages(facts, known);
}

/**
 * Creates or replaces the only rate from one asset to another. The assets need not exist, and no transaction converts
 * with the rate. Putting an equal rate is recorded as well, because it restarts the time to live.
 */
export function putAssetRate(
  ledger: Ledger,
  { fields, externalId, metadata }: PutAssetRate,
  facts: Facts,
  stamp: Stamp,
): LedgerEvent {
  const { instant } = stamp;
  const known = ledger.rates.get(pairOf(fields.from, fields.to));
  if (known === undefined) {
    const assetRate = created(ledger, fields, externalId ?? stamp.ids.next(), metadata, stamp);
    checkRecordSize(assetRate);
    return { type: 'AssetRateCreated', data: { assetRate } };
  }
  const before = beforeImage('assetRate', known, facts);
  const changes = {
    ...fields,
    externalId: externalId ?? before.externalId,
    metadata: mergedMetadata(before.metadata, metadata),
  };
  const { record, changed } = patched<AssetRateRecord>(before, changes, instant);
  checkRecordSize(record);
  return {
    type: 'AssetRateUpdated',
    data: { assetRate: { ...record, updatedAt: instant }, changed },
  };
}

export function evolveAssetRate(
  rates: Map<string, Revision>,
  { from, to }: AssetRateRecord,
  revision: Revision,
): void {
  rates.set(pairOf(from, to), revision);
}

function created(
  { id: ledgerId, organizationId }: Ledger,
  { from, to, rate, scale, source, ttl }: PutAssetRate['fields'],
  externalId: Uuid,
  changes: MetadataChanges | undefined,
  { ids, instant }: Stamp,
): AssetRateRecord {
  for (const [key, value] of Object.entries(changes ?? {})) {
    if (value === null) throw nothingToRemove(key);
  }
  const metadata = mergedMetadata(undefined, changes);
  const own = { id: ids.next(), organizationId, ledgerId, externalId };
  return {
    ...own,
    ...{ from, to, rate, scale, source, ttl },
    ...(metadata && { metadata }),
    createdAt: instant,
    updatedAt: instant,
  };
}

const nothingToRemove = (key: string) =>
  refuse('METADATA_NESTED', `metadata.${key} is null, and there is nothing to remove yet.`, {
    findings: [
      {
        location: `metadata.${key}`,
        message: 'must be a string, a number or a boolean',
        value: null,
      },
    ],
  });

/** Codes consist of letters only, so `/` separates them. */
const pairOf = (from: string, to: string): string => `${from}/${to}`;
