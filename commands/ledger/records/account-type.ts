import type { Decision, Facts, Needs, Stamp } from '#src/kernel/decider.ts';
import { detached } from '#src/kernel/detached.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { ifChanged, mergedMetadata, patched, type MetadataChanges } from '#src/kernel/patch.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { AccountTypeEvent, AccountTypeRecord } from '#src/events/ledger/records.ts';
import type { Metadata, Side } from '#src/events/shared.ts';
import { beforeImage, needsBeforeImages } from '#commands/ledger/state/before-image.ts';
import { checkRecordSize } from '#commands/ledger/state/record-size.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { newRecord, deletedRecord } from './record-life.ts';
import type { AccountType, Records } from '#commands/ledger/state/records.ts';

export type CreateAccountType = Readonly<{
  type: 'CreateAccountType';
  organizationId: Uuid;
  fields: Readonly<{
    name: string;
    /** In lower case. */
    keyValue: string;
    description?: string | undefined;
    defaultDirection?: Side | undefined;
    metadata?: Metadata | undefined;
  }>;
}>;

/** A member that is absent stays as it is; metadata are merged. */
export type UpdateAccountType = Readonly<{
  type: 'UpdateAccountType';
  organizationId: Uuid;
  accountTypeId: Uuid;
  changes: Readonly<{
    name?: string | undefined;
    description?: string | undefined;
    defaultDirection?: Side | undefined;
    metadata?: MetadataChanges | undefined;
  }>;
}>;

export type DeleteAccountType = Readonly<{
  type: 'DeleteAccountType';
  organizationId: Uuid;
  accountTypeId: Uuid;
}>;

export type AccountTypeCommand = CreateAccountType | UpdateAccountType | DeleteAccountType;

export function needsAccountType(
  { records: { accountTypes } }: Ledger,
  command: AccountTypeCommand,
  facts: Facts,
): Needs | undefined {
  const known =
    command.type === 'CreateAccountType' ? undefined : accountTypes.get(command.accountTypeId);
  return known && needsBeforeImages(facts, known.revision);
}

/** Accounts of a type do not keep it, and stay as they are when it changes or is gone. */
export function decideAccountType(
  ledger: Ledger,
  command: AccountTypeCommand,
  facts: Facts,
  stamp: Stamp,
): Decision<AccountTypeEvent> {
  switch (command.type) {
    case 'CreateAccountType':
      return createAccountType(ledger, command, stamp);
    case 'UpdateAccountType':
      return updateAccountType(ledger, command, facts, stamp);
    case 'DeleteAccountType': {
      const { revision } = ledger.records.accountTypes.get(command.accountTypeId) ?? notFound();
      const accountType = deletedRecord(beforeImage('accountType', revision, facts), stamp.instant);
      return [{ type: 'AccountTypeDeleted', data: { accountType } }];
    }
    default:
      return unreachable(command);
  }
}

export function evolveAccountTypes(
  accountTypes: Records<AccountType>,
  { type, data: { accountType } }: AccountTypeEvent,
  revision: Revision,
): void {
  if (type === 'AccountTypeDeleted') accountTypes.remove(accountType.id);
  else accountTypes.put(knownOf(accountType, revision));
}

function createAccountType(
  ledger: Ledger,
  { fields }: CreateAccountType,
  stamp: Stamp,
): AccountTypeEvent[] {
  const { name, keyValue, description, defaultDirection, metadata } = fields;
  if (ledger.records.accountTypes.having(keyValue) !== undefined) throw taken(keyValue);
  const accountType: AccountTypeRecord = newRecord(
    ledger,
    {
      name,
      ...(description !== undefined && { description }),
      keyValue,
      ...(defaultDirection && { defaultDirection }),
      ...(metadata && { metadata }),
    },
    stamp,
  );
  checkRecordSize(accountType);
  return [{ type: 'AccountTypeCreated', data: { accountType } }];
}

function updateAccountType(
  ledger: Ledger,
  { accountTypeId, changes }: UpdateAccountType,
  facts: Facts,
  { instant }: Stamp,
): Decision<AccountTypeEvent> {
  const known = ledger.records.accountTypes.get(accountTypeId) ?? notFound();
  const { name, description, defaultDirection, metadata } = changes;
  const before = beforeImage('accountType', known.revision, facts);
  const patch = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(defaultDirection !== undefined && { defaultDirection }),
    metadata: mergedMetadata(before.metadata, metadata),
  };
  const { record: accountType, changed } = patched<AccountTypeRecord>(before, patch, instant);
  checkRecordSize(accountType);
  return ifChanged({ type: 'AccountTypeUpdated', data: { accountType, changed } });
}

function knownOf(record: AccountTypeRecord, revision: Revision): AccountType {
  const { id, keyValue, defaultDirection: direction = 'credit' } = record;
  return { id: detached(id), keyValue: detached(keyValue), direction, revision };
}

const taken = (keyValue: string) =>
  refuse('ACCOUNT_TYPE_TAKEN', `The ledger has an account type with the key ${keyValue}.`, {
    findings: [{ location: 'keyValue', message: 'is taken', value: keyValue }],
  });

function notFound(): never {
  throw refuse('ACCOUNT_TYPE_NOT_FOUND', 'There is no such account type.');
}
