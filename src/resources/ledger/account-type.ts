import type { AccountTypeFields, AccountTypeRecord } from '#src/events/ledger/records.ts';
import type { RecordResource } from '#src/kernel/record-resource.ts';
import {
  changedMetadata,
  changedName,
  metadataView,
  name,
  newMetadata,
  record,
  recordView,
  text,
} from '#src/kernel/schema-fragments.ts';

/** The direction of the default balance of accounts of the type. */
const direction = {
  type: 'string',
  enum: ['credit', 'debit'],
  refusal: 'DEFAULT_DIRECTION_INVALID',
} as const;

/** Contract ledger §3.5. The key never changes. */
export const accountTypeResource = {
  name: 'AccountType',
  nouns: ['an account type', 'account types'],
  tag: 'Account types',
  path: 'account-types',
  namespace: 'routing',

  create: record(
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
  ),
  update: record(
    {
      name: changedName(100),
      description: text(500),
      defaultDirection: direction,
      metadata: changedMetadata,
    },
    [],
  ),
  view: recordView(
    'AccountType',
    ['organizationId', 'ledgerId'],
    {
      name: { type: 'string' },
      description: { type: 'string' },
      keyValue: { type: 'string' },
      defaultDirection: { type: 'string' },
      metadata: metadataView,
    },
    ['description', 'defaultDirection', 'metadata'],
  ),
  fields: (sent: AccountTypeFields) => ({ ...sent, keyValue: sent.keyValue.toLowerCase() }),

  notes: {
    update: 'accounts that are there stay as they are',
    delete: 'accounts of the type stay as they are',
  },
  remarks: {
    create: 'The key is stored in lower case and must be unique in the ledger.',
    update: 'A changed `defaultDirection` applies to accounts that are opened later.',
  },
  refusals: { notFound: 'ACCOUNT_TYPE_NOT_FOUND', create: ['ACCOUNT_TYPE_TAKEN'] },
  list: {
    paging: 'union',
    filters: { key_value: { type: 'string', description: 'In any letter case' } },
    where: ({ key_value: key }: Readonly<{ key_value?: string }>) => ({
      keyValue: key?.toLowerCase(),
    }),
  },
  rows: {
    parent: 'ledgerId',
    keys: { keyValue: ({ keyValue }: AccountTypeRecord) => keyValue },
    indexed: ['keyValue'],
  },
} as const satisfies RecordResource;
