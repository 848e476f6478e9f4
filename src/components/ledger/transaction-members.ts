import { membersOf, type Glossary } from '#src/kernel/descriptions.ts';
import { newTransactionMembers } from './new-transaction-members.ts';

/** Describes the members of balances, transactions, operations and what is read from them. */
export const transactionMembers: Glossary = {
  key: 'Names the balance within its account, in lower case. Every account begins with `default`.',
  'CreateBalanceRequest.key':
    'At most 100 characters without white space, kept in lower case; unique in the account. `overdraft` is reserved.',
  accountType: 'The type of the account.',
  allowSending: 'Whether transactions may debit the balance. By default true.',
  allowReceiving: 'Whether transactions may credit the balance. By default true.',
  direction: 'Whether the operation debits or credits.',
  'CreateBalanceRequest.direction': 'Which side raises the balance. It never changes.',
  'Balance.direction': 'Which side raises the balance. It never changes.',
  'CreateBalanceRequest.settings': 'The overdraft; none by default.',
  'UpdateBalanceRequest.settings': 'The overdraft. It replaces the settings as a whole.',
  'Balance.settings': 'The overdraft; absent until it is set.',
  balanceScope: '`internal` marks the balance that the server keeps for an overdraft.',
  allowOverdraft: 'Whether debits may exceed the available amount. By default false.',
  overdraftLimitEnabled: 'Whether the overdraft has a limit. By default false.',
  overdraftLimit:
    'The highest overdraft, above 0. Required if the limit is enabled, absent otherwise.',
  position: 'What can be spent.',
  overdraftLimitAvailable:
    'The part of the overdraft that is not used: 0 without an overdraft, absent without a limit.',
  available: 'The amount that can be spent, as a decimal in plain notation.',
  onHold: 'The amount that pending transactions hold, as a decimal in plain notation.',
  overdraftUsed: 'The amount of the overdraft in use, as a decimal in plain notation.',
  version: 'The number of operations that were ever applied to the balance.',

  ...newTransactionMembers,

  transactions: 'The transactions, in the order of the request.',
  'CreateTransactionBatchRequest.transactions':
    '1 to 1000 transactions, each as for a single one in JSON.',
  'CreateTransactionBatchV2Request.transactions':
    '1 to 50 transactions; the deployment may allow fewer.',
  action: 'Whether the transaction settles at once or is held.',
  order: 'The number of the transaction in the request.',
  atomic: 'Whether all transactions are recorded or none. By default each one succeeds by itself.',
  idempotencyKey:
    'A repeated item with this key returns the same transaction. Not with `atomic`, where the header has the key.',
  results: 'A result for each item, in the order of the request.',
  index: 'The position of the item in the request, from 0.',
  'BatchResult.status': 'The HTTP status that the item alone would have.',
  'BatchResult.transaction': 'The transaction that was created; absent if the item was refused.',

  parentTransactionId: 'The transaction that this one reverses; absent otherwise.',
  groupId: 'The group of a transaction over several ledgers.',
  revertedGroupId: 'The group that this one reverses; absent otherwise.',
  'Transaction.source': 'The aliases of the accounts that are debited, one for each leg.',
  destination: 'The aliases of the accounts that are credited, one for each leg.',
  'TransactionV2.debit': 'The aliases of the accounts that are debited, one for each leg.',
  'TransactionGroupMember.debit': 'The aliases of the accounts that are debited, one for each leg.',
  'TransactionV2.credit': 'The aliases of the accounts that are credited, one for each leg.',
  'TransactionGroupMember.credit':
    'The aliases of the accounts that are credited, one for each leg.',
  feesSkipped: 'Whether `skip.fees` took effect.',
  tracerSkipped: 'Whether `skip.tracer` took effect.',
  operations: 'What was recorded on each balance. A commit or cancel returns those of its step.',
  ...membersOf(
    ['Transaction', 'TransactionV2', 'TransactionGroupMember', 'Operation', 'OperationV2'],
    {
      status: 'How far the transaction is.',
      'status.code':
        'CREATED in the response to a creation, then APPROVED; PENDING, CANCELED, or NOTED for an annotation.',
      'status.description': 'The code once more.',
    },
  ),

  transactionId: 'The transaction that the operation belongs to.',
  accountId: 'The account that it belongs to.',
  balanceId: 'The balance that the operation changes.',
  'Operation.routeId': 'The operation route of the leg; absent if it has none.',
  'OperationV2.routeId': 'The operation route of the leg; absent if it has none.',
  'Operation.type': 'What it does to the balance, such as DEBIT, CREDIT, ON_HOLD or RELEASE.',
  'OperationV2.type': 'What it does to the balance, such as DEBIT, CREDIT, ON_HOLD or RELEASE.',
  'Operation.amount': 'What moved on this balance.',
  'OperationV2.amount': 'What moved on this balance.',
  'Operation.amount.value': 'A decimal in plain notation; 0 for an annotation.',
  'OperationV2.amount.value': 'A decimal in plain notation; 0 for an annotation.',
  balance: 'The balance before the operation.',
  balanceAfter: 'The balance after the operation.',
  balanceAffected: 'Whether the operation changed the balance: false for an annotation.',
  routeCode: 'The code of the accounting entry that applied; absent if there was none.',
  routeDescription:
    'The description of the accounting entry that applied; absent if there was none.',

  'JournalEvent.type': 'The kind of event.',
  windowStart: 'The beginning of the window, included, in UTC.',
  windowEnd: 'The end of the window, not included, in UTC.',
  'DashboardMetrics.updatedAt': 'The time of the figures, in UTC.',
  'DashboardVolume.updatedAt': 'The time of the figures, in UTC.',
  'DashboardAssets.updatedAt': 'The time of the figures, in UTC.',
  byStatus: 'The number of transactions by status code.',
  volumeByAsset: 'What settled transactions moved, reversals included.',
  reversalsByAsset: 'What reversals moved.',
  byAsset: 'What settled transactions moved on this day, reversals included.',
  'volumeByAsset.transactions': 'The number of these transactions.',
  'reversalsByAsset.transactions': 'The number of these transactions.',
  'byAsset.transactions': 'The number of these transactions.',
  points: 'One for each day in UTC that the window touches, also without transactions.',
  assets: 'The totals of each asset at present.',
  'assets.accounts': 'The number of accounts in the asset.',
  'volumeByAsset.asset': 'The code of the asset.',
  'reversalsByAsset.asset': 'The code of the asset.',
  'byAsset.asset': 'The code of the asset.',
  'assets.asset': 'The code of the asset.',
};
