import { isCompact } from '#src/kernel/compact-form.ts';
import { parseData } from '#src/kernel/event-data.ts';
import { Differs, differ, type Difference } from './difference.ts';
import { checkMetadata, type MetadataContext } from './metadata.ts';
import type { AuditRules, RulesByOpening } from './rules.ts';
import { checkSeal, GENESIS } from './seal.ts';
import { UsedKeys } from './used-keys.ts';

/** An event as it is stored; the hash covers the bytes of `data` and `metadata`. */
export type StoredText = Readonly<{
  revision: number;
  id: string;
  type: string;
  data: string;
  metadata: string;
}>;

export interface JournalVerifier {
  /** Takes the events of one journal in order; returns how an event differs, or undefined. */
  take(event: StoredText): Difference | undefined;
  summary(): Summary;
}

export type Summary = Readonly<{
  journal: string;
  events: number;
  /** The hash of the last event. Keep it to find out later whether the journal was truncated or rewritten. */
  hash: string;
  transactions: number;
  /** The number of events of each type without rules; only their hashes are checked. */
  unknown: ReadonlyMap<string, number>;
  /** Idempotency keys that were used too long ago to be compared with the latest ones. */
  forgottenKeys: number;
}>;

/**
 * Checks a journal with arithmetic that shares nothing with the rules that decided its events. The hash of the stored
 * bytes is checked before anything in them is read. Without a name, the first event names the journal. Memory: the
 * balances, the holds, about 50 bytes for each transaction, and about 50 bytes for each of the latest idempotency keys.
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
    if (isCompact(event.data) !== (context.schemaVersion === 2)) {
      differ('its data is not in the form that its metadata states');
    }
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
        // An event with a valid hash may still be unreadable, which is a difference too.
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
  const data: unknown = parseData(text);
  return typeof data === 'object' && data !== null ? data : differ('data is no JSON object');
}
