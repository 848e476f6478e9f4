/** Free-form facts of the client's own: one level of scalars. */
export type Metadata = Readonly<Record<string, string | number | boolean>>;

/** The same of a transaction, where fees leave `feeExemption`, which is an object. */
export type TransactionMetadata = Readonly<Record<string, Metadata[string] | Metadata>>;

export type Status = Readonly<{ code: string; description: string | null }>;

export type Side = 'debit' | 'credit';
