import { ledgerProjection } from '#projections/ledger/ledger.ts';
import type { Uuid } from '#src/domain/ids.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Row } from '#src/ports/read-store.ts';

/** Leaves out what went with its ledger, whose end does not name it. What has no ledger stays. */
export type LiveLedgers = Readonly<{
  lookUp: (rows: readonly Row[]) => Promise<void>;
  /** Of a row that was looked up. */
  isLeft: (row: Row) => boolean;
}>;

/** Errors as readRow. */
export async function liveLedgers(
  { context: { tenantId }, consistencyToken }: Request,
  { reads, progress }: Services,
): Promise<LiveLedgers> {
  const { collection } = ledgerProjection;
  await progress.reached(collection.name, 'ledger', consistencyToken);
  const known = new Map<Uuid, boolean>();
  return {
    async lookUp(rows) {
      const ids = new Set(rows.flatMap((row) => ledgerOf(row) ?? []));
      const unknown = [...ids].filter((id) => !known.has(id));
      const found = await Promise.all(unknown.map((id) => reads.get(collection, { id, tenantId })));
      unknown.forEach((id, n) => known.set(id, found[n] !== undefined));
    },
    isLeft(row) {
      const id = ledgerOf(row);
      return id === undefined || known.get(id) === true;
    },
  };
}

const ledgerOf = ({ body }: Row): Uuid | undefined =>
  (JSON.parse(body) as Readonly<{ ledgerId?: Uuid }>).ledgerId;
