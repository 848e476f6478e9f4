import { bornAt, projection, put, remove } from '#projections/projection.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

/** Accounts of a ledger, including external ones. An alias names at most one live account. */
export const accountProjection = projection<LedgerEvent>(
  {
    name: 'account',
    version: 1,
    keys: {
      tenantId: 'text',
      ledgerId: 'text',
      alias: 'text',
      aliasLower: 'text',
      nameLower: 'text',
      type: 'text',
      assetCode: 'text',
      status: 'text',
      blocked: 'integer',
      holderId: 'text',
      entityId: 'text',
      portfolioId: 'text',
      segmentId: 'text',
      parentAccountId: 'text',
      createdAt: 'text',
    },
    indexes: [['tenantId', 'ledgerId']],
    unique: [['tenantId', 'ledgerId', 'alias']],
  },
  {
    AccountOpened: whole,
    AccountUpdated: whole,
    AccountClosed: whole,
    AccountDeleted: ({ data: { account } }) => remove(account.id),
  },
);

/** The row keeps its list position. */
function whole({
  data: { account },
  tenantId,
  revision,
}: Recorded<Readonly<{ account: AccountRecord }>>): readonly Write[] {
  return put({
    id: account.id,
    born: bornAt(revision),
    keys: {
      tenantId,
      ledgerId: account.ledgerId,
      alias: account.alias,
      aliasLower: account.alias.toLowerCase(),
      nameLower: account.name.toLowerCase(),
      type: account.type,
      assetCode: account.assetCode,
      status: account.status.code.toUpperCase(),
      blocked: account.blocked ? 1 : 0,
      holderId: account.holderId,
      entityId: account.entityId ?? null,
      portfolioId: account.portfolioId ?? null,
      segmentId: account.segmentId ?? null,
      parentAccountId: account.parentAccountId ?? null,
      createdAt: account.createdAt,
    },
    body: JSON.stringify(account),
  });
}
