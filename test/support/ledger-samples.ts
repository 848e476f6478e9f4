import { hash } from 'node:crypto';
import { sendBodyLocations } from '#commands/ledger/api/locations.ts';
import type { CreateAccount } from '#commands/ledger/account/open-account.ts';
import type { AssetCommand } from '#commands/ledger/records/asset.ts';
import type { OpenLedger } from '#commands/ledger/records/ledger-record.ts';
import type { OrganizationCommand } from '#commands/ledger/organization-commands.ts';
import type {
  PostTransaction,
  RequestedLeg,
  TransactionRequest,
} from '#commands/ledger/transaction/commands.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent, LedgerRecord } from '#src/events/ledger/ledger.ts';
import type { Side } from '#src/events/shared.ts';
import type { OrganizationEvent, OrganizationRecord } from '#src/events/ledger/organization.ts';
import { NOW } from './stamps.ts';

/* Ids of samples follow from names, so that a spec can name what it means. */

export const idOf = (name: string): Uuid => {
  const hex = hash('sha256', name);
  return `01234567-89ab-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 14)}0000` as Uuid;
};
export const ORGANIZATION = idOf('organization');
export const LEDGER = idOf('ledger');
export const OWN_HOLDER = idOf('own holder');

const ACTIVE = { code: 'ACTIVE', description: null } as const;
const BORN = { createdAt: NOW, updatedAt: NOW, deletedAt: null } as const;

/* Organization */

type OrganizationFields = Omit<OrganizationRecord, keyof typeof BORN>;

const organizationFields = (changes: Partial<OrganizationFields>): OrganizationFields => ({
  id: ORGANIZATION,
  parentOrganizationId: null,
  legalName: 'Quipu Bank',
  doingBusinessAs: null,
  legalDocument: '00000000000191',
  address: { line1: '', line2: null, zipCode: '', city: '', state: '', country: '' },
  status: ACTIVE,
  ...changes,
});

export const createOrganization = (
  changes: Partial<OrganizationFields> = {},
): OrganizationCommand => ({
  type: 'CreateOrganization',
  organization: organizationFields(changes),
  holderId: OWN_HOLDER,
});

export const organizationCreated = (
  changes: Partial<OrganizationFields> = {},
): OrganizationEvent => ({
  type: 'OrganizationCreated',
  data: { organization: { ...organizationFields(changes), ...BORN }, holderId: OWN_HOLDER },
});

/* Ledger */

type LedgerFields = Omit<LedgerRecord, keyof typeof BORN>;

const ledgerFields = (changes: Partial<LedgerFields>): LedgerFields => ({
  id: LEDGER,
  organizationId: ORGANIZATION,
  name: 'Retail',
  status: ACTIVE,
  ...changes,
});

export const reserveLedgerName = (changes: Partial<LedgerFields> = {}): OrganizationCommand => ({
  type: 'ReserveLedgerName',
  ledger: ledgerFields(changes),
});

export const ledgerNameReserved = (changes: Partial<LedgerFields> = {}): OrganizationEvent => ({
  type: 'LedgerNameReserved',
  data: { ledger: { ...ledgerFields(changes), ...BORN }, holderId: OWN_HOLDER },
});

export const ledgerNameSettled = (ledgerId = LEDGER): OrganizationEvent => ({
  type: 'LedgerNameSettled',
  data: { ledgerId },
});

const opening = (changes: Partial<LedgerFields>) => ({
  ledger: { ...ledgerFields(changes), ...BORN },
  holderId: OWN_HOLDER,
  reservedAt: { journal: organizationJournal(ORGANIZATION), revision: 1 },
});

export const openLedger = (changes: Partial<LedgerFields> = {}): OpenLedger => ({
  type: 'OpenLedger',
  ...opening(changes),
});

export const ledgerOpened = (changes: Partial<LedgerFields> = {}): LedgerEvent => ({
  type: 'LedgerOpened',
  data: opening(changes),
});

/* Asset */

type CreateAsset = Extract<AssetCommand, { type: 'CreateAsset' }>;
type AssetFields = CreateAsset['fields'];

const assetFields = (changes: Partial<AssetFields>): AssetFields => {
  const code = changes.code ?? 'BRL';
  return { name: `Asset ${code}`, type: 'others', code, status: ACTIVE, ...changes };
};

export const createAsset = (changes: Partial<AssetFields> = {}): CreateAsset => ({
  type: 'CreateAsset',
  organizationId: ORGANIZATION,
  fields: assetFields(changes),
});

export function assetCreated({
  id,
  ...changes
}: Partial<AssetFields> & { id?: Uuid } = {}): LedgerEvent {
  const fields = assetFields(changes);
  const own = { id: id ?? idOf(`asset ${fields.code}`), organizationId: ORGANIZATION };
  return {
    type: 'AssetCreated',
    data: { asset: { ...own, ledgerId: LEDGER, ...fields, ...BORN } },
  };
}

/* Account */

type AccountFields = CreateAccount['fields'];

export const createAccount = (changes: Partial<AccountFields> = {}): CreateAccount => ({
  type: 'CreateAccount',
  organizationId: ORGANIZATION,
  fields: {
    assetCode: 'BRL',
    type: 'deposit',
    status: ACTIVE,
    blocked: false,
    skipHolder: false,
    ...changes,
  },
});

export const accountId = (alias: string): Uuid => idOf(`account ${alias}`);

export type Opened = Partial<AccountRecord> & {
  allowSending?: boolean;
  allowReceiving?: boolean;
  direction?: Side;
};

/** An account by its alias; without one the id is its alias. */
export function accountOpened(changes: Opened = {}): LedgerEvent {
  const { allowSending = true, allowReceiving = true, direction, ...fields } = changes;
  const id = fields.id ?? accountId(fields.alias ?? 'nameless');
  const account: AccountRecord = {
    id,
    organizationId: ORGANIZATION,
    ledgerId: LEDGER,
    name: 'BRL deposit account',
    holderId: OWN_HOLDER,
    assetCode: 'BRL',
    status: ACTIVE,
    alias: id,
    type: 'deposit',
    blocked: false,
    holderCheckSkipped: false,
    closedAt: null,
    ...fields,
    ...BORN,
  };
  const balance = {
    id: partId(id, 1),
    organizationId: ORGANIZATION,
    ledgerId: LEDGER,
    accountId: id,
    alias: account.alias,
    key: 'default',
    assetCode: account.assetCode,
    accountType: account.type,
    allowSending,
    allowReceiving,
    direction: direction ?? (account.type === 'external' ? 'debit' : 'credit'),
    ...BORN,
  } as const;
  return { type: 'AccountOpened', data: { account, balance } };
}

/** The account that stands for the world outside the ledger. */
export const externalOpened = (assetCode = 'BRL', changes: Opened = {}): LedgerEvent =>
  accountOpened({
    alias: `@external/${assetCode}`,
    name: `External ${assetCode}`,
    holderId: null,
    assetCode,
    status: {
      code: 'external',
      description: `The world outside this ledger, in ${assetCode}`,
    },
    type: 'external',
    ...changes,
  });

/** An open ledger with an asset, its external account, and empty accounts. */
export const ledgerWith = (assetCode: string, ...aliases: readonly string[]): LedgerEvent[] => [
  ledgerOpened(),
  assetCreated({ code: assetCode }),
  externalOpened(assetCode),
  ...aliases.map((alias) => accountOpened({ alias, assetCode })),
];

/* Transaction */

/** `'@alice'` for all that remains, `'@alice 12.50'` for an amount, `'@alice 30%'` or `'@alice 50% of 20%'`. */
export type LegText = string;

export function leg(text: LegText, asset = 'BRL', more: Partial<RequestedLeg> = {}): RequestedLeg {
  const [, name = '', key, quantity] = /^(\S+?)(?:#(\S+))?(?: (.+))?$/.exec(text) ?? [];
  const named = { accountAlias: name, ...(key !== undefined && { balanceKey: key }) };
  const part = /^(\d+)%(?: of (\d+)%)?$/.exec(quantity ?? '');
  if (quantity === undefined) return { ...named, remaining: 'remaining', ...more };
  if (part === null) return { ...named, amount: { asset, value: quantity }, ...more };
  const percentage = Number(part[1]);
  const share = part[2] === undefined ? {} : { percentageOfPercentage: Number(part[2]) };
  return { ...named, share: { percentage, ...share }, ...more };
}

type Legs = LegText | readonly (LegText | RequestedLeg)[];

/** One or many legs a side, as texts (see `leg`) or whole; a leg without a quantity takes what remains. */
export function postTransaction({
  from,
  to,
  amount,
  asset = 'BRL',
  organizationId = ORGANIZATION,
  ...more
}: Readonly<{
  from: Legs;
  to: Legs;
  amount?: string;
  asset?: string;
  organizationId?: Uuid;
}> &
  Omit<TransactionRequest, 'send'>): PostTransaction {
  const legs = (side: Legs): RequestedLeg[] =>
    (typeof side === 'string' ? [side] : side).map((one) =>
      typeof one === 'string' ? leg(one, asset) : one,
    );
  const send = { asset, source: { from: legs(from) }, distribute: { to: legs(to) } };
  return {
    type: 'PostTransaction',
    organizationId,
    locations: sendBodyLocations,
    request: { ...more, send: { ...send, ...(amount !== undefined && { value: amount }) } },
  };
}

/** Money from the world outside. */
export const inflow = (to: string, amount: string, asset = 'BRL'): PostTransaction =>
  postTransaction({ from: `@external/${asset}`, to, amount, asset });
