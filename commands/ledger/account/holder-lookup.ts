import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import type { Facts, JournalFact, Needs } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { registryJournal } from '#src/kernel/journal-name.ts';
import type { LiveHolders } from '#src/kernel/live-holders.ts';

type HoldersFact = JournalFact & LiveHolders;

/**
 * Looks up the registry of the ledger's organization, which knows its holders; undefined if that is not necessary. The
 * organization's own holder always exists, and every ledger has its id.
 */
export function needsRegistry(
  { is, organizationId, holderId }: Ledger,
  id: Uuid,
  facts: Facts,
): Needs | undefined {
  if (is !== 'live' || id === holderId) return undefined;
  const journal = registryJournal(organizationId);
  return facts.journal(journal) === undefined ? { journals: [journal] } : undefined;
}

/** Returns whether an account of the ledger may name this holder. */
export function isLiveHolder(
  { organizationId, holderId }: Ledger,
  id: Uuid,
  facts: Facts,
): boolean {
  if (id === holderId) return true;
  const registry = facts.journal(registryJournal(organizationId));
  if (registry === undefined) throw new Error('The registry was not looked up');
  return registry?.live === true && (registry as HoldersFact).isLive(id);
}
