import type { Profile } from '#src/kernel/profile.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { Instant, Micros } from '#src/kernel/instant.ts';

/** A live user, without anything that tells who the person is. */
export type DirectoryUser = Readonly<{
  kind: 'user';
  id: Uuid;
  /** The tenant that it belongs to. */
  owner: string;
  /** Ids of groups. */
  groups: readonly string[];
  createdAt: Instant;
  updatedAt: Instant;
  /** The last change of the password, which ended every session before it except the one that changed it. */
  passwordChange?: Readonly<{ at: Micros; keptSession?: Uuid }>;
}>;

/** A live application; its tokens have its client id as their subject. */
export type DirectoryApplication = Readonly<{
  kind: 'application';
  id: Uuid;
  clientId: string;
  owner: string;
  /** The product that it was created for, such as `plugin-fees`. */
  product: string;
  description: string;
  createdAt: Instant;
}>;

/** Someone who may have a token. */
export type DirectorySubject = DirectoryUser | DirectoryApplication;

/** The reason why what was granted to a subject before must not be used any longer. */
export type SubjectChange = Readonly<{
  /** The id of a user, or the client id of an application. */
  subject: string;
  reason: 'deleted' | 'groups' | 'password';
}>;

/**
 * The users and applications of a tenant, as a fold of their journal in memory. It has what this process recorded, and
 * what others recorded within five seconds.
 */
export interface Directory {
  /** Returns a live user by its id, or a live application by its client id. */
  subject(id: string): DirectorySubject | undefined;

  /** Lists live users in the order of their creation; with `group`, those in it. */
  users(group?: string): readonly DirectoryUser[];
  /** Lists live applications in the order of their creation. */
  applications(): readonly DirectoryApplication[];

  /** Returns the id of the live user with this username, in any letter case. Errors: Unavailable. */
  userByName(username: string): Promise<Uuid | undefined>;

  /** Returns the person in plain text; undefined if there is no such user. Errors: Unavailable, Damaged. */
  profile(userId: Uuid): Promise<Profile | undefined>;

  /**
   * Resolves once everything recorded so far is in the directory, and at least this revision of its journal; with false
   * if the journal ends before it. Errors: Unavailable.
   */
  reached(revision?: Revision): Promise<boolean>;

  /** Calls the listener with every change that is recorded from now on, by any process. */
  changed(listener: (change: SubjectChange) => void): void;
}

/** The directories of all tenants, each by the id that the events of its tenant record. */
export interface Directories {
  /** Returns the directory of a tenant, at once unless it has to be read for the first time. Errors: Unavailable. */
  of(tenantId: string): Directory | Promise<Directory>;

  /** Calls the listener with every change in a directory that was read before. */
  changed(listener: (change: SubjectChange, directory: Directory) => void): void;
}
