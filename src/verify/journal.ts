import { Differs, differ, type Difference } from './difference.ts';
import { checkMetadata, type MetadataContext } from './metadata.ts';
import type { AuditRules, RulesByOpening } from './rules.ts';
import { checkSeal, GENESIS } from './seal.ts';
import { UsedKeys } from './used-keys.ts';

/** An event as it is stored; `data` and `metadata` are the very bytes the hash covers. */
export type StoredText = Readonly<{
  revision: number;
  id: string;
  type: string;
  data: string;
  metadata: string;
}>;

export interface JournalVerifier {
  /** Takes the events of one journal in order; answers what is wrong with this one, if anything is. */
  take(event: StoredText): Difference | undefined;
  summary(): Summary;
}

export type Summary = Readonly<{
  journal: string;
  events: number;
  /** The hash of the last event. Kept, it shows later whether the journal was truncated or rewritten. */
  hash: string;
  transactions: number;
  /** Types this program has no rules for, and how many of each: their hashes are checked, no more. */
  unknown: ReadonlyMap<string, number>;
  /** Idempotency keys that were used too long ago to be compared with the latest ones. */
  forgottenKeys: number;
}>;

/**
 * Checks a journal with the auditor's own arithmetic: nothing here is shared with what decided the events. The
 * hash comes first, over the stored bytes, before anything in them is read. Without a name the journal is named
 * by its first event. Memory: the balances, what is on hold, some 50 bytes a transaction, and the latest idempotency
 * keys, some 50 bytes each.
 */
export function createJournalVerifier(audit: RulesByOpening, name?: string): JournalVerifier {
  let journal = name ?? 'journal';
  let next = 0;
  let hash = GENESIS;
  let context: MetadataContext | undefined;
  let rules: AuditRules | undefined;
  const unknown = new Map<string, number>();
  const usedKeys = new UsedKeys();

  const check = (event: StoredText): void => {
    if (event.revision !== next) differ(`revision ${next} was to follow`);
    hash = checkSeal(event, hash);
    context = checkMetadata(event.id, event.metadata, context);
    if (context.keyed) usedKeys.take(context.keyed, event.type, event.revision);
    const data = objectIn(event.data);
    if (next === 0) {
      rules = Object.hasOwn(audit, event.type) ? audit[event.type]?.() : undefined;
      journal = rules?.open(data, name) ?? journal;
    }
    if (rules?.apply(event.type, data) !== true) {
      unknown.set(event.type, (unknown.get(event.type) ?? 0) + 1);
    }
    next += 1;
  };

  return {
    take(event) {
      try {
        check(event);
        return undefined;
      } catch (error) {
        // A hash that fits does not make an event readable: what cannot be read is a difference too.
        const what = error instanceof Differs ? error.message : `cannot be read: ${String(error)}`;
        return { journal, revision: event.revision, eventId: event.id, what };
      }
    },
    summary: () => ({
      journal,
      events: next,
      hash,
      transactions: rules?.transactions() ?? 0,
      unknown,
      forgottenKeys: usedKeys.forgotten,
    }),
  };
}

function objectIn(text: string): object {
  const data: unknown = JSON.parse(text);
  return typeof data === 'object' && data !== null ? data : differ('data is no JSON object');
}
