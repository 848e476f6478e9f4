import type { AccountTypeRecord } from '#src/events/ledger/records.ts';
import {
  changedMetadata,
  changedName,
  instant,
  instantOrNull,
  metadataView,
  name,
  newMetadata,
  record,
  text,
  uuid,
} from '#src/kernel/schema-fragments.ts';
import type { Schema } from '#src/kernel/schema.ts';

/** Of the default balance of accounts of the type. */
const direction = {
  type: 'string',
  enum: ['credit', 'debit'],
  refusal: 'DEFAULT_DIRECTION_INVALID',
} as const;

/** Contract ledger §3.5. */
export const createAccountTypeBody = record(
  {
    name: name(100),
    description: text(500),
    keyValue: {
      type: 'string',
      maxLength: 50,
      allOf: [
        {
          pattern: '^[a-zA-Z0-9_-]*$',
          refusal: 'ACCOUNT_TYPE_KEY_INVALID',
          must: 'consist of letters from A to Z, digits, _ and -',
        },
      ],
    },
    defaultDirection: direction,
    metadata: newMetadata,
  },
  ['name', 'keyValue'],
) satisfies Schema;

/** The key never changes. */
export const updateAccountTypeBody = record(
  {
    name: changedName(100),
    description: text(500),
    defaultDirection: direction,
    metadata: changedMetadata,
  },
  [],
) satisfies Schema;

export const accountTypeSchema = {
  title: 'AccountType',
  ...record(
    {
      id: uuid,
      organizationId: uuid,
      ledgerId: uuid,
      name: { type: 'string' },
      description: { type: 'string' },
      keyValue: { type: 'string' },
      defaultDirection: { type: 'string' },
      metadata: metadataView,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    ['id', 'organizationId', 'ledgerId', 'name', 'keyValue', 'createdAt', 'updatedAt', 'deletedAt'],
  ),
} as const satisfies Schema;

export const accountTypeView = (type: AccountTypeRecord) => ({
  id: type.id,
  organizationId: type.organizationId,
  ledgerId: type.ledgerId,
  name: type.name,
  description: type.description,
  keyValue: type.keyValue,
  defaultDirection: type.defaultDirection,
  metadata: type.metadata,
  createdAt: type.createdAt,
  updatedAt: type.updatedAt,
  deletedAt: type.deletedAt,
});
