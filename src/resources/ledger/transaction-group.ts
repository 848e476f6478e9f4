import type { GroupRecord } from '#src/events/ledger/group.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { record, uuid } from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';
import { transactionSchemaV2, transactionView, type Shown } from './transaction.ts';

/** A transaction over several ledgers: its members, in the order in which the request named their ledgers (§5.4). */
export const groupSchema = {
  title: 'TransactionGroup',
  ...record(
    {
      groupId: uuid,
      revertedGroupId: uuid,
      transactions: {
        type: 'array',
        items: {
          title: 'TransactionGroupMember',
          ...record({ order: { type: 'integer' }, ...transactionSchemaV2.properties }, [
            'order',
            ...transactionSchemaV2.required,
          ]),
        },
      },
    },
    ['groupId', 'transactions'],
  ),
} as const satisfies Schema;

/** Version 2 returns one transaction, or all members of a group. */
export const transactionOrGroupSchema = {
  oneOf: [transactionSchemaV2, groupSchema],
} as const satisfies Schema;

export type GroupMember = Readonly<{
  order: number;
  transaction: TransactionRecord;
  /** The number of operations to show, from the end: those that a step added. */
  lastOperations?: number | undefined;
}>;

export const groupView = (
  { id, revertedGroupId }: Pick<GroupRecord, 'id' | 'revertedGroupId'>,
  members: readonly GroupMember[],
  as: Shown['as'],
) => ({
  groupId: id,
  revertedGroupId,
  transactions: members.map(({ order, transaction, lastOperations }) => ({
    order,
    ...transactionView(transaction, {
      as,
      version: 2,
      ...(lastOperations !== undefined && { lastOperations }),
    }),
  })),
});
