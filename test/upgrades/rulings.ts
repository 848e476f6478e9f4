import type { Expected } from './expected.ts';

/** An answer of the contract that changed after a release had given another one. */
export type Ruling = Readonly<{
  why: string;
  /** The releases that still gave the earlier answer. */
  releases: readonly string[];
  /** Changes one object of the earlier answer; undefined where the ruling does not concern it. */
  now: (value: Json) => Json | undefined;
}>;

type Json = Readonly<Record<string, unknown>>;

/** The folders of releases and their answers never change, so what was ruled since is listed here. */
export const rulings: readonly Ruling[] = [
  {
    why: 'An annotation moves nothing, so its operations show the amount 0 (contract ledger §7.6).',
    releases: ['0.1.0', '0.2.0'],
    now: (value) =>
      value['balanceAffected'] === false ? { ...value, amount: { value: '0' } } : undefined,
  },
];

/** What a release answered, with the rulings since; and how many objects they changed. */
export function ruled(
  body: Expected['reads'][number]['body'],
  release: string,
): Readonly<{ body: unknown; changed: number }> {
  let changed = 0;
  const apply = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(apply);
    if (typeof value !== 'object' || value === null) return value;
    const inner = Object.entries(value).map(([name, member]) => [name, apply(member)] as const);
    let now: Json = Object.fromEntries(inner);
    for (const ruling of rulings.filter(({ releases }) => releases.includes(release))) {
      const other = ruling.now(now);
      if (other === undefined) continue;
      changed += 1;
      now = other;
    }
    return now;
  };
  return { body: apply(body), changed };
}
