import type { AccountRecord, BalanceRecord } from '#src/events/ledger/account.ts';
import { isChange, recordFact, type Definition } from '#src/bridge/definition.ts';
import type { JournalEvent } from '#src/bridge/journal-event.ts';
import {
  decimal,
  flag,
  inLedger,
  instant,
  oneOf,
  status,
  text,
  uuid,
  written,
} from '#src/bridge/payload-members.ts';
import { orNull, payloadOf, picked } from '#src/bridge/payload-schema.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { EXTERNAL_PREFIX } from '#src/kernel/external-alias.ts';

const owners = { entityId: orNull(text), holderId: orNull(uuid) };
const groups = { portfolioId: orNull(uuid), segmentId: orNull(uuid) };

/** The account that stands for the world outside the ledger comes and goes with its asset, and is not announced. */
const isInternalAccount = ({ alias }: Pick<AccountRecord, 'alias'>) =>
  alias.startsWith(EXTERNAL_PREFIX);

const balanceSettings = payloadOf(
  {
    balanceScope: text,
    allowOverdraft: flag,
    overdraftLimitEnabled: flag,
    overdraftLimit: decimal,
  },
  'overdraftLimit',
);

const balanceSetup = payloadOf(
  {
    ...{ ...inLedger, accountId: uuid, alias: text, key: text, allowSending: flag },
    ...{ allowReceiving: flag, direction: oneOf('debit', 'credit'), settings: balanceSettings },
    ...{ changeType: oneOf('settings_updated', 'overdraft_enabled'), updatedAt: instant },
  },
  ...['alias', 'direction', 'settings'],
);

const deletedBalance = payloadOf({ ...inLedger, accountId: uuid, deletedAt: instant });

/** Shows what an account owes; the ledger keeps it by itself. */
const isCompanion = ({ settings }: BalanceRecord): boolean => settings?.balanceScope === 'internal';

/** Accounts and their balances, but for what transactions move (contract events §6.1, P14 to P16, P22, P24, P25). */
export const accountFacts: readonly Definition[] = [
  recordFact({
    key: 'account.created',
    tail: 'ledger_account.created',
    description: 'An account was opened',
    member: 'account',
    types: ['AccountOpened'],
    payload: payloadOf({
      ...{ ...inLedger, name: text, assetCode: text, type: text, ...groups },
      ...{ parentAccountId: orNull(uuid), ...owners, alias: orNull(text), status },
      ...{ blocked: orNull(flag), holderCheckSkipped: flag, ...written },
    }),
    when: (account: AccountRecord) => !isInternalAccount(account),
  }),
  recordFact({
    key: 'account.updated',
    schemaVersion: '1.1.0',
    tail: 'ledger_account.updated',
    description: 'An account was changed, blocked, unblocked or closed',
    member: 'account',
    types: ['AccountUpdated', 'AccountClosed'],
    payload: payloadOf(
      {
        ...{ ...inLedger, name: text, ...groups, entityId: orNull(text), status },
        ...{ blocked: orNull(flag), closedAt: instant, updatedAt: instant },
      },
      'closedAt',
    ),
    when: (account: AccountRecord, event) =>
      !isInternalAccount(account) && isChange(account as never, event),
  }),
  recordFact({
    key: 'account.deleted',
    tail: 'ledger_account.deleted',
    description: 'An account was deleted, and its balances with it',
    member: 'account',
    types: ['AccountDeleted'],
    payload: payloadOf({ ...inLedger, portfolioId: orNull(uuid), deletedAt: instant }),
    when: (account: AccountRecord) => !isInternalAccount(account),
  }),
  recordFact({
    key: 'balance.created',
    tail: 'ledger_balance.created',
    description: 'A further balance of an account was created',
    member: 'balance',
    types: ['BalanceCreated'],
    payload: payloadOf(
      {
        ...{ ...inLedger, accountId: uuid, alias: text, key: text, assetCode: text },
        ...{ accountType: text, available: decimal, onHold: decimal, allowSending: flag },
        ...{ allowReceiving: flag, direction: oneOf('debit', 'credit') },
        ...{ settings: balanceSettings, ...written },
      },
      ...['alias', 'accountType', 'direction', 'settings'],
    ),
    adds: () => ({ available: '0', onHold: '0' }), // A new balance is empty.
    when: (balance: BalanceRecord) => !isCompanion(balance),
  }),
  {
    key: 'balance.config-changed',
    schemaVersion: '1.0.0',
    tail: 'ledger_balance.config_changed',
    description: 'The permissions or overdraft settings of a balance were changed',
    payload: balanceSetup,
    subject: 'id',
    partitionKey: 'id; of a companion overdraft balance the id of its parent',
    enabled: true,
    types: ['BalanceUpdated', 'BalanceCreated'],
    emissions(event) {
      const { balance, parentBalanceId = balance.id } = event.data as BalanceData;
      const isNewCompanion = event.type === 'BalanceCreated';
      if (isNewCompanion ? !isCompanion(balance) : !isChange(balance as never, event)) return [];
      const changeType = isNewCompanion ? 'overdraft_enabled' : 'settings_updated';
      const payload = picked(balanceSetup, { ...balance, changeType });
      return [{ subject: balance.id, recordKey: parentBalanceId, part: balance.id, payload }];
    },
  },
  {
    key: 'balance.deleted',
    schemaVersion: '1.0.0',
    tail: 'ledger_balance.deleted',
    description: 'A balance was deleted, alone or with its account',
    payload: deletedBalance,
    subject: 'id',
    partitionKey: 'id',
    enabled: true,
    types: ['BalanceDeleted', 'AccountDeleted'],
    emissions: (event) =>
      deletedBalances(event).map((balance) => ({
        ...{ subject: balance.id, recordKey: balance.id },
        ...(event.type === 'AccountDeleted' && { part: balance.id }),
        payload: picked(deletedBalance, balance),
      })),
  },
];

type BalanceData = Readonly<{ balance: BalanceRecord; parentBalanceId?: Uuid }>;

function deletedBalances({ type, data }: JournalEvent): readonly BalanceRecord[] {
  if (type === 'BalanceDeleted') return [(data as BalanceData).balance];
  const { account, balances } = data as Readonly<{
    account: AccountRecord;
    balances: readonly BalanceRecord[];
  }>;
  return isInternalAccount(account) ? [] : balances;
}
