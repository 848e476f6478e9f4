import type { Descriptions } from '#src/kernel/descriptions.ts';
import { recordMembers } from './record-members.ts';
import { transactionMembers } from './transaction-members.ts';

/** The sentences of the ledger for readers of the API. */
export const descriptions: Descriptions = {
  tags: {
    Organizations: 'Companies that own ledgers. Begin here: every other record belongs to one.',
    Ledgers:
      'Separate books of an organization, with the rules for accounts and transactions in them.',
    Assets:
      'What a ledger counts: currencies, points, shares. An external account comes with each.',
    'Asset rates': 'Exchange rates between two assets, for your records: no transaction converts.',
    Segments: 'Groups of accounts by business line, region or product.',
    Portfolios: 'Groups of accounts that belong to one owner.',
    'Account types': 'The types that accounts may have in a ledger that validates them.',
    Accounts: 'Hold amounts of one asset, and send and receive under an alias.',
    'Account block exceptions': 'One-time permissions for a debit of a blocked account.',
    Balances:
      'The amounts of an account by key, with their permissions and overdraft, now or at a past time.',
    Transactions:
      'Move amounts between accounts, at once or in two steps; debits and credits are always equal.',
    Operations: 'What a transaction did to each balance, with the balance before and after.',
    'Operation routes':
      'Which accounts a leg may name, and under which accounting codes it is recorded.',
    'Transaction routes': 'Sets of operation routes that a transaction may follow.',
    Dashboard: 'Figures about the transactions and balances of a ledger.',
    Journal: 'The recorded events of a ledger, for auditors.',
  },
  members: { ...recordMembers, ...transactionMembers },
  parameters: {
    account_id: 'The id of the account, a UUID.',
    account_type_id: 'The id of the account type, a UUID.',
    alias: 'The alias of the account, percent-encoded where it needs to be.',
    asset_code: 'The code of the asset, in upper case.',
    asset_id: 'The id of the asset, a UUID.',
    balance_id: 'The id of the balance, a UUID.',
    external_id:
      'Your id for the rate, a UUID. Of several pairs, the one created last is returned.',
    operation_id: 'The id of the operation, a UUID.',
    operation_route_id: 'The id of the operation route, a UUID.',
    portfolio_id: 'The id of the portfolio, a UUID.',
    segment_id: 'The id of the segment, a UUID.',
    transaction_id: 'The id of the transaction, a UUID.',
    transaction_route_id: 'The id of the transaction route, a UUID.',
    blocked: 'Lists only accounts that are blocked, or only those that are not.',
    direction: 'Lists only debits, or only credits.',
    entity_id: 'Lists only those with this `entityId`.',
    groupId: 'Lists only the members of this group of a transaction over several ledgers.',
    holder_id: 'Lists only the accounts of this holder.',
    legal_document: 'Lists only organizations with exactly this legal document.',
    parent_account_id: 'Lists only the accounts directly under this one.',
    route_code: 'Lists only operations recorded under this accounting code.',
    route_id: 'Lists only operations that follow this operation route.',
    status: 'Lists only those with this status code.',
  },
};
