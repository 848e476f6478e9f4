import type { Brand } from './brand.ts';
import type { Uuid } from './ids.ts';

/** The name of a journal, which is the name of its stream. Built here and nowhere else. */
export type JournalName = Brand<string, 'JournalName'>;

/** A category stands before the first dash, where the distributed log's own tools expect it. */
export type Category = 'organization' | 'ledger' | 'group' | 'settings' | 'streaming';

export const organizationJournal = (id: Uuid): JournalName => `organization-${id}` as JournalName;
export const ledgerJournal = (id: Uuid): JournalName => `ledger-${id}` as JournalName;

/** The decision about one transaction over several ledgers. */
export const groupJournal = (id: Uuid): JournalName => `group-${id}` as JournalName;

/** What holds for all organizations of a tenant. */
export const settingsJournal = (tenantId: string): JournalName =>
  `settings-${tenantId}` as JournalName;

/** Subscriptions and dead letters of a tenant. */
export const streamingJournal = (tenantId: string): JournalName =>
  `streaming-${tenantId}` as JournalName;

export const categoryOf = (name: string): string => name.slice(0, name.indexOf('-'));

/** The id of the organization, ledger or group whose journal it is. */
export const ownerOf = (name: string): Uuid => name.slice(name.indexOf('-') + 1) as Uuid;
