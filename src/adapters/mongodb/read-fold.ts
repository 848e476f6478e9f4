import { START, type Position } from '#src/ports/event-store.ts';
import type { Change, RowEntry, Put } from '#src/ports/read-store.ts';
import {
  entryBorn,
  metadataOf,
  type RowOrTombstone,
  type StoredEntry,
  type StoredRow,
  type DocumentValues,
} from './read-layout.ts';

/**
 * Applies to a row the changes above its previous position; returns undefined when it stays unchanged. A removed row
 * stays removed.
 */
export function fold(
  before: RowOrTombstone | undefined,
  changes: readonly Change[],
): RowOrTombstone | undefined {
  if (before !== undefined && 'gone' in before) return undefined;
  const last = before?.pos ?? START;
  let row: StoredRow | undefined = before;
  for (const change of changes) {
    const { position } = change;
    if (position <= last) continue;
    if ('remove' in change) return { _id: change.remove.id, gone: position };
    if ('put' in change) row = placed(row, change.put, position);
    else if (row !== undefined) {
      row = { ...row, pos: position, ...valuesOf({ ...row.v, ...change.set.values }) };
    }
  }
  return row === before ? undefined : row;
}

/** The values to set on a row that has no other changes. */
export type Setting = Readonly<{ _id: string; pos: Position; v: DocumentValues }>;

/** Combines several sets of a row into one. */
export function foldSets(_id: string, changes: readonly Change[]): Setting {
  let pos = START;
  let v: DocumentValues = {};
  for (const change of changes) {
    if (!('set' in change)) throw new Error('Only sets are folded without their row');
    pos = change.position;
    v = { ...v, ...change.set.values };
  }
  return { _id, pos, v };
}

/** Replaces a row; it keeps its `born`, and so does each existing entry. */
function placed(row: StoredRow | undefined, put: Put, pos: Position): StoredRow {
  const { body } = put;
  const metadata = metadataOf(body);
  return {
    _id: put.id,
    pos,
    born: row?.born ?? put.born,
    k: present(put.keys),
    ...valuesOf({ ...row?.v, ...put.values }),
    body,
    ...(metadata.length > 0 && { m: metadata }),
    ...entriesOf(row, put),
  };
}

function entriesOf(
  row: StoredRow | undefined,
  put: Put,
): Pick<StoredRow, 'e' | 'late' | 'lateBorn'> {
  const first = [...(row?.e ?? [])];
  const late = [...(row?.late ?? [])];
  const isFirst = row === undefined || put.born === row.born;
  let lateBorn = row?.lateBorn;
  for (const entry of put.entries ?? []) {
    if (updateFacts(first, entry) || updateFacts(late, entry)) continue;
    if (isFirst) {
      first.push(stored(entry, put));
    } else {
      lateBorn ??= put.born;
      if (lateBorn !== put.born) throw new Error(`Row ${put.id} has entries in three places`);
      late.push(stored(entry, put));
    }
  }
  return {
    ...(first.length > 0 && { e: first }),
    ...(late.length > 0 && lateBorn !== undefined && { late, lateBorn }),
  };
}

/** Updates the facts of an existing entry; returns false if there is none. */
function updateFacts(entries: StoredEntry[], { at, ordinal, facts }: RowEntry): boolean {
  const n = entries.findIndex((entry) => entry.at === at && entry.o === ordinal);
  const known = entries[n];
  if (known === undefined) return false;
  entries[n] = { at, o: ordinal, b: known.b, ...factsOf(facts) };
  return true;
}

const stored = ({ at, ordinal, facts }: RowEntry, { born }: Put): StoredEntry => {
  return { at, o: ordinal, b: entryBorn(born, ordinal), ...factsOf(facts) };
};

const factsOf = (facts: DocumentValues): Pick<StoredEntry, 'f'> => {
  const f = present(facts);
  return Object.keys(f).length > 0 ? { f } : {};
};

const valuesOf = (values: DocumentValues): Pick<StoredRow, 'v'> => {
  const v = present(values);
  return Object.keys(v).length > 0 ? { v } : {};
};

/** Leaves out null: a query for null finds missing fields. */
const present = (values: DocumentValues): DocumentValues => {
  const found: Record<string, DocumentValues[string]> = {};
  for (const name in values) {
    const value = values[name];
    if (value !== null && value !== undefined) found[name] = value;
  }
  return found;
};
