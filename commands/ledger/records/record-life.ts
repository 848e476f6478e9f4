import type { Stamp } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';

type NewRecordFields = Readonly<{
  id: Uuid;
  organizationId: Uuid;
  ledgerId: Uuid;
  createdAt: Instant;
  updatedAt: Instant;
  deletedAt: null;
}>;

/** Adds the id, ledger and times of a new record to its fields. */
export const newRecord = <Fields extends object>(
  ledger: Pick<Ledger, 'id' | 'organizationId'>,
  fields: Fields,
  { ids, instant }: Stamp,
): NewRecordFields & Fields => ({
  id: ids.next(),
  organizationId: ledger.organizationId,
  ledgerId: ledger.id,
  ...fields,
  createdAt: instant,
  updatedAt: instant,
  deletedAt: null,
});

/** Marks a record as deleted. */
export const deletedRecord = <Record extends object>(before: Record, at: Instant) => ({
  ...before,
  updatedAt: at,
  deletedAt: at,
});
