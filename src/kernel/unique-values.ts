import type { Brand } from './brand.ts';

/** Kinds of records whose metadata values can be unique within a journal; ledgers are unique within their organization. */
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

/** The public state of a tenant's settings. Its map is never changed, so readers may keep it. */
export type SettingsFact = Readonly<{ unique?: UniqueKeys }>;

/** Names a value of one key of one kind of records, by which its claim is found. */
export type ValueName = Brand<string, 'ValueName'>;

/** Builds the name; neither an entity nor an indexed key contains a slash. */
export const valueName = (entity: string, key: string, text: string): ValueName =>
  `${entity}/${key}/${text}` as ValueName;

/** Returns a value as filters compare it, so that 1 equals "1"; undefined if it is not a scalar. */
export function valueText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean'
    ? JSON.stringify(value)
    : undefined;
}
