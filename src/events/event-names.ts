import type { DomainEvent, EventName } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { ValueName } from '#src/kernel/unique-values.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';

type Named = Readonly<{
  id: Uuid;
  parentTransactionId?: Uuid | undefined;
  groupId?: Uuid | undefined;
}>;

/**
 * The names under which later commands look an event up, in the writer's memory first and then in the journal
 * index. `transaction` reads the transaction an event carries; called only for types that carry one.
 */
export function eventNames(type: DomainEvent['type'], transaction: () => Named): EventName[] {
  switch (type as LedgerEvent['type']) {
    case 'TransactionPosted':
    case 'TransactionHeld':
    case 'TransactionCommitted':
    case 'TransactionCanceled': {
      const named = transaction();
      const own: EventName = { kind: 'transaction', key: named.id };
      return isAlone(named) ? [own] : [own, ...relations(named)];
    }
    case 'TransactionNoted':
    case 'TransactionUpdated':
    case 'OperationUpdated':
      return [{ kind: 'transaction', key: transaction().id }];
    case 'GroupPrepared':
    case 'GroupReleased':
      return relations(transaction());
    default:
      return NONE; // Other events are found through the state.
  }
}

const isAlone = ({ parentTransactionId, groupId }: Named): boolean =>
  parentTransactionId === undefined && groupId === undefined;

const relations = ({ parentTransactionId, groupId }: Named): EventName[] => [
  ...(parentTransactionId === undefined
    ? []
    : [{ kind: 'reversal', key: parentTransactionId } as const]),
  ...(groupId === undefined ? [] : [{ kind: 'group', key: groupId } as const]),
];

/** The names that claims are found by. */
export const claimedNames = (claims: readonly ValueName[]): EventName[] =>
  claims.map((key) => ({ kind: 'value', key }));

/**
 * The claims that the metadata of an event record, which hardly any does. A value cannot pose as the member: inside a
 * JSON string its quotation marks are escaped.
 */
export const claimsIn = (metadata: string): readonly ValueName[] =>
  metadata.includes('"claims":[') ? ((JSON.parse(metadata) as EventMetadata).claims ?? []) : [];

/** The transaction in the data of an event that carries one. */
export const transactionIn = (data: unknown): Named =>
  (data as Readonly<{ transaction: Named }>).transaction;

const NONE: EventName[] = [];
