import type { AccountRecord } from '#src/events/ledger/account.ts';
import {
  changedMetadata,
  changedStatus,
  flag,
  instant,
  instantOrNull,
  metadataView,
  name,
  newMetadata,
  newStatus,
  record,
  statusView,
  text,
  textOrNull,
  uuid,
  uuidOrNull,
} from '#src/kernel/schema-fragments.ts';
import { has } from '#src/kernel/published.ts';
import type { Schema, Shaped } from '#src/kernel/schema.ts';

/** The members of a new account but its holder. */
const unownedMembers = {
  name: text(256),
  parentAccountId: uuidOrNull,
  entityId: textOrNull(256),
  assetCode: name(100),
  portfolioId: uuidOrNull,
  segmentId: uuidOrNull,
  status: newStatus,
  alias: {
    type: 'string',
    allOf: [
      { maxLength: 100, pattern: '^(?![^]*@external/)', must: 'not contain @external/' },
      // Aliases with reserved words already fail the pattern above.
      {
        pattern: '^([a-zA-Z0-9@:_-]+|[^]*@external/[^]*)$',
        refusal: 'ALIAS_INVALID',
        must: 'consist of letters from A to Z, digits and @:_-',
      },
    ],
    published: { type: 'string', maxLength: 100, pattern: '^[a-zA-Z0-9@:_-]+$' },
  },
  type: name(256),
  blocked: { ...flag, default: false },
  skip: record({ holder: flag }, []),
  metadata: newMetadata,
} as const;

const anyAccount = record({ ...unownedMembers, holderId: uuidOrNull }, ['assetCode', 'type']);

/** A rule refuses an external account without an alias, whatever the letter case of its type. */
const externalHasAlias = {
  if: has('type', { pattern: '^[eE][xX][tT][eE][rR][nN][aA][lL]$' }),
  then: has('alias', { type: 'string' }),
};

/** Contract ledger §3.4.1. */
export const createAccountBody = {
  ...anyAccount,
  published: { ...anyAccount, ...externalHasAlias },
} as const satisfies Schema;

/** Returns the body of an account whose holder is in the path, with other members beside those of the account. */
export function accountOfHolderBody<const More extends Readonly<Record<string, Schema>>>(
  more: More,
) {
  const account = record({ ...unownedMembers, ...more }, ['assetCode', 'type']);
  return { ...account, published: { ...account, ...externalHasAlias } } as const;
}

export type CreateAccountBody = Shaped<typeof createAccountBody>;

/** `""` leaves the name unchanged; null removes the account from its portfolio or segment. */
export const updateAccountBody = record(
  {
    name: { ...name(256), emptyIsAbsent: true },
    status: changedStatus,
    blocked: flag,
    entityId: textOrNull(256),
    portfolioId: uuidOrNull,
    segmentId: uuidOrNull,
    metadata: changedMetadata,
  },
  [],
) satisfies Schema;

export const accountSchema = {
  title: 'Account',
  ...record(
    {
      id: uuid,
      organizationId: uuid,
      ledgerId: uuid,
      name: { type: 'string' },
      parentAccountId: uuidOrNull,
      entityId: { type: ['string', 'null'] },
      holderId: uuidOrNull,
      assetCode: { type: 'string' },
      portfolioId: uuidOrNull,
      segmentId: uuidOrNull,
      status: statusView,
      alias: { type: 'string' },
      type: { type: 'string' },
      blocked: flag,
      holderCheckSkipped: flag,
      closedAt: instantOrNull,
      metadata: metadataView,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    [
      'id',
      'organizationId',
      'ledgerId',
      'name',
      'parentAccountId',
      'entityId',
      'holderId',
      'assetCode',
      'portfolioId',
      'segmentId',
      'status',
      'alias',
      'type',
      'blocked',
      'holderCheckSkipped',
      'closedAt',
      'createdAt',
      'updatedAt',
      'deletedAt',
    ],
  ),
} as const satisfies Schema;

export const accountView = (account: AccountRecord) => ({
  id: account.id,
  organizationId: account.organizationId,
  ledgerId: account.ledgerId,
  name: account.name,
  parentAccountId: account.parentAccountId ?? null,
  entityId: account.entityId ?? null,
  holderId: account.holderId,
  assetCode: account.assetCode,
  portfolioId: account.portfolioId ?? null,
  segmentId: account.segmentId ?? null,
  status: account.status,
  alias: account.alias,
  type: account.type,
  blocked: account.blocked,
  holderCheckSkipped: account.holderCheckSkipped,
  closedAt: account.closedAt,
  metadata: account.metadata,
  createdAt: account.createdAt,
  updatedAt: account.updatedAt,
  deletedAt: account.deletedAt,
});
