/** Free-form facts of the client's own: one level of scalars. */
export type Metadata = Readonly<Record<string, string | number | boolean>>;

export type Status = Readonly<{ code: string; description: string | null }>;

export type Side = 'debit' | 'credit';
