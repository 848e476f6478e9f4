import { bornAt, projection, put, remove } from '#projections/projection.ts';
import type { AccountTypeEvent, AccountTypeRecord } from '#src/events/ledger/records.ts';
import type { Recorded, Write } from '#src/ports/projection.ts';

export const accountTypeProjection = projection<AccountTypeEvent>(
  {
    name: 'accountType',
    version: 1,
    keys: { tenantId: 'text', ledgerId: 'text', keyValue: 'text', createdAt: 'text' },
    indexes: [
      ['tenantId', 'ledgerId'],
      ['tenantId', 'ledgerId', 'keyValue'],
    ],
  },
  {
    AccountTypeCreated: whole,
    AccountTypeUpdated: whole,
    AccountTypeDeleted: ({ data: { accountType } }) => remove(accountType.id),
  },
);

/** It keeps its place in the list. */
function whole({
  data: { accountType },
  tenantId,
  revision,
}: Recorded<Readonly<{ accountType: AccountTypeRecord }>>): readonly Write[] {
  return put({
    id: accountType.id,
    born: bornAt(revision),
    keys: {
      tenantId,
      ledgerId: accountType.ledgerId,
      keyValue: accountType.keyValue,
      createdAt: accountType.createdAt,
    },
    body: JSON.stringify(accountType),
  });
}
