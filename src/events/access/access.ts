import type { Uuid } from '#src/kernel/ids.ts';
import type { Profile } from '#src/kernel/profile.ts';
import type { Lifetime, RecordEvent } from '#src/kernel/record.ts';

/** The members of a person, each encrypted with the key of the record. */
export type SealedProfile = Profile;

/** A user as the log has it: once the key of the record is destroyed, nothing tells who it was. */
export type UserRecord = Readonly<{
  id: Uuid;
  /** The tenant of the user or application that created it. */
  owner: string;
  /** Ids of groups, such as `admin-group`. */
  groups: readonly string[];
  sealed: SealedProfile;
}> &
  Omit<Lifetime, 'id'>;

export type ApplicationFields = Readonly<{
  /** The product that it is for. */
  name: string;
  description: string;
  clientId: string;
  owner: string;
}>;
export type ApplicationRecord = ApplicationFields & Lifetime;

/** The events of the access journal of a tenant. Passwords and client secrets are in the SecretStore only. */
export type AccessEvent =
  | Readonly<{ type: 'UserCreated'; data: Readonly<{ user: UserRecord }> }>
  | Readonly<{
      type: 'UserUpdated';
      /** Without `changed` members, it only ends the validity of an update that another process may have begun. */
      data: Readonly<{ user: UserRecord; changed: readonly string[] }>;
    }>
  /** The key of the record, and the password, are destroyed next. */
  | Readonly<{ type: 'UserDeleted'; data: Readonly<{ user: UserRecord }> }>
  /**
   * No user with this id comes to be: its creation was interrupted after its key was made. Another user may claim its
   * names from then on.
   */
  | Readonly<{ type: 'UserRevoked'; data: Readonly<{ userId: Uuid }> }>
  /**
   * The password was changed before; `changeId` is stored with its hash, so that an interrupted change is found. It ends
   * every session of the user that began before, except `keptSession`.
   */
  | Readonly<{
      type: 'UserPasswordChanged';
      data: Readonly<{ userId: Uuid; changeId: Uuid; keptSession?: Uuid }>;
    }>
  | ApplicationEvent;

/** Applications are not updated. */
export type ApplicationEvent = Exclude<
  RecordEvent<'Application', ApplicationRecord>,
  Readonly<{ type: 'ApplicationUpdated' }>
>;

/** The group whose last member stays. */
export const ADMIN_GROUP = 'admin-group';
