import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { ledgerJournal, type JournalName } from '#src/kernel/journal-name.ts';
import { streamed, type ConsistencyToken } from '#src/http/reply.ts';
import { route } from '#src/http/route.ts';
import type { Services } from '#src/http/services.ts';
import { journalEventSchema, journalLine } from '#src/resources/ledger/journal.ts';
import { requireLedger } from './parents.ts';

export const journalReadRoutes = [
  route({
    operationId: 'readLedgerJournal',
    summary: 'Read the events of a ledger, one a line, as they are stored',
    description:
      'Streams them in the order of their revisions, to the end of the journal. To read on later, send the last ' +
      'revision plus 1 as `from_revision`. Reads the log itself, which is never behind a write.',
    tag: 'Journal',
    method: 'get',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/journal',
    permission: 'journal:get',
    entityType: 'Journal',
    media: 'application/x-ndjson',
    filters: {
      from_revision: { type: 'integer', minimum: 0, description: 'The first one wanted; 0' },
      limit: { type: 'integer', minimum: 1, description: 'How many at most; all there are' },
    },
    replies: { 200: journalEventSchema },
    refusals: ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'],

    handle: async (request, services) => {
      const { log } = services;
      const { organization_id: organizationId, ledger_id: ledgerId } = request.path;
      const { from_revision: from = 0, limit = Number.POSITIVE_INFINITY } = request.query;
      await requireLedger(services, request, organizationId, ledgerId);
      const journal = ledgerJournal(ledgerId);
      await mustHold(log, journal, request.consistencyToken);
      return streamed(linesOf(log, journal, from, limit), 'application/x-ndjson');
    },
  }),
];

/**
 * Refuses a consistency token whose revision the log lacks: reads of the log are never stale, so waiting cannot help.
 */
async function mustHold(log: Services['log'], journal: JournalName, token: ConsistencyToken = {}) {
  const seen = token[journal];
  if (seen === undefined || (await log.read(journal, seen, 1)).length === 1) return;
  throw refuse('UNAVAILABLE', `The journal has no revision ${seen}.`);
}

/**
 * Reads a few lines at a time, on demand, because the log is read in the thread that serves all requests. Ends at the
 * journal's end as of the last read.
 */
async function* linesOf(
  log: Services['log'],
  journal: JournalName,
  from: Revision,
  limit: number,
): AsyncIterable<string> {
  let next = from;
  let left = limit;
  let fit = EVENTS_FIRST;
  while (left > 0) {
    const wanted = Math.min(fit, left);
    const events = await log.read(journal, next, wanted);
    if (events.length === 0) return;
    const text = events.map(journalLine).join('');
    yield text;
    if (events.length < wanted) return;
    next += events.length;
    left -= events.length;
    fit = fitting(text.length / events.length);
  }
}

/** The number of events of this size that are read within a millisecond; a single one may have 900 KB. */
const fitting = (characters: number): number =>
  Math.max(1, Math.min(EVENTS_MAX, Math.floor(CHUNK_CHARACTERS / characters)));

const EVENTS_FIRST = 16;
const EVENTS_MAX = 128;
const CHUNK_CHARACTERS = 128 * 1024;
