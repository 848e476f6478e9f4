import { expect } from 'chai';
import { routes } from '#src/bootstrap/routes.ts';
import {
  isForAnyCaller,
  isOpen,
  namespaceOf,
  permissionText,
  type Namespaces,
  type Permission,
} from '#src/kernel/permission.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { Directories, Directory, DirectoryUser } from '#src/ports/directory.ts';
import { groupsOf } from '#src/runtime/access/groups.ts';
import { createPolicies, localAuthorizer, resourcesBy } from '#src/runtime/access/policies.ts';

const SPLIT: Namespaces = { core: 'quipu', isFolded: false };
const FOLDED: Namespaces = { core: 'quipu', isFolded: true };
/** Needed for /metrics where other machines reach it, which is not an operation. */
const METRICS: Permission = { namespace: 'core', resource: 'metrics', action: 'get' };

/** Resources that the contract lists and no operation asks for (access §11). */
const ASKED_BY_NONE = [
  ...['rules', 'limits', 'reservations', 'validations', 'audit-events'].map(
    (resource) => `companion:${resource}`,
  ),
  ...['plugin-crm:encryption', 'plugin-crm:protection'],
];

const asked: readonly Permission[] = [
  ...routes
    .map(({ permission }) => permission)
    .filter((one) => !isOpen(one) && !isForAnyCaller(one)),
  METRICS,
];

const ID = '0190a1c0-0000-7000-8000-000000000001' as Uuid;
const CREATED = '2026-11-24T00:00:00.000000Z' as Instant;
const userIn = (group: string): DirectoryUser => ({
  ...{ kind: 'user', id: ID, owner: 'default', groups: [group] },
  ...{ createdAt: CREATED, updatedAt: CREATED },
});
const directoriesOf = (group: string): Pick<Directories, 'of'> => ({
  of: () => ({ subject: (id: string) => (id === ID ? userIn(group) : undefined) }) as Directory,
});
const PRINCIPAL = { actor: { type: 'user', id: ID }, claims: {}, tenantId: 'default' };

describe('policies', () => {
  for (const [form, namespaces] of [
    ['split', SPLIT],
    ['core', FOLDED],
  ] as const) {
    it(`know every permission that operations ask for, with AUTH_NAMESPACES=${form}`, () => {
      const known = resourcesBy('quipu');
      for (const permission of asked) {
        const namespace = namespaceOf(permission, namespaces);
        expect(known.get(namespace), permissionText(permission)).to.include(permission.resource);
      }
    });

    it(`decide for this process as they do for others, with AUTH_NAMESPACES=${form}`, () => {
      let granted = 0;
      for (const group of groupsOf('quipu').keys()) {
        const authorizer = localAuthorizer(directoriesOf(group), namespaces);
        const policies = createPolicies('quipu', undefined);
        for (const permission of asked) {
          const { resource, action } = permission;
          const product = namespaceOf(permission, namespaces);
          const here = authorizer.allows(PRINCIPAL, permission, '');
          const elsewhere = policies.decide(userIn(group), {
            sub: `default/${ID}`,
            resource,
            action,
            product,
          });
          expect(elsewhere, `${group} ${permissionText(permission)}`).to.equal(here);
          granted += here === true ? 1 : 0;
        }
      }
      expect(granted).to.be.within(asked.length, asked.length * groupsOf('quipu').size - 1);
    });
  }

  it('know nothing that no operation asks for, but what the contract lists for others', () => {
    const all = new Set(
      [SPLIT, FOLDED].flatMap((namespaces) =>
        asked.map((one) => `${namespaceOf(one, namespaces)}:${one.resource}`),
      ),
    );
    const known = [...resourcesBy('quipu')].flatMap(([namespace, names]) =>
      [...names].map((name) => `${namespace}:${name}`),
    );
    expect(known.filter((one) => !all.has(one)).sort()).to.deep.equal(ASKED_BY_NONE.toSorted());
  });

  it('let administrators do everything, and viewers change only their own password', () => {
    const allowed = (group: string) => {
      const authorizer = localAuthorizer(directoriesOf(group), SPLIT);
      return asked.filter((permission) => authorizer.allows(PRINCIPAL, permission, '') === true);
    };
    expect(allowed('admin-group')).to.deep.equal(asked);
    const viewed = allowed('quipu-viewer-group').filter(
      ({ action }) => !['get', 'head'].includes(action),
    );
    expect(viewed.map(permissionText)).to.deep.equal(['plugin-identity:update-password:patch']);
    expect(allowed('no-such-group').map(permissionText)).to.deep.equal(viewed.map(permissionText));
  });
});
