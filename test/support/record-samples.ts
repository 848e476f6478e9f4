import type { DeclaredRecordCommand } from '#commands/ledger/records/declared.ts';
import type {
  AccountTypeEvent,
  AccountTypeRecord,
  PortfolioEvent,
  PortfolioRecord,
  SegmentEvent,
  SegmentRecord,
} from '#src/events/ledger/records.ts';
import { idOf, LEDGER, ORGANIZATION } from './ledger-samples.ts';
import { NOW } from './stamps.ts';

type CommandOf<Type> = Extract<DeclaredRecordCommand, { type: Type }>;
type CreateSegment = CommandOf<'CreateSegment'>;
type UpdateSegment = CommandOf<'UpdateSegment'>;
type CreatePortfolio = CommandOf<'CreatePortfolio'>;
type UpdatePortfolio = CommandOf<'UpdatePortfolio'>;
type CreateAccountType = CommandOf<'CreateAccountType'>;
type UpdateAccountType = CommandOf<'UpdateAccountType'>;

const ACTIVE = { code: 'ACTIVE', description: null } as const;
const OF = { organizationId: ORGANIZATION } as const;
const IN = { ...OF, ledgerId: LEDGER } as const;
const BORN = { createdAt: NOW, updatedAt: NOW, deletedAt: null } as const;

/* Segment */

export const createSegment = (fields: Partial<CreateSegment['fields']> = {}): CreateSegment => ({
  type: 'CreateSegment',
  ...OF,
  fields: { name: 'Retail', status: ACTIVE, ...fields },
});

export const segmentId = (name: string) => idOf(`segment ${name}`);

/** A segment by its name. */
export function segmentCreated(
  changes: Partial<SegmentRecord> = {},
): SegmentEvent & { type: 'SegmentCreated' } {
  const name = changes.name ?? 'Retail';
  const segment = { id: segmentId(name), ...IN, name, status: ACTIVE, ...changes, ...BORN };
  return { type: 'SegmentCreated', data: { segment } };
}

export const updateSegment = (
  changes: UpdateSegment['changes'],
  name = 'Retail',
): UpdateSegment => ({
  type: 'UpdateSegment',
  ...OF,
  id: segmentId(name),
  changes,
});

export const deleteSegment = (name = 'Retail'): CommandOf<'DeleteSegment'> => ({
  type: 'DeleteSegment',
  ...OF,
  id: segmentId(name),
});

/* Portfolio */

export const createPortfolio = (
  fields: Partial<CreatePortfolio['fields']> = {},
): CreatePortfolio => ({
  type: 'CreatePortfolio',
  ...OF,
  fields: { name: 'Anna', status: ACTIVE, ...fields },
});

export const portfolioId = (name: string) => idOf(`portfolio ${name}`);

/** A portfolio by its name. */
export function portfolioCreated(
  changes: Partial<PortfolioRecord> = {},
): PortfolioEvent & { type: 'PortfolioCreated' } {
  const name = changes.name ?? 'Anna';
  const portfolio = { id: portfolioId(name), ...IN, name, status: ACTIVE, ...changes, ...BORN };
  return { type: 'PortfolioCreated', data: { portfolio } };
}

export const updatePortfolio = (
  changes: UpdatePortfolio['changes'],
  name = 'Anna',
): UpdatePortfolio => ({
  type: 'UpdatePortfolio',
  ...OF,
  id: portfolioId(name),
  changes,
});

export const deletePortfolio = (name = 'Anna'): CommandOf<'DeletePortfolio'> => ({
  type: 'DeletePortfolio',
  ...OF,
  id: portfolioId(name),
});

/* Account type */

export const createAccountType = (
  fields: Partial<CreateAccountType['fields']> = {},
): CreateAccountType => ({
  type: 'CreateAccountType',
  ...OF,
  fields: { name: 'Savings', keyValue: 'savings', ...fields },
});

export const accountTypeId = (keyValue: string) => idOf(`account type ${keyValue}`);

/** An account type by its key. */
export function accountTypeCreated(
  changes: Partial<AccountTypeRecord> = {},
): AccountTypeEvent & { type: 'AccountTypeCreated' } {
  const keyValue = changes.keyValue ?? 'savings';
  const own = { id: accountTypeId(keyValue), ...IN, name: 'Savings', keyValue };
  return { type: 'AccountTypeCreated', data: { accountType: { ...own, ...changes, ...BORN } } };
}

export const updateAccountType = (
  changes: UpdateAccountType['changes'],
  keyValue = 'savings',
): UpdateAccountType => ({
  type: 'UpdateAccountType',
  ...OF,
  id: accountTypeId(keyValue),
  changes,
});

export const deleteAccountType = (keyValue = 'savings'): CommandOf<'DeleteAccountType'> => ({
  type: 'DeleteAccountType',
  ...OF,
  id: accountTypeId(keyValue),
});
