import type { AssetFields } from '#src/events/ledger/ledger.ts';
import type {
  AccountTypeFields,
  PortfolioFields,
  SegmentFields,
} from '#src/events/ledger/records.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { detached } from '#src/kernel/detached.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { declareRecord, isTaken } from '#src/kernel/record.ts';

/** Accounts may name a segment; they keep its id when it is deleted. Names are case-sensitive. */
const segments = declareRecord({
  name: 'Segment',
  patch: { name: 'replace', status: 'status', metadata: 'merge' },
  kept: ({ name }: SegmentFields) => ({ name: detached(name) }),
  unique: {
    name: (name) => {
      const detail = `The ledger has a segment named ${name}.`;
      return refuse('SEGMENT_NAME_TAKEN', detail, isTaken('name', name));
    },
  },
  notFound: () => refuse('NOT_FOUND', 'There is no such segment.'),
});

/** Accounts may name a portfolio and inherit its owner; they keep its id when it is deleted. */
const portfolios = declareRecord({
  name: 'Portfolio',
  patch: { name: 'replace', entityId: 'replace', status: 'status', metadata: 'merge' },
  kept: ({ entityId }: PortfolioFields): Readonly<{ entityId?: string }> =>
    entityId === undefined ? {} : { entityId: detached(entityId) },
  notFound: () => refuse('NOT_FOUND', 'There is no such portfolio.'),
});

/** Changing or deleting a type does not change its accounts. */
const accountTypes = declareRecord({
  name: 'AccountType',
  patch: {
    name: 'replace',
    description: 'replace',
    defaultDirection: 'replace',
    metadata: 'merge',
  },
  kept: ({ keyValue, defaultDirection: direction = 'credit' }: AccountTypeFields) => ({
    keyValue: detached(keyValue),
    direction,
  }),
  unique: {
    keyValue: (key) => {
      const detail = `The ledger has an account type with the key ${key}.`;
      return refuse('ACCOUNT_TYPE_TAKEN', detail, isTaken('keyValue', key));
    },
  },
  notFound: () => refuse('ACCOUNT_TYPE_NOT_FOUND', 'There is no such account type.'),
});

const assetTaken = (member: string, text: string) => {
  const detail = `The ledger has an asset with the ${member} ${text}.`;
  return refuse('ASSET_TAKEN', detail, isTaken(member, text));
};

/** Accounts hold an asset; asset.ts has the rules for that. Codes and names are unique. */
export const assetRecord = declareRecord({
  name: 'Asset',
  patch: { name: 'replace', status: 'status', metadata: 'replace-metadata' },
  kept: ({ code, name }: AssetFields) => ({ code: detached(code), name: detached(name) }),
  unique: { code: (code) => assetTaken('code', code), name: (name) => assetTaken('name', name) },
  notFound: () => refuse('NOT_FOUND', 'There is no such asset.'),
});

/** The live assets of a ledger. */
export type Assets = ReturnType<typeof assetRecord.initialState>;
export type Asset = NonNullable<ReturnType<Assets['get']>>;

/** The declared records of a ledger, by their names in snapshots. */
export const declaredRecords = { segments, portfolios, accountTypes };

type Kinds = typeof declaredRecords;
export type RecordKind = keyof Kinds;

/** The live records of a ledger, by kind. */
export type LedgerRecords = {
  readonly [Kind in RecordKind]: ReturnType<Kinds[Kind]['initialState']>;
};

/** A command about a record, such as `CreateSegment`. */
export type DeclaredRecordCommand = Readonly<{ organizationId: Uuid }> &
  Parameters<Kinds[RecordKind]['decide']>[1];

export const emptyRecords = (): LedgerRecords =>
  Object.fromEntries(
    Object.entries(declaredRecords).map(([kind, rules]) => [kind, rules.initialState()]),
  ) as LedgerRecords;
