import { ledgerProjection } from '#projections/ledger/ledger.ts';
import type { Stretch } from '#queries/paging.ts';
import { scan } from '#queries/scan.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Walked } from '#src/ports/page.ts';
import type { Row } from '#src/ports/read-store.ts';

type Reader = (stretch: Stretch) => Promise<readonly Row[]>;
type Walker = (stretch: Stretch) => Promise<Walked<Row>>;

/**
 * Keeps the organization's own rows and those of live ledgers. The rows of a deleted ledger still exist but are out of
 * reach everywhere (contract ledger §13). Errors: as readRow.
 */
export async function ofLiveLedgers(
  request: Request<Readonly<{ organization_id: Uuid }>>,
  { reads, progress }: Services,
  read: Reader,
): Promise<Walker> {
  const { path, consistencyToken, caller } = request;
  const { tenantId } = request.context;
  const { collection } = ledgerProjection;
  await progress.reached(collection.name, 'ledger', consistencyToken);
  const liveness = new Map<Uuid, Promise<boolean>>();
  const isLive = (id: Uuid): Promise<boolean> => {
    const where = { id, organizationId: path.organization_id, tenantId };
    const answer =
      liveness.get(id) ?? reads.get(collection, where).then((row) => row !== undefined);
    liveness.set(id, answer);
    return answer;
  };
  const judged = async (stretch: Stretch) =>
    Promise.all(
      (await read(stretch)).map(async (row) => {
        const { ledgerId } = JSON.parse(row.body) as Readonly<{ ledgerId?: Uuid }>;
        return { ...row, live: ledgerId === undefined || (await isLive(ledgerId)) };
      }),
    );
  return scan(judged, ({ live }) => live, caller);
}
