import type { Facts, Stamp } from '#src/kernel/decider.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Metadata, Status } from '#src/events/shared.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import {
  checkPortfolioAndSegment,
  checkType,
  directionOf,
  notFound,
  entityIdOf,
} from './references.ts';
import { holderOf } from './holder.ts';
import { accountOpened, type AccountOpened } from './account-opened.ts';

export type CreateAccount = Readonly<{
  type: 'CreateAccount';
  organizationId: Uuid;
  fields: Readonly<{
    assetCode: string;
    /** In lower case. */
    type: string;
    status: Status;
    blocked: boolean;
    skipHolder: boolean;
    name?: string | undefined;
    alias?: string | undefined;
    parentAccountId?: Uuid | undefined;
    entityId?: string | undefined;
    holderId?: Uuid | undefined;
    portfolioId?: Uuid | undefined;
    segmentId?: Uuid | undefined;
    metadata?: Metadata | undefined;
  }>;
}>;

type Fields = CreateAccount['fields'];

/** Opens an account with its empty default balance, in one event. */
export function openAccount(
  ledger: Ledger,
  { fields }: CreateAccount,
  facts: Facts,
  stamp: Stamp,
): AccountOpened {
  checkType(ledger, fields.type);
  if (ledger.assets.having('code', fields.assetCode) === undefined) {
    throw notFound('ASSET_NOT_FOUND', 'asset', 'assetCode', fields.assetCode);
  }
  checkPortfolioAndSegment(ledger, fields);
  checkParent(ledger, fields);
  const { holderId, holderCheckSkipped } = holderOf(ledger, fields, facts);
  if (fields.alias !== undefined && ledger.book.account(fields.alias) !== undefined) {
    throw refuse('ALIAS_TAKEN', `The ledger has an account with the alias ${fields.alias}.`, {
      findings: [{ location: 'alias', message: 'is taken', value: fields.alias }],
    });
  }

  const entityId = entityIdOf(ledger, fields);
  const id = stamp.ids.nextWhole();
  const account = {
    id,
    organizationId: ledger.organizationId,
    ledgerId: ledger.id,
    name: fields.name ?? `${fields.assetCode} ${fields.type} account`,
    ...(fields.parentAccountId && { parentAccountId: fields.parentAccountId }),
    ...(entityId !== undefined && { entityId }),
    holderId,
    assetCode: fields.assetCode,
    ...(fields.portfolioId && { portfolioId: fields.portfolioId }),
    ...(fields.segmentId && { segmentId: fields.segmentId }),
    status: fields.status,
    alias: fields.alias ?? id,
    type: fields.type,
    blocked: fields.blocked,
    holderCheckSkipped,
    ...(fields.metadata && { metadata: fields.metadata }),
  };
  const event = accountOpened(stamp, account, directionOf(ledger, fields.type));
  checkRecordSize(event.data.account);
  return event;
}

function checkParent(ledger: Ledger, { parentAccountId, assetCode }: Fields): void {
  if (parentAccountId === undefined) return;
  const parent = ledger.book.accountById(parentAccountId);
  if (parent === undefined) {
    throw notFound('PARENT_ACCOUNT_INVALID', 'parent account', 'parentAccountId', parentAccountId);
  }
  if (parent.assetCode !== assetCode) {
    throw refuse('PARENT_ACCOUNT_ASSET', `The parent account holds ${parent.assetCode}.`, {
      findings: [{ location: 'assetCode', message: "differs from the parent's", value: assetCode }],
    });
  }
}
