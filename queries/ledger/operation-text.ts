import type { Uuid } from '#src/kernel/ids.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { Condition, EntryRenderer } from '#src/ports/read-store.ts';
import type { Version } from '#src/kernel/schema-fragments.ts';
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
export const operationText: EntryRenderer = ({ body, ordinal }, asked) => {
  const wanted = asked as WantedOperations;
  const transaction = recordOf(body);
  const operation = transaction.operations[ordinal - 1];
  if (operation === undefined) throw new Error(`${transaction.id} has no part ${ordinal}`);
  if (transaction.ledgerId !== wanted.ledgerId || operation.accountId !== wanted.accountId) {
    return null;
  }
  if (!isWanted(operation, wanted)) return undefined;
  return JSON.stringify(operationView(operation, transaction, wanted.version));
};

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
function recordOf(body: string): TransactionRecord {
  if (last.body !== body) {
    last = { body, record: JSON.parse(body) as TransactionRecord };
  }
  return last.record;
}

let last = { body: '', record: {} as TransactionRecord };
