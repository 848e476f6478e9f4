import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { ValueName } from '#src/kernel/unique-values.ts';

/** Free-form data of the client: one level of scalars. */
export type Metadata = Readonly<Record<string, string | number | boolean>>;

/** The metadata of a transaction, in which the fee engine writes the object `feeExemption`. */
export type TransactionMetadata = Readonly<Record<string, Metadata[string] | Metadata>>;

export type Status = Readonly<{ code: string; description: string | null }>;

export type Side = 'debit' | 'credit';

/**
 * Claims values that records had before the index required them to be unique; see docs/adr/0020. `at`: the revision at
 * which the record was read; operations use that of their transaction. Without records, it only ensures that every
 * later writer knows of the index.
 */
export type MetadataClaimed = Readonly<{
  type: 'MetadataClaimed';
  data: Readonly<{
    entityName: string;
    metadataKey: string;
    records: readonly Readonly<{ id: Uuid; at: Revision; names: readonly ValueName[] }>[];
  }>;
}>;

export type Address = Readonly<{
  line1: string;
  line2: string | null;
  zipCode: string;
  city: string;
  state: string;
  country: string;
  description?: string;
}>;
