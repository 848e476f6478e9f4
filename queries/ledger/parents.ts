import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { organizationProjection } from '#projections/ledger/organization.ts';
import { ledgerNotFound, organizationNotFound } from '#src/events/ledger/absent.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';

/* Nothing is found below an organization or a ledger that was deleted or belongs to another tenant. */

type Needed = Pick<Services, 'existence'>;

/** Errors: Refusal ORGANIZATION_NOT_FOUND. */
export async function requireOrganization(
  { existence }: Needed,
  request: Request,
  id: Uuid,
): Promise<void> {
  const { collection } = organizationProjection;
  const journal = organizationJournal(id);
  const found = await existence.exists(request, { collection, journal, where: { id } });
  if (!found) throw organizationNotFound();
}

/** Errors: Refusal ORGANIZATION_NOT_FOUND, LEDGER_NOT_FOUND (also for a ledger of another organization). */
export async function requireLedger(
  services: Needed,
  request: Request,
  organizationId: Uuid,
  id: Uuid,
): Promise<void> {
  await requireOrganization(services, request, organizationId);
  const { collection } = ledgerProjection;
  const journal = ledgerJournal(id);
  const where = { id, organizationId };
  const found = await services.existence.exists(request, { collection, journal, where });
  if (!found) throw ledgerNotFound();
}
