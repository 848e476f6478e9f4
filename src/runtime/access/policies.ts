import { FOLDED, namespaceOf, type Namespaces, type Permission } from '#src/kernel/permission.ts';
import type { Authorizer } from '#src/ports/authorizer.ts';
import type { Directories, Directory, DirectorySubject } from '#src/ports/directory.ts';
import type { AccessPolicies } from '#src/ports/policies.ts';
import type { TokenTenants } from '#src/ports/token-tenants.ts';
import { groupsOf, type Group } from './groups.ts';
import { ownerOf } from './issued-tokens.ts';

/** Creates the policies of the seeded groups. `core` is the name of the core namespace. */
export function createPolicies(
  core: string,
  tenants: Pick<TokenTenants, 'nameOf'> | undefined,
): AccessPolicies {
  const groups = groupsOf(core);
  const resources = resourcesBy(core);

  /** A grant on a namespace counts for its resources in the core one as well, where newer deployments ask for them. */
  const covers = ({ namespaces }: Group, namespace: string, resource: string): boolean =>
    namespaces === 'all' ||
    namespaces.has(namespace) ||
    (namespace === core &&
      FOLDED.some((own) => namespaces.has(own) && resources.get(own)?.has(resource) === true));

  const may = (
    subject: DirectorySubject,
    namespace: string,
    resource: string,
    action: string,
  ): boolean =>
    resources.get(namespace)?.has(resource) === true &&
    (isOwnPassword(subject, namespace, resource, action) ||
      grantsOf(subject, groups).some(
        (group) => covers(group, namespace, resource) && group.actions.has(action),
      ));

  return {
    decide(subject, { sub, resource, action, product }) {
      if (subject.kind === 'application') {
        const named = /^admin\/(.+)-editor-role$/.exec(sub)?.[1];
        return named !== undefined && may(subject, named, resource, action);
      }
      if (sub !== `${ownerOf(subject, tenants)}/${subject.id}`) return false;
      return product === undefined
        ? [...resources.keys()].some((namespace) => may(subject, namespace, resource, action))
        : may(subject, product, resource, action);
    },

    permissionsOf(subject, product) {
      const found = new Map<string, Set<string>>();
      for (const [namespace, names] of resources) {
        if (product !== undefined && product !== namespace) continue;
        for (const resource of names) {
          const actions = ACTIONS.filter((action) => may(subject, namespace, resource, action));
          if (actions.length === 0) continue;
          const shown = resource === UPDATE_PASSWORD ? OWN_PASSWORD : resource;
          found.set(shown, new Set([...(found.get(shown) ?? []), ...actions]));
        }
      }
      const sorted = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return Object.fromEntries(sorted.map(([name, actions]) => [name, [...actions].sort()]));
    },
  };
}

/** Decides for the operations of this process; `namespaces` are those that it would ask for elsewhere. */
export function localAuthorizer(
  directories: Pick<Directories, 'of'>,
  namespaces: Namespaces,
): Authorizer {
  const groups = groupsOf(namespaces.core);
  return {
    decisionSeconds: 0, // Groups change, and a decision takes less time than finding an earlier one.
    allows({ actor, tenantId }, permission) {
      const { namespace, resource, action } = permission;
      const asked = namespaceOf(permission, namespaces);
      const isAllowed = (directory: Directory): boolean => {
        const subject = directory.subject(actor.id);
        if (subject === undefined) return false;
        return (
          isOwnPassword(subject, namespace, resource, action) ||
          grantsOf(subject, groups).some((group) => isGranted(group, permission, asked))
        );
      };
      const directory = directories.of(tenantId);
      return directory instanceof Promise ? directory.then(isAllowed) : isAllowed(directory);
    },
  };
}

/** A grant survives a change of the namespaces that deployments ask for. */
export const isGranted = (
  { namespaces, actions }: Group,
  { namespace, action }: Permission,
  asked: string,
): boolean =>
  actions.has(action) &&
  (namespaces === 'all' || namespaces.has(namespace) || namespaces.has(asked));

/** An application may do on its product what editors may, and nothing elsewhere. */
function grantsOf(subject: DirectorySubject, groups: ReadonlyMap<string, Group>): readonly Group[] {
  if (subject.kind === 'user') return subject.groups.flatMap((id) => groups.get(id) ?? []);
  const { product } = subject;
  return [groups.get(`${product}-editor-group`) ?? editorOf(product)];
}

const editorOf = (product: string): Group => ({
  namespaces: new Set([product]),
  actions: new Set(ACTIONS),
});

const isOwnPassword = (
  { kind }: DirectorySubject,
  namespace: string,
  resource: string,
  action: string,
): boolean =>
  kind === 'user' &&
  namespace === 'plugin-identity' &&
  resource === UPDATE_PASSWORD &&
  action === 'patch';

/**
 * The resources of each namespace (contract access §11). The core one has those of route definitions and fees as well, for
 * deployments that ask for them there.
 */
export function resourcesBy(core: string): ReadonlyMap<string, ReadonlySet<string>> {
  const routing = ['account-types', 'operation-routes', 'transaction-routes'];
  const fees = ['packages', 'fees', 'estimates', 'billing-packages', 'billing-calculate'];
  return new Map(
    Object.entries({
      [core]: [...CORE, ...routing, ...fees],
      routing,
      'plugin-fees': fees,
      'plugin-crm': ['holders', 'aliases', 'encryption', 'protection'],
      'plugin-identity': ['applications', 'groups', 'users', UPDATE_PASSWORD, 'reset-password'],
      companion: ['rules', 'limits', 'reservations', 'validations', 'audit-events'],
      streaming: ['subscriptions', 'deliveries'],
    }).map(([namespace, names]) => [namespace, new Set(names)]),
  );
}

const CORE = [
  ...['organizations', 'ledgers', 'settings', 'assets', 'asset-rates', 'portfolios', 'segments'],
  ...['accounts', 'balances', 'transactions', 'operations', 'holders', 'instruments', 'encryption'],
  ...['protection', 'fee-debts', 'account-block-exceptions', 'dashboard', 'streaming-manifest'],
  ...['journal', 'metrics'],
];

const ACTIONS: readonly string[] = ['delete', 'get', 'head', 'patch', 'post', 'put'];
const UPDATE_PASSWORD = 'update-password';
/** Clients know the permission to change one's own password by this name. */
const OWN_PASSWORD = 'users/password';
