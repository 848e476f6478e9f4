import type { LedgerRecords } from '#commands/ledger/records/declared.ts';

/** Several records of one kind, as decisions know them. */
export type RecordsChunk = Readonly<{ kind: keyof LedgerRecords; rows: readonly object[] }>;

/** A thousand records per chunk; the texts of a record have at most 256 characters. */
export function* recordsToSnapshot(records: LedgerRecords): Iterable<string> {
  for (const kind of Object.keys(records) as (keyof LedgerRecords)[]) {
    const rows: readonly object[] = [...records[kind].all()];
    for (let from = 0; from < rows.length; from += RECORDS_PER_CHUNK) {
      const some: RecordsChunk = { kind, rows: rows.slice(from, from + RECORDS_PER_CHUNK) };
      yield JSON.stringify(some);
    }
  }
}

export function recordsFromSnapshot(records: LedgerRecords, { kind, rows }: RecordsChunk): void {
  for (const row of rows) records[kind].put(row as never); // The kind that they were read from.
}

const RECORDS_PER_CHUNK = 1_000;
