import { journalOfStreaming } from '#commands/streaming/streaming.ts';
import type { Journals } from '#src/journal/journals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Ids } from '#src/ports/ids.ts';

/** Records that a replay of a tenant is completed, once. Errors: Unavailable. */
export type CompleteReplay = (tenantId: string, id: Uuid) => Promise<void>;

export const createCompleteReplay =
  (journals: Pick<Journals, 'submit'>, ids: Ids): CompleteReplay =>
  async (tenantId, id) => {
    await journals.submit(journalOfStreaming(tenantId), {
      command: { type: 'CompleteReplay', id },
      context: { actor: RELAY, tenantId, requestId: ids.next() },
      idempotency: undefined,
    });
  };

const RELAY = { type: 'system', id: 'relay' } as const;
