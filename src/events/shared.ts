import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { ValueName } from '#src/kernel/unique-values.ts';

/** Free-form facts of the client's own: one level of scalars. */
export type Metadata = Readonly<Record<string, string | number | boolean>>;

/** The same of a transaction, where fees leave `feeExemption`, which is an object. */
export type TransactionMetadata = Readonly<Record<string, Metadata[string] | Metadata>>;

export type Status = Readonly<{ code: string; description: string | null }>;

export type Side = 'debit' | 'credit';

/**
 * Values that records had before they had to be unique, claimed for them; see docs/adr/0020. `at`: where the record was
 * seen. That of operations is their transaction. Of none: whoever writes after it knows of the index.
 */
export type MetadataClaimed = Readonly<{
  type: 'MetadataClaimed';
  data: Readonly<{
    entityName: string;
    metadataKey: string;
    records: readonly Readonly<{ id: Uuid; at: Revision; names: readonly ValueName[] }>[];
  }>;
}>;
