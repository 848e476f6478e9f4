import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import { intact } from '#src/ports/intact.ts';
import { badToken } from './headers.ts';
import type { Request } from './request.ts';

/** Lets a consistency token name journals of its sender's tenant only. */
export type OwnJournals = Readonly<{
  /**
   * A journal of another tenant is refused like one that does not exist, because waiting for it would tell how far it
   * has come. Errors: QUERY_INVALID, Unavailable, Damaged.
   */
  mustHave: (request: Pick<Request, 'consistencyToken' | 'context'>) => Promise<void>;
}>;

export function createOwnJournals(log: Pick<EventStore, 'read'>): OwnJournals {
  /** The tenant of a journal never changes. */
  const owners = new Map<string, string>();

  const ownerOf = async (journal: string): Promise<string | undefined> => {
    const known = owners.get(journal);
    if (known !== undefined || !JOURNAL.test(journal)) return known;
    const [first] = await log.read(journal, 0, 1);
    if (first === undefined) return undefined;
    const { tenantId } = JSON.parse(intact(first).metadata) as EventMetadata;
    if (owners.size >= KNOWN_MAX) owners.clear();
    owners.set(journal, tenantId);
    return tenantId;
  };

  return {
    async mustHave({ consistencyToken = {}, context }) {
      for (const journal of Object.keys(consistencyToken)) {
        if ((await ownerOf(journal)) !== context.tenantId) throw badToken();
      }
    },
  };
}

/** Servers have streams of their own, whose names begin with a dollar sign. */
const JOURNAL = /^[a-z]+-/;
const KNOWN_MAX = 50_000;
