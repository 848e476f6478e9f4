import { Refusal } from '#src/kernel/errors.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Journals } from '#src/journal/journals.ts';
import { journalOfStreaming } from '#commands/streaming/streaming.ts';

/** Disables a subscription of a tenant; one that is paused or deleted stays as it is. Errors: Unavailable. */
export type DisableSubscriptions = (tenantId: string, id: Uuid) => Promise<void>;

export const createDisableSubscriptions =
  (journals: Pick<Journals, 'submit'>, ids: Ids): DisableSubscriptions =>
  async (tenantId, id) => {
    try {
      await journals.submit(journalOfStreaming(tenantId), {
        command: { type: 'SetSubscriptionStatus', id, status: 'disabled' },
        context: { actor: DELIVERY, tenantId, requestId: ids.next() },
        idempotency: undefined,
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // It was deleted meanwhile.
    }
  };

const DELIVERY = { type: 'system', id: 'delivery' } as const;
