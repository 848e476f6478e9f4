import { liveLedgerIn } from '#commands/ledger/state/journal-facts.ts';
import type { FeesOfGroup, GroupRequest } from '#commands/ledger/cross-ledger/request.ts';
import { splitGroup } from '#commands/ledger/cross-ledger/split.ts';
import { feesIn } from '#commands/ledger/transaction/apply-fees.ts';
import { postingsBySide } from '#commands/ledger/transaction/postings.ts';
import { legInOtherLedger, requestOf, scopeOf } from '#commands/ledger/transaction/v2-request.ts';
import type { JournalFact } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { feesJournal, ledgerJournal, type JournalName } from '#src/kernel/journal-name.ts';

/** Returns the public state of a journal. Errors: Refusal, Unavailable. */
type FactOf = (journal: JournalName) => Promise<JournalFact | undefined>;

/**
 * Calculates the fees of a transaction over several ledgers; undefined if there are none. The packages of the ledger that
 * has all debits apply; if the debits are in several, no fees are charged (contract registry-and-fees §B8). A refusal is
 * returned, so that the ledger refuses only a request that it has not accepted before under its key. Errors: Unavailable,
 * and those of postingsBySide.
 */
export async function feesOfGroup(
  factOf: FactOf,
  request: GroupRequest,
): Promise<FeesOfGroup | undefined> {
  const { debits, credits, locations, metadata = {}, routeId, skip } = request;
  const { organizationId, ledgerId } = scopeOf(request);
  const home = { organizationId, ledgerId };
  if (skip?.fees === true || legInOtherLedger({ debits, credits: [] }, home, locations)) return;
  const { value, sources, destinations } = postingsBySide(requestOf(request, locations), locations);
  try {
    const fees = feesIn(await factOf(feesJournal(organizationId)));
    const fact = await factOf(ledgerJournal(ledgerId));
    const ledger = liveLedgerIn(fact, organizationId);
    if (fees === undefined || ledger === undefined) return;
    const charge = fees.charge(ledgerId, {
      ...{ value, routeId, metadata },
      from: sources.map(({ alias, amount }) => {
        return { alias, segmentId: ledger.accountNamed(alias)?.segmentId, amount };
      }),
      to: destinations.map(({ alias, amount }, n) => {
        const isHome = legInOtherLedger({ debits: [], credits: [credits[n]!] }, home, locations);
        const account = isHome === undefined ? ledger.accountNamed(alias) : undefined;
        return { alias, segmentId: account?.segmentId, amount };
      }),
      hasAccount: (alias) => ledger.accountNamed(alias) !== undefined,
    });
    if (charge === undefined) return;
    const found = { charge, revision: fees.revision };
    splitGroup(request, found); // Fees may refuse what was accepted without them.
    return found;
  } catch (error) {
    if (error instanceof Refusal) return { refused: error };
    throw error;
  }
}
