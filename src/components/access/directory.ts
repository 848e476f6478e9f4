import type { AccessEvent, UserRecord } from '#src/events/access/access.ts';
import { ACCESS_SCOPE } from '#src/kernel/access-scope.ts';
import type { Protection } from '#src/components/component.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { parseInstant, type Instant } from '#src/kernel/instant.ts';
import { accessJournal } from '#src/kernel/journal-name.ts';
import { comparedName, type Profile } from '#src/kernel/profile.ts';
import type {
  Directory,
  DirectoryApplication,
  DirectoryUser,
  SubjectChange,
} from '#src/ports/directory.ts';
import type { EventStore, StoredEvent } from '#src/ports/event-store.ts';

export type DirectorySources = Readonly<{
  tenantId: string;
  log: Pick<EventStore, 'read'>;
  /** Opens the keys of personal data on first use. */
  protection: () => Promise<Protection>;
}>;

/** Creates the directory of a tenant; it is empty until `reached` was called, and as recent as the last call. */
export function createDirectory({ tenantId, log, protection }: DirectorySources): Directory {
  const users = new Map<Uuid, DirectoryUser & Pick<UserRecord, 'sealed'>>();
  const applications = new Map<string, DirectoryApplication>();
  const listeners: ((change: SubjectChange) => void)[] = [];
  const scope = { tenantId, organizationId: ACCESS_SCOPE };
  const journal = accessJournal(tenantId);
  let next: Revision = 0;
  let reading: Promise<void> | undefined;
  let isCurrent = false;

  /** Changes from before this process are no news. */
  const announce = (change: SubjectChange): void => {
    if (!isCurrent) return;
    for (const listener of listeners) listener(change);
  };

  const fold = (event: AccessEvent, recordedAt: Instant): void => {
    switch (event.type) {
      case 'UserCreated':
      case 'UserUpdated': {
        const { id, owner, groups, sealed, createdAt, updatedAt } = event.data.user;
        const before = users.get(id);
        const passwordChange = before?.passwordChange;
        users.set(id, {
          ...{ kind: 'user', id, owner, groups, sealed, createdAt, updatedAt },
          ...(passwordChange && { passwordChange }),
        });
        const isSame = before?.groups.join() === groups.join();
        if (before !== undefined && !isSame) announce({ subject: id, reason: 'groups' });
        break;
      }
      case 'UserDeleted':
        users.delete(event.data.user.id);
        announce({ subject: event.data.user.id, reason: 'deleted' });
        break;
      case 'UserPasswordChanged': {
        const { userId, keptSession } = event.data;
        const user = users.get(userId);
        const at = parseInstant(recordedAt);
        const passwordChange = { at, ...(keptSession !== undefined && { keptSession }) };
        if (user) users.set(userId, { ...user, passwordChange });
        announce({ subject: userId, reason: 'password' });
        break;
      }
      case 'ApplicationCreated': {
        const { id, clientId, owner, name, description, createdAt } = event.data.application;
        const product = { product: name, description };
        applications.set(clientId, {
          ...{ kind: 'application', id, clientId, owner },
          ...product,
          createdAt,
        });
        break;
      }
      case 'ApplicationDeleted': {
        const { clientId } = event.data.application;
        applications.delete(clientId);
        announce({ subject: clientId, reason: 'deleted' });
        break;
      }
      case 'UserRevoked':
    }
  };

  const readOn = async (): Promise<void> => {
    for (;;) {
      const events = await log.read(journal, next, EVENTS_AT_ONCE);
      for (const event of events) fold(parsed(event), recordedAtOf(event));
      next += events.length;
      if (events.length >= EVENTS_AT_ONCE) continue;
      isCurrent = true;
      return;
    }
  };

  const keyOf = async (recordId: Uuid) => (await protection()).keys.open({ ...scope, recordId });

  const profileOf = async (userId: Uuid): Promise<Profile | undefined> => {
    const user = users.get(userId);
    if (user === undefined) return undefined;
    return (await keyOf(userId))?.openFields(user.sealed);
  };

  return {
    subject: (id) => users.get(id as Uuid) ?? applications.get(id),

    users: (group) =>
      [...users.values()].filter(({ groups }) => group === undefined || groups.includes(group)),
    applications: () => [...applications.values()],

    async userByName(username) {
      const { keys, index } = await protection();
      const name = comparedName(username);
      const [token = ''] = await keys.tokens(scope, [{ field: 'username', value: name }]);
      const id = await index.holder(token);
      return id !== undefined && users.has(id) ? id : undefined;
    },

    profile: profileOf,

    /** A read that began before this call may miss what was recorded since, so another one follows it. */
    async reached(revision) {
      await reading?.catch(() => undefined);
      if (revision === undefined || revision >= next) {
        reading ??= readOn().finally(() => {
          reading = undefined;
        });
        await reading;
      }
      return revision === undefined || revision < next;
    },

    changed(listener) {
      listeners.push(listener);
    },
  };
}

const parsed = ({ type, data }: StoredEvent): AccessEvent =>
  ({ type, data: parseData(data) }) as AccessEvent;

const recordedAtOf = ({ metadata }: StoredEvent): Instant =>
  (JSON.parse(metadata) as Readonly<{ recordedAt: Instant }>).recordedAt;

const EVENTS_AT_ONCE = 500;
