/** Permits operations (contract access §11); namespace `core` stands for the platform's own name. */
export type Permission = Readonly<{ namespace: string; resource: string; action: string }>;

/** Declared by probes and pages, which need no token. */
export const OPEN = 'none:get';
export const isOpen = ({ resource }: Permission): boolean => resource === 'none';

/** Declared by operations that every caller with an accepted token may use. */
export const anyCaller = (action: string): Permission => ({
  namespace: 'token',
  resource: 'any',
  action,
});
/** Describes what an operation needs: `namespace:resource:action`, `none`, or `any token`. */
export function permissionText(permission: Permission): string {
  if (isOpen(permission)) return 'none';
  const { namespace, resource, action } = permission;
  return isForAnyCaller(permission) ? 'any token' : `${namespace}:${resource}:${action}`;
}

export const isForAnyCaller = ({ namespace }: Permission): boolean => namespace === 'token';

/** The names of namespaces on the wire. */
export type Namespaces = Readonly<{
  /** The name of `core`. */
  core: string;
  /** True if route definitions and fees are asked for in the core namespace, as newer deployments do. */
  isFolded: boolean;
}>;

export function namespaceOf({ namespace }: Permission, { core, isFolded }: Namespaces): string {
  return namespace === 'core' || (isFolded && FOLDED.includes(namespace)) ? core : namespace;
}

/** The namespaces that newer deployments fold into the core one. */
export const FOLDED: readonly string[] = ['routing', 'plugin-fees'];
