import type { Method } from './route.ts';

/** The values at a path by method, in upper case as on the wire. */
export type Endpoint<T> = Readonly<{ methods: Readonly<Record<string, T>>; allow: string }>;

export type Match<T> = Readonly<{ endpoint: Endpoint<T>; values: readonly string[] }>;

/**
 * A tree over path segments. Express tries its routes one by one with a regular expression each, which for a table of
 * 150 costs more than the rest of a request; here the cost depends on the length of the path. A literal segment wins
 * over a parameter and is never taken as one (`metrics`, `alias`; contract ledger §1.9). Literals match in any letter
 * case; one trailing slash is dropped; an empty segment matches nothing.
 */
export class Router<T> {
  private readonly root: Node<T> = emptyNode();

  /** Adds a value. Errors: a second route of the same method and path, which is a mistake in the table. */
  add(method: Method, path: string, value: T): void {
    let node = this.root;
    for (const segment of path.slice(1).split('/')) {
      const key = segment.startsWith('{') ? PARAMETER : segment.toLowerCase();
      if (segment.endsWith('id}')) node.takesId = true;
      node.longest = Math.max(node.longest, key.length);
      let next = node.children.get(key);
      if (next === undefined) node.children.set(key, (next = emptyNode()));
      node = next;
    }
    const name = method.toUpperCase();
    if (node.methods[name] !== undefined) throw new Error(`Two routes for ${name} ${path}`);
    node.methods[name] = value;
    node.allow = allowOf(Object.keys(node.methods));
  }

  /** Finds the values of a path; parameters are still percent-encoded. */
  find(path: string): Match<T> | undefined {
    const values: string[] = [];
    let node = this.root;
    const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
    let from = 1;
    while (from <= end) {
      const slash = path.indexOf('/', from);
      const to = slash === -1 || slash > end ? end : slash;
      if (to === from) return undefined;
      const segment = path.slice(from, to);
      // Looking an id up among literals would make the engine keep it in memory as an internalized string.
      let next =
        segment.length > node.longest
          ? undefined
          : (node.children.get(segment) ?? node.children.get(segment.toLowerCase()));
      if (next === undefined) {
        next = node.children.get(PARAMETER);
        if (next === undefined || (node.takesId && isReserved(segment))) {
          return undefined;
        }
        values.push(segment);
      }
      node = next;
      from = to + 1;
    }
    return node.allow === '' ? undefined : { endpoint: node, values };
  }
}

/** Literals that name operations, in this release or in others; none of them is ever an id. */
const RESERVED: ReadonlySet<string> = new Set(
  'metrics alias external block-exceptions json dsl inflow outflow annotation block unblock batch'.split(
    ' ',
  ),
);

const isReserved = (segment: string): boolean =>
  segment.length <= RESERVED_MAX && RESERVED.has(segment.toLowerCase());
const RESERVED_MAX = Math.max(...Array.from(RESERVED, ({ length }) => length));

type Node<T> = {
  /** The parameter below it is an id. */
  takesId: boolean;
  children: Map<string, Node<T>>;
  /** The length of the longest literal below it, in characters. */
  longest: number;
  methods: Record<string, T>;
  allow: string;
};

/** The key of a parameter; no path segment is empty. */
const PARAMETER = '';

const emptyNode = <T>(): Node<T> => ({
  takesId: false,
  children: new Map(),
  longest: 0,
  methods: {},
  allow: '',
});

/** Returns the Allow header of a path with these methods. */
export const allowOf = (methods: readonly string[]): string =>
  [...methods, ...(methods.includes('GET') && !methods.includes('HEAD') ? ['HEAD'] : [])].join(
    ', ',
  );
