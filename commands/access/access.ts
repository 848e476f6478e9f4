import {
  ADMIN_GROUP,
  type AccessEvent,
  type ApplicationEvent,
  type ApplicationFields,
  type SealedProfile,
  type UserRecord,
} from '#src/events/access/access.ts';
import { refuse } from '#src/events/access/refusals.ts';
import { imageAt, needsBeforeImages } from '#src/kernel/before-image.ts';
import type {
  Decider,
  Decision,
  Facts,
  JournalFact,
  JournalOf,
  Stamp,
} from '#src/kernel/decider.ts';
import { detached } from '#src/kernel/detached.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { accessJournal } from '#src/kernel/journal-name.ts';
import { patched } from '#src/kernel/patch.ts';
import { declareRecord, isTaken } from '#src/kernel/record.ts';
import { checkRecordSize } from '#src/kernel/record-size.ts';

const applications = declareRecord({
  name: 'Application',
  patch: {},
  kept: ({ name, clientId }: ApplicationFields) => ({
    name: detached(name),
    clientId: detached(clientId),
  }),
  unique: {
    name: (name) =>
      refuse('IDENTITY_TAKEN', `There is an application ${name}.`, isTaken('name', name)),
    clientId: (id) => clientTaken(id),
  },
  notFound: () => refuse('APPLICATION_NOT_FOUND', 'There is no such application.'),
});

type Applications = ReturnType<typeof applications.initialState>;
type ApplicationCommand = Exclude<
  Parameters<typeof applications.decide>[1],
  Readonly<{ type: 'UpdateApplication' }>
>;

export type NewUser = Pick<UserRecord, 'id' | 'owner' | 'groups' | 'sealed'>;

export type AccessCommand =
  | Readonly<{ type: 'CreateUser'; user: NewUser }>
  /** Returns the last event with the image of the user, and its revision. */
  | Readonly<{ type: 'ReadUser'; id: Uuid }>
  /**
   * Replaces sealed members, which were computed from the event at the revision `expected`, and the groups. Is refused
   * with RECORD_CHANGED if the user has changed since.
   */
  | Readonly<{
      type: 'UpdateUser';
      id: Uuid;
      expected: Revision;
      sealed: Partial<SealedProfile>;
      groups?: readonly string[] | undefined;
    }>
  /** Ends the validity of updates that were computed from the event at this revision; has no effect on a later one. */
  | Readonly<{ type: 'SupersedeUser'; id: Uuid; expected: Revision }>
  | Readonly<{ type: 'DeleteUser'; id: Uuid }>
  /** Prevents a user with this id from coming to be; is refused if there is one, and has no effect if there was. */
  | Readonly<{ type: 'RevokeUser'; id: Uuid }>
  /** Records that the password was changed; has no effect if that is recorded. */
  | Readonly<{ type: 'RecordPasswordChange'; id: Uuid; changeId: Uuid; keptSession?: Uuid }>
  | ApplicationCommand;

export type AccessJournal = JournalOf<AccessCommand, AccessEvent>;

export const journalOfAccess = (tenantId: string): AccessJournal => ({
  name: accessJournal(tenantId),
});

/** A user as far as decisions need to know it: nothing about the person. */
type KnownUser = Readonly<{
  id: Uuid;
  groups: readonly string[];
  /** The revision of the last event with its image. */
  revision: Revision;
  /** The last recorded change of its password. */
  changeId?: Uuid;
}>;

export type AccessState = {
  began: boolean;
  readonly users: Map<Uuid, KnownUser>;
  /** The ids of deleted users and of interrupted creations, which must not come to be again. */
  readonly ended: Set<Uuid>;
  readonly applications: Applications;
};

/** The public state of the journal. */
export type AccessFact = JournalFact &
  Readonly<{
    standingOf: (userId: Uuid) => 'live' | 'ended' | 'absent';
    /** Returns whether an application has the client id or the name. */
    hasApplication: (one: Pick<ApplicationFields, 'clientId' | 'name'>) => boolean;
    isClient: (clientId: string) => boolean;
    hasAdministrator: () => boolean;
    /** Returns whether the change by which a password was set is known; that of its creation has the id of the user. */
    isRecorded: (userId: Uuid, changeId: Uuid) => boolean;
  }>;

/** The rules of the users and applications of a tenant. */
export const accessDecider: Decider<AccessState, AccessCommand, AccessEvent> = {
  category: 'access',
  snapshotVersion: 1,
  isOftenAbsent: true,

  initialState: () => ({
    began: false,
    users: new Map(),
    ended: new Set(),
    applications: applications.initialState(),
  }),

  needs({ users, applications: live }, command, facts) {
    switch (command.type) {
      case 'CreateApplication':
      case 'DeleteApplication':
        return applications.needs(live, command, facts);
      case 'ReadUser':
      case 'UpdateUser':
      case 'SupersedeUser':
      case 'DeleteUser': {
        const known = users.get(command.id);
        return known && needsBeforeImages(facts, known.revision);
      }
      default:
        return undefined;
    }
  },

  decide(state, command, facts, stamp) {
    const { users, ended } = state;
    switch (command.type) {
      case 'CreateUser':
        return createUser(state, command.user, stamp);
      case 'ReadUser': {
        const { revision: at } = known(state, command.id);
        return { unchanged: facts.event(at) as AccessEvent, at };
      }
      case 'UpdateUser':
        return updateUser(state, command, facts, stamp);
      case 'SupersedeUser': {
        const { id, expected } = command;
        const user = known(state, id);
        if (user.revision !== expected) return [];
        const data = { user: beforeImage(user, facts), changed: [] };
        return [{ type: 'UserUpdated', data }];
      }
      case 'DeleteUser': {
        const user = known(state, command.id);
        mustLeaveAdministrator(state, user);
        const { instant } = stamp;
        const deleted = { ...beforeImage(user, facts), updatedAt: instant, deletedAt: instant };
        return [{ type: 'UserDeleted', data: { user: deleted } }];
      }
      case 'RevokeUser':
        if (users.has(command.id)) throw new Refusal('USER_EXISTS', { detail: 'USER_EXISTS' });
        if (ended.has(command.id)) return [];
        return [{ type: 'UserRevoked', data: { userId: command.id } }];
      case 'RecordPasswordChange': {
        const { id, changeId, keptSession } = command;
        if (known(state, id).changeId === changeId) return [];
        const data = { userId: id, changeId, ...(keptSession && { keptSession }) };
        return [{ type: 'UserPasswordChanged', data }];
      }
      default:
        return applications.decide(
          state.applications,
          command,
          facts,
          stamp,
          {},
        ) as Decision<ApplicationEvent>;
    }
  },

  evolve(state, event, revision) {
    const { users, ended } = state;
    state.began = true;
    switch (event.type) {
      case 'UserCreated':
      case 'UserUpdated': {
        const { id, groups } = event.data.user;
        const before = users.get(id);
        const kept = { id: before?.id ?? detached(id), groups: groups.map(detached), revision };
        users.set(kept.id, { ...before, ...kept });
        break;
      }
      case 'UserDeleted':
        users.delete(event.data.user.id);
        ended.add(detached(event.data.user.id));
        break;
      case 'UserRevoked':
        ended.add(detached(event.data.userId));
        break;
      case 'UserPasswordChanged': {
        const user = users.get(event.data.userId);
        if (user === undefined) throw new Error(`There is no user ${event.data.userId}`);
        users.set(user.id, { ...user, changeId: detached(event.data.changeId) });
        break;
      }
      default:
        applications.evolve(state.applications, event, revision);
    }
  },

  fact: (state): Omit<AccessFact, 'revision'> | undefined =>
    state.began
      ? {
          live: true,
          standingOf: (id) =>
            state.users.has(id) ? 'live' : state.ended.has(id) ? 'ended' : 'absent',
          hasApplication: ({ clientId, name }) =>
            (state.applications.having('clientId', clientId) ??
              state.applications.having('name', name)) !== undefined,
          isClient: (clientId) => state.applications.having('clientId', clientId) !== undefined,
          hasAdministrator: () => administrators(state).length > 0,
          isRecorded: (id, changeId) => (state.users.get(id)?.changeId ?? id) === changeId,
        }
      : undefined,

  *toSnapshot({ began, users, ended, applications: live }) {
    yield JSON.stringify({ began, applications: [...live.all()] });
    for (const part of parts(users.values())) yield JSON.stringify({ users: part });
    for (const part of parts(ended)) yield JSON.stringify({ ended: part });
  },
  fromSnapshot(chunks) {
    const state = accessDecider.initialState();
    for (const chunk of chunks) {
      const { began, ...part } = JSON.parse(chunk) as AccessChunk;
      state.began ||= began === true;
      for (const one of part.applications ?? []) state.applications.put(one);
      for (const user of part.users ?? []) state.users.set(user.id, user);
      for (const id of part.ended ?? []) state.ended.add(id);
    }
    return state;
  },
};

type AccessChunk = Readonly<{
  began?: boolean;
  applications?: readonly Parameters<Applications['put']>[0][];
  users?: readonly KnownUser[];
  ended?: readonly Uuid[];
}>;

function* parts<One>(all: Iterable<One>): Iterable<readonly One[]> {
  let part: One[] = [];
  for (const one of all) {
    part.push(one);
    if (part.length < RECORDS_PER_CHUNK) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

const RECORDS_PER_CHUNK = 4000;

function createUser(
  { ended }: AccessState,
  sent: NewUser,
  { instant }: Stamp,
): Decision<AccessEvent> {
  if (ended.has(sent.id)) throw new Refusal('RECORD_REVOKED', { detail: 'RECORD_REVOKED' });
  const user = { ...sent, createdAt: instant, updatedAt: instant, deletedAt: null };
  checkRecordSize(user);
  return [{ type: 'UserCreated', data: { user } }];
}

function updateUser(
  state: AccessState,
  { id, expected, sealed, groups }: Extract<AccessCommand, { type: 'UpdateUser' }>,
  facts: Facts,
  { instant }: Stamp,
): Decision<AccessEvent> {
  const user = known(state, id);
  if (user.revision !== expected) throw new Refusal('RECORD_CHANGED', { detail: 'RECORD_CHANGED' });
  if (groups?.includes(ADMIN_GROUP) === false) mustLeaveAdministrator(state, user);
  const before = beforeImage(user, facts);
  const { record, changed } = patched<UserRecord>(
    before,
    { sealed: { ...before.sealed, ...sealed }, ...(groups && { groups }) },
    instant,
  );
  checkRecordSize(record);
  const members = changed.flatMap((name) => (name === 'sealed' ? Object.keys(sealed) : [name]));
  const updated = { type: 'UserUpdated', data: { user: record, changed: members } } as const;
  return changed.length === 0 ? { unchanged: updated } : [updated];
}

/** Errors: LAST_ADMINISTRATOR if nobody else could manage access. */
function mustLeaveAdministrator(state: AccessState, user: KnownUser): void {
  if (!user.groups.includes(ADMIN_GROUP) || administrators(state).length > 1) return;
  const detail = `The user is the last one in ${ADMIN_GROUP}; add another one first.`;
  throw refuse('LAST_ADMINISTRATOR', detail);
}

const administrators = ({ users }: AccessState): readonly KnownUser[] =>
  [...users.values()].filter(({ groups }) => groups.includes(ADMIN_GROUP));

function known({ users }: AccessState, id: Uuid): KnownUser {
  const user = users.get(id);
  if (user === undefined) throw userNotFound();
  return user;
}

const beforeImage = ({ revision }: KnownUser, facts: Facts): UserRecord =>
  imageAt('user', revision, facts) as UserRecord;

export const clientTaken = (id: string): Refusal =>
  refuse('IDENTITY_TAKEN', `There is a client ${id}.`, isTaken('clientId', id));

export const userNotFound = (): Refusal => refuse('USER_NOT_FOUND', 'There is no such user.');
