import type { Refusal } from '#src/kernel/errors.ts';
import { refuse, type LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type {
  AccountingEntries,
  AccountingEntry,
  EntryName,
  OperationType,
} from '#src/events/ledger/route-rules.ts';

/** Entries in a PATCH request: null removes one, and null instead of the object removes all. */
export type EntriesChanges = Readonly<Partial<Record<EntryName, AccountingEntry | null>>> | null;

export function mergedEntries(
  before: AccountingEntries | undefined,
  changes: EntriesChanges | undefined,
): AccountingEntries | undefined {
  if (changes === undefined) return before;
  if (changes === null) return undefined;
  const merged = Object.entries<AccountingEntry | null>({ ...before, ...changes });
  if (before === undefined && merged.length === 0) return {};
  return Object.fromEntries(merged.filter(([, entry]) => entry !== null));
}

/**
 * Checks that the entries fit the type of their route, rule by rule in the order of contract ledger §6.1: first entries
 * that are not allowed, then the sides, then entries that require each other. Errors: REVERT_NOT_BIDIRECTIONAL,
 * ENTRY_NOT_ALLOWED, ENTRY_SIDE_REQUIRED, HOLD_GROUP_INCOMPLETE, DIRECT_ENTRY_REQUIRED.
 */
export function checkEntries(type: OperationType, entries: AccountingEntries = {}): void {
  const there = Object.keys(entries) as EntryName[];
  if (type !== 'bidirectional' && entries.revert !== undefined) {
    throw wrong('REVERT_NOT_BIDIRECTIONAL', 'revert', `is not for a ${type} route`);
  }
  if (type === 'destination') {
    for (const name of ['hold', 'cancel'] as const) {
      if (entries[name] !== undefined) {
        throw wrong('ENTRY_NOT_ALLOWED', name, 'is not for a destination route');
      }
    }
  }
  for (const name of there) checkSides(type, name, entries[name]);

  const group = HOLD_GROUP.filter((name) => entries[name] !== undefined);
  if (type !== 'destination' && group.length > 0 && group.length < HOLD_GROUP.length) {
    const missing = HOLD_GROUP.find((name) => entries[name] === undefined) ?? 'hold';
    throw wrong('HOLD_GROUP_INCOMPLETE', missing, `is missing beside ${group.join(' and ')}`);
  }
  const needing = there.find((name) => !ALONE.has(name));
  if (needing !== undefined && entries.direct === undefined) {
    throw wrong('DIRECT_ENTRY_REQUIRED', 'direct', `is missing beside ${needing}`);
  }
}

function checkSides(
  type: OperationType,
  name: EntryName,
  entry: AccountingEntry | undefined,
): void {
  for (const side of sidesOf(type, name)) {
    if (entry?.[side]) continue;
    throw wrong('ENTRY_SIDE_REQUIRED', `${name}.${side}`, `is required on a ${type} route`);
  }
}

type Sides = readonly ('debit' | 'credit')[];
const BOTH: Sides = ['debit', 'credit'];

/** The sides that an entry must have; an entry without a rule needs only one of them. */
function sidesOf(type: OperationType, name: EntryName): Sides {
  if (type === 'bidirectional' || name === 'overdraft') return BOTH;
  return (type === 'source' ? SOURCE_SIDES : DESTINATION_SIDES)[name] ?? [];
}

const SOURCE_SIDES: Readonly<Partial<Record<EntryName, Sides>>> = {
  direct: ['debit'],
  commit: ['debit'],
  block: ['debit'],
  unblock: ['debit'],
  hold: BOTH,
  cancel: BOTH,
};

const DESTINATION_SIDES: Readonly<Partial<Record<EntryName, Sides>>> = {
  direct: ['credit'],
  commit: ['credit'],
  block: ['credit'],
  unblock: ['credit'],
};

const HOLD_GROUP = ['hold', 'commit', 'cancel'] as const;

/** Entries that do not require a `direct` entry. */
const ALONE: ReadonlySet<EntryName> = new Set(['direct', 'block', 'unblock']);

const wrong = (name: LedgerRefusalName, at: string, message: string): Refusal =>
  refuse(name, `The entry ${at} ${message}.`, {
    findings: [{ location: `accountingEntries.${at}`, message }],
  });
