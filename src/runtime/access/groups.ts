/** A group of the contract (access §11); a namespace is `core` or a name on the wire. */
export type Group = Readonly<{
  namespaces: ReadonlySet<string> | 'all';
  actions: ReadonlySet<string>;
}>;

/** Returns the groups by name; `platform` is the name of the core namespace. */
export function groupsOf(platform: string): ReadonlyMap<string, Group> {
  const products = {
    [platform]: ['core', platform, 'routing', 'streaming'],
    'plugin-fees': ['plugin-fees'],
    'plugin-crm': ['plugin-crm'],
  };
  return new Map<string, Group>([
    ['admin-group', { namespaces: 'all', actions: new Set(LEVELS.editor) }],
    ...Object.entries(products).flatMap(([product, namespaces]) =>
      Object.entries(LEVELS).map(([level, actions]): [string, Group] => [
        `${product}-${level}-group`,
        { namespaces: new Set(namespaces), actions: new Set(actions) },
      ]),
    ),
  ]);
}

const LEVELS = {
  editor: ['get', 'head', 'post', 'patch', 'put', 'delete'],
  contributor: ['get', 'head', 'post', 'patch'],
  viewer: ['get', 'head'],
} as const;
