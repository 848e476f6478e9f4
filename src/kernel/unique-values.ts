import type { Brand } from './brand.ts';

/**
 * Kinds of records of which two may be kept from sharing a value; each has several in one journal, ledgers in that of
 * their organization.
 */
export type Entity = (typeof uniqueEntities)[number];
export const uniqueEntities = [
  'ledger',
  'segment',
  'account',
  'portfolio',
  'asset',
  'account_type',
  'transaction',
  'operation',
  'operation_route',
  'transaction_route',
] as const;

export const isUniqueEntity = (name: string): name is Entity =>
  uniqueEntities.some((entity) => entity === name);

/** The keys of metadata, by kind of record, whose values no two records of one journal may share. */
export type UniqueKeys = ReadonlyMap<string, ReadonlySet<string>>;

/** What the settings of a tenant tell other journals; the keys may be kept, and do not change. */
export type SettingsFact = Readonly<{ unique?: UniqueKeys }>;

/** A value of one key of one kind of records: what is claimed, and found again. */
export type ValueName = Brand<string, 'ValueName'>;

/** Neither an entity nor a key that is indexed has a slash in it. */
export const valueName = (entity: string, key: string, text: string): ValueName =>
  `${entity}/${key}/${text}` as ValueName;

/** A value as filters compare it: 1 and "1" are the same. Undefined for what is no scalar. */
export function valueText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean'
    ? JSON.stringify(value)
    : undefined;
}
