import { accountProjection } from '#projections/ledger/account.ts';
import { recordProjection } from '#projections/record.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import type { AccountTarget } from '#src/events/fees/billing-package.ts';
import { refuse } from '#src/events/fees/refusals.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { Projection } from '#src/ports/projection.ts';
import type { Row } from '#src/ports/read-store.ts';
import { portfolioResource } from '#src/resources/ledger/portfolio.ts';
import { segmentResource } from '#src/resources/ledger/segment.ts';

const portfolios = recordProjection(portfolioResource);
const segments = recordProjection(segmentResource);

/**
 * Returns the aliases of the live accounts of a ledger that a package targets; undefined for more than `most`. Errors:
 * BILLING_ACCOUNT_NOT_FOUND, BILLING_SEGMENT_UNRESOLVED, or as readRow.
 */
export async function targetAccounts(
  request: Request,
  services: Services,
  ledgerId: Uuid,
  target: AccountTarget,
  most: number,
): Promise<readonly string[] | undefined> {
  const { reads, progress } = services;
  const { tenantId } = request.context;
  const find = async ({ collection }: Projection, where: object): Promise<Row | undefined> => {
    await progress.reached(collection.name, ledgerJournal(ledgerId), request.consistencyToken);
    return reads.get(collection, { tenantId, ledgerId, ...where });
  };

  if ('aliases' in target) {
    for (const alias of target.aliases) {
      if ((await find(accountProjection, { alias })) !== undefined) continue;
      throw refuse('BILLING_ACCOUNT_NOT_FOUND', `The ledger has no account ${alias}.`);
    }
    return target.aliases.length > most ? undefined : target.aliases;
  }
  if ('segmentId' in target && (await find(segments, { id: target.segmentId })) === undefined) {
    throw refuse('BILLING_SEGMENT_UNRESOLVED', `The ledger has no segment ${target.segmentId}.`);
  }
  if (
    'portfolioId' in target &&
    (await find(portfolios, { id: target.portfolioId })) === undefined
  ) {
    throw refuse('BILLING_ACCOUNT_NOT_FOUND', `The ledger has no portfolio ${target.portfolioId}.`);
  }
  const { collection } = accountProjection;
  await progress.reached(collection.name, ledgerJournal(ledgerId), request.consistencyToken);
  const [[key, id] = ['', '']] = Object.entries<string>(target);
  const aliases: string[] = [];
  for (let after: Row['born'] | undefined; ;) {
    const rows = await reads.list(collection, {
      where: { tenantId, ledgerId },
      filters: [{ key, is: id }],
      order: 'asc',
      limit: ROWS,
      ...(after !== undefined && { after }),
    });
    for (const { body } of rows) aliases.push((JSON.parse(body) as AccountRecord).alias);
    if (aliases.length > most) return undefined;
    if (rows.length < ROWS) return aliases;
    after = rows.at(-1)?.born;
  }
}

const ROWS = 500;
