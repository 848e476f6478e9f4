/** What a release answered over the data folder it left; `expected.json` beside the folder's files. */
export type Expected = Readonly<{
  release: string;
  reads: readonly Readonly<{ path: string; status: number; body: unknown }>[];
  /** A request with a key, and the very bytes of its first answer. */
  keyed: Readonly<{ path: string; key: string; body: unknown; answer: string }>;
  /** A transfer that the folder's balances still allow. */
  next: Readonly<{ path: string; body: unknown }>;
}>;

/** Everything a data folder keeps beside its lock. */
export const FILES = ['log.db', 'read.db', 'index.db', 'snapshots.db'] as const;
