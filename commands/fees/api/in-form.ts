import { requireLedger, requireOrganization } from '#commands/ledger/api/parents.ts';
import { journalOfFees, type FeesCommand } from '#commands/fees/fees.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { mustNotBeNil, type FeeForm, type PathInForm } from '#src/resources/fees/forms.ts';

/**
 * Requires the parents that the path names; the header form names none. Errors: PATH_INVALID for the nil UUID as ledger,
 * ORGANIZATION_NOT_FOUND, LEDGER_NOT_FOUND.
 */
export async function requireParents(
  form: FeeForm,
  request: Pick<Request, 'path' | 'context'>,
  { commands }: Pick<Services, 'commands'>,
): Promise<void> {
  if (form === 'header') return;
  const { organization_id: organizationId, ledger_id: ledgerId } = request.path as PathInForm;
  mustNotBeNil(ledgerId);
  await requireOrganization(commands, request, organizationId);
  if (ledgerId !== undefined) await requireLedger(commands, request, organizationId, ledgerId);
}

/**
 * Submits a command to the fees journal of the organization. An idempotency key belongs to `keyedBy`, the ledger of a
 * creation; without a key, the request itself never is one. Errors: Refusal, Unavailable.
 */
export async function submitToFees(
  request: Request,
  { commands }: Pick<Services, 'commands'>,
  command: FeesCommand,
  keyedBy?: Uuid,
) {
  const { organization_id: organizationId } = request.path as PathInForm;
  const journal = journalOfFees(organizationId);
  const { idempotency } = request;
  const isKeyed = keyedBy !== undefined && idempotency !== undefined;
  const outcome = isKeyed
    ? await commands.submit(
        { ...request, idempotency: { ...idempotency, key: `${keyedBy} ${idempotency.key}` } },
        journal,
        command,
        'keyed',
      )
    : await commands.submit(request, journal, command);
  return { ...outcome, token: { [journal.name]: outcome.revision } };
}
