import type { Uuid } from '#src/kernel/ids.ts';
import type {
  OperationRecord,
  TransactionEvent,
  TransactionRecord,
} from '#src/events/ledger/transaction.ts';
import type { Condition, EntryRenderer, ShownRow } from '#src/ports/read-store.ts';
import type { Version } from '#src/kernel/schema-fragments.ts';
import { parseData } from '#src/kernel/event-data.ts';
import { usualPosting, type UsualPosting } from '#src/kernel/scan-posting.ts';
import { operationWriter } from '#src/resources/ledger/posting-view-text.ts';
import { operationView } from '#src/resources/ledger/operation.ts';

/** The name of the renderer that shows entries as operations. */
export const OPERATION = 'operation';

/** The operations that a list selects; only bodies contain metadata and routes. */
export type WantedOperations = Readonly<{
  version: Version;
  ledgerId: Uuid;
  accountId: Uuid;
  routeId: string | undefined;
  routeCode: string | undefined;
  metadata: readonly Readonly<{ key: string; value: string }>[];
}>;

/**
 * Renders an operation from its transaction. The id asked for must be that of an account of the ledger, or nothing is
 * shown: entries also exist under balances, and under accounts of other ledgers.
 */
export const operationText: EntryRenderer = (row, asked) => {
  const wanted = asked as WantedOperations;
  const posting = row.data === undefined || sieves(wanted) ? undefined : usualPosting(row.data);
  return posting === undefined
    ? recordedText(row, wanted)
    : postedText(posting, row.ordinal, wanted);
};

/** Every operation of a usual posting is wanted, if it is that of the account: nothing else is asked for. */
function postedText(
  posting: UsualPosting,
  ordinal: number,
  wanted: WantedOperations,
): string | null {
  const [id, , ledgerId] = posting.posted;
  const operation = posting.postings[ordinal - 1];
  if (operation === undefined) throw new Error(`${id} has no part ${ordinal}`);
  if (ledgerId !== wanted.ledgerId || operation[1] !== wanted.accountId) return null;
  return operationWriter(posting, wanted.version)(operation, ordinal);
}

function recordedText(
  row: Parameters<EntryRenderer>[0],
  wanted: WantedOperations,
): string | undefined | null {
  const transaction = recordOf(row);
  const { ordinal } = row;
  const operation = transaction.operations[ordinal - 1];
  if (operation === undefined) throw new Error(`${transaction.id} has no part ${ordinal}`);
  if (transaction.ledgerId !== wanted.ledgerId || operation.accountId !== wanted.accountId) {
    return null;
  }
  if (!isWanted(operation, wanted)) return undefined;
  return JSON.stringify(operationView(operation, transaction, wanted.version));
}

/** Returns true if selecting the operations requires reading bodies. */
export const sieves = ({ routeId, routeCode, metadata }: WantedOperations): boolean =>
  routeId !== undefined || routeCode !== undefined || metadata.length > 0;

/**
 * Texts that the body of a matching transaction must contain. Strings only, because other values have several
 * spellings.
 */
export function mentioned({ routeId, routeCode, metadata }: WantedOperations): Condition[] {
  const routes = [routeId, routeCode].filter((text) => text !== undefined);
  const ofMetadata = metadata.flatMap(({ key, value }) =>
    MAYBE_NO_STRING.test(value) ? [key] : [key, value],
  );
  return [...routes, ...ofMetadata].map((text) => ({ mentions: text }));
}

const MAYBE_NO_STRING = /^(?:[-0-9]|true$|false$)/;

function isWanted(
  { routeId, routeCode, metadata }: OperationRecord,
  wanted: WantedOperations,
): boolean {
  return (
    (wanted.routeId === undefined || routeId === wanted.routeId) &&
    (wanted.routeCode === undefined || routeCode === wanted.routeCode) &&
    wanted.metadata.every(({ key, value }) => textOf(metadata?.[key]) === value)
  );
}

const textOf = (value: string | number | boolean | undefined): string | undefined =>
  typeof value === 'string' || value === undefined ? value : JSON.stringify(value);

/** Caches the last parsed transaction: its operations follow one another, and there may be hundreds. */
function recordOf(row: ShownRow): TransactionRecord {
  const text = row.data ?? row.body;
  if (last.text !== text) {
    const record =
      row.data === undefined
        ? (JSON.parse(text) as TransactionRecord)
        : (parseData(text) as TransactionEvent['data']).transaction;
    last = { text, record };
  }
  return last.record;
}

let last = { text: '', record: {} as TransactionRecord };
