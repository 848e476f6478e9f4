import type { Brand } from './brand.ts';
import type { Uuid } from './ids.ts';

/** The name of a journal and of its stream. Only this file builds one. */
export type JournalName = Brand<string, 'JournalName'>;

/** The part before the first dash, where EventStoreDB's own tools expect the category. */
export type Category =
  'organization' | 'ledger' | 'group' | 'registry' | 'fees' | 'settings' | 'streaming' | 'access';

export const organizationJournal = ofOne((id: Uuid) => `organization-${id}` as JournalName);
export const ledgerJournal = ofOne((id: Uuid) => `ledger-${id}` as JournalName);

/** Records the decision about one transaction over several ledgers. */
export const groupJournal = (id: Uuid): JournalName => `group-${id}` as JournalName;

/** Holds the packages of fees and of billing of an organization. */
export const feesJournal = ofOne((organizationId: Uuid) => `fees-${organizationId}` as JournalName);

/** Holds the customers of an organization. */
export const registryJournal = (organizationId: Uuid): JournalName =>
  `registry-${organizationId}` as JournalName;

/** Holds the settings of all organizations of a tenant. */
export const settingsJournal = ofOne((tenantId: string) => `settings-${tenantId}` as JournalName);

/** Holds the subscriptions, replays and dead letters of a tenant. */
export const streamingJournal = (tenantId: string): JournalName =>
  `streaming-${tenantId}` as JournalName;

/** Holds the users and applications of a tenant. */
export const accessJournal = (tenantId: string): JournalName => `access-${tenantId}` as JournalName;

/** Holds the tenants of a deployment that serves several. It belongs to none of them. */
export const tenantsJournal = 'tenants' as JournalName;

/** Holds the records that a producer emits through the library, in a log of its own. */
export const producerJournal = (name: string): JournalName => `producer-${name}` as JournalName;

export const categoryOf = (name: string): string => name.slice(0, name.indexOf('-'));

/** Returns the id of the organization, ledger or group that owns the journal. */
export const ownerOf = (name: string): Uuid => name.slice(name.indexOf('-') + 1) as Uuid;

/**
 * Remembers the last name: requests for one owner follow each other, and a Map looks up a name that it has seen before in a
 * fraction of the time that a new text takes.
 */
function ofOne<Owner extends string>(nameOf: (owner: Owner) => JournalName) {
  let last: Owner | undefined;
  let name: JournalName | undefined;
  return (owner: Owner): JournalName => {
    if (owner !== last) name = undefined;
    last = owner;
    return (name ??= nameOf(owner));
  };
}
