import { isLiveIn } from '#commands/ledger/state/journal-facts.ts';
import { ledgerNotFound, organizationNotFound } from '#src/events/ledger/absent.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import type { Request } from '#src/http/request.ts';
import type { Route } from '#src/http/route.ts';
import type { Commands } from '#src/http/submit.ts';

type FactSource = Pick<Commands, 'fact'>;
type WithContext = Pick<Request, 'context'>;

/** Errors: Refusal ORGANIZATION_NOT_FOUND when the organization is unknown or deleted. */
export async function requireOrganization(
  commands: FactSource,
  request: WithContext,
  id: Uuid,
): Promise<void> {
  const fact = await commands.fact(request, organizationJournal(id));
  if (fact?.live !== true) throw organizationNotFound();
}

/** Checks once for many commands, each of which would be refused. Errors: Refusal LEDGER_NOT_FOUND. */
export async function requireLedger(
  commands: FactSource,
  request: WithContext,
  organizationId: Uuid,
  id: Uuid,
): Promise<void> {
  const fact = await commands.fact(request, ledgerJournal(id));
  if (!isLiveIn(fact, organizationId)) throw ledgerNotFound();
}

/**
 * Requires the organization and the ledger that a path names; undefined for a path that names neither. A ledger's
 * settings are part of it, so their operation itself reports that the ledger is not found (contract ledger §1.10).
 */
export function parentsCheck(path: string): Route['admit'] {
  if (!path.includes('{organization_id}/')) return undefined;
  const hasLedger = path.includes('{ledger_id}/') && !path.endsWith('{ledger_id}/settings');
  return async (request, { commands }) => {
    const { organization_id: organizationId, ledger_id: ledgerId } = request.path as ParentIds;
    await requireOrganization(commands, request, organizationId);
    if (hasLedger) await requireLedger(commands, request, organizationId, ledgerId);
  };
}

type ParentIds = Readonly<{ organization_id: Uuid; ledger_id: Uuid }>;
