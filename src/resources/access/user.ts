import type { UserRecord } from '#src/events/access/access.ts';
import type { Profile } from '#src/kernel/profile.ts';
import type { Schema, ValueReader } from '#src/kernel/schema.ts';
import { instant, NOT_BLANK, record, uuid } from '#src/kernel/schema-fragments.ts';
import { addFinding } from '#src/kernel/value-reader.ts';
import { newPassword } from './password.ts';

/* Contract access §8. */

const name = {
  type: 'string',
  minLength: 3,
  maxLength: 255,
  pattern: NOT_BLANK,
  must: 'not be blank',
} as const;

const email = {
  type: 'string',
  maxLength: 255,
  pattern: '^[^ \\t\\r\\n@]+@[^ \\t\\r\\n@.]+([.][^ \\t\\r\\n@.]+)+$',
  must: 'be an email address',
  examples: ['ana.lima@example.com'],
} as const;

const groups = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { type: 'string', maxLength: 255 },
  examples: [['quipu-viewer-group']],
  description: '1 to 100 ids of groups, which say what the user may do',
} as const;

export const createUserBody = {
  ...record(
    { email, firstName: name, lastName: name, username: name, password: newPassword, groups },
    ['email', 'firstName', 'lastName', 'username', 'password', 'groups'],
  ),
  confidential: true,
} as const satisfies Schema;

/** Refuses a member with a code that says why; it may be a password, so that it is not repeated. */
const immutable = {
  reads: {
    read(sent, findings) {
      addFinding(findings, 'IMMUTABLE_FIELD', '', 'cannot be changed here');
      return sent;
    },
    refusals: ['IMMUTABLE_FIELD'],
  } satisfies ValueReader as ValueReader,
} as const;

const changes = { firstName: name, lastName: name, email, groups } as const;

export const updateUserBody = {
  ...record({ ...changes, id: immutable, username: immutable, password: immutable }, []),
  published: { title: 'UpdateUserRequest', ...record(changes, []) },
  confidential: true,
} as const satisfies Schema;

export const resetPasswordBody = {
  ...record({ newPassword }, ['newPassword']),
  confidential: true,
} as const satisfies Schema;

export const updatePasswordBody = {
  ...record({ oldPassword: { type: 'string', maxLength: 1024 }, newPassword }, [
    ...(['oldPassword', 'newPassword'] as const),
  ]),
  confidential: true,
} as const satisfies Schema;

/** Success has nothing to tell; an empty object is what clients expect. */
export const emptySchema = { title: 'Empty', ...record({}, []) } as const;

const shown = { type: 'string' } as const;

export const userSchema = {
  title: 'User',
  links: { members: { user_id: 'id' } },
  ...record(
    {
      id: uuid,
      username: shown,
      firstName: shown,
      lastName: shown,
      email: shown,
      groups: { type: 'array', items: shown },
      createdAt: instant,
      updatedAt: instant,
    },
    ['id', 'username', 'firstName', 'lastName', 'email', 'groups', 'createdAt', 'updatedAt'],
  ),
} as const satisfies Schema;

/** Shows a user with the person in plain text. */
export const userView = (
  { id, groups: ids, createdAt, updatedAt }: Omit<UserRecord, 'sealed' | 'owner' | 'deletedAt'>,
  { username, firstName, lastName, email: address }: Profile,
): object => ({
  id,
  username,
  firstName,
  lastName,
  email: address,
  groups: ids,
  createdAt,
  updatedAt,
});
