import { differ } from '#src/verify/difference.ts';
import { LiveRecords } from '#src/verify/record.ts';
import type { AuditRules } from '#src/verify/rules.ts';

/**
 * The rules of a tenant's access journal, which moves no money: a user is created once, by an id that was not revoked, and
 * everything about its person is sealed; applications have one name each; somebody always manages access.
 */
function createAccessRules(): AuditRules {
  const users = new Map<string, AuditedUser>();
  const ended = new Set<string>();
  const applications = new LiveRecords<AuditedApplication>('Application', 'name');

  const live = (id: string): AuditedUser => users.get(id) ?? differ(`there is no user ${id}`);
  const checked = ({ user }: AccessData): AuditedUser => {
    const plain = Object.keys(user).filter((member) => !PLAIN.has(member));
    if (plain.length > 0) differ(`user ${user.id} has ${plain.join(', ')} in plain text`);
    const sealed = Object.keys(user.sealed).toSorted().join();
    if (sealed !== SEALED) differ(`user ${user.id} has the sealed members ${sealed}`);
    if (user.groups.length === 0) differ(`user ${user.id} is in no group`);
    return user;
  };
  const mustBeManaged = (before: AuditedUser): void => {
    if (!isAdministrator(before)) return;
    if (![...users.values()].some(isAdministrator)) differ('nobody manages access any more');
  };

  const rules: Readonly<Record<string, (data: AccessData) => void>> = {
    ...applications.rules(({ id, ...application }) => {
      const known = Object.keys(application).every((member) => OF_APPLICATION.has(member));
      if (!known) differ(`application ${id} has members that belong elsewhere`);
    }),
    UserCreated(data) {
      const user = checked(data);
      if (users.has(user.id)) differ(`user ${user.id} exists already`);
      if (ended.has(user.id)) differ(`user ${user.id} was deleted or revoked`);
      users.set(user.id, user);
    },
    UserUpdated(data) {
      const user = checked(data);
      const before = live(user.id);
      users.set(user.id, user);
      mustBeManaged(before);
    },
    UserDeleted(data) {
      const before = live(checked(data).id);
      users.delete(before.id);
      ended.add(before.id);
      mustBeManaged(before);
    },
    UserRevoked({ userId }) {
      if (users.has(userId)) differ(`user ${userId} is live`);
      if (ended.has(userId)) differ(`user ${userId} has ended before`);
      ended.add(userId);
    },
    UserPasswordChanged(data) {
      live(data.userId);
      const more = Object.keys(data).filter((member) => !OF_CHANGE.has(member));
      if (more.length > 0) differ(`a change of a password has ${more.join(', ')}`);
    },
  };
  return {
    open: (_, name = 'access') =>
      /^access(-|$)/.test(name) ? name : differ('it begins the access journal of a tenant'),
    apply(type, data) {
      const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
      rule?.(data as AccessData);
      return rule !== undefined;
    },
    transactions: () => 0,
  };
}

const isAdministrator = ({ groups }: AuditedUser): boolean => groups.includes('admin-group');

type AuditedUser = Readonly<{ id: string; groups: readonly string[]; sealed: object }>;
type AuditedApplication = Readonly<{ id: string; name: string }>;
type AccessData = Readonly<{ user: AuditedUser; userId: string }>;

const PLAIN: ReadonlySet<string> = new Set([
  ...['id', 'owner', 'groups', 'sealed', 'createdAt', 'updatedAt', 'deletedAt'],
]);
const SEALED = 'email,firstName,lastName,username';
const OF_CHANGE: ReadonlySet<string> = new Set(['userId', 'changeId']);
/** A client secret would be one member more. */
const OF_APPLICATION: ReadonlySet<string> = new Set([
  ...['name', 'description', 'clientId', 'owner', 'createdAt', 'updatedAt', 'deletedAt'],
]);

export const audit = {
  UserCreated: createAccessRules,
  UserRevoked: createAccessRules,
  ApplicationCreated: createAccessRules,
};
