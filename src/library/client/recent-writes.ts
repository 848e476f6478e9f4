/** Remembers what this client wrote, so that its reads show at least that. */
export type RecentWrites = Readonly<{
  /** Adds the token of a response. */
  add(token: string): void;
  /** Returns one token for everything that was added; undefined if there is nothing. */
  token(): string | undefined;
}>;

/**
 * Creates a RecentWrites. A token is a JSON object in base64url with a revision for each journal, so tokens are joined by
 * the highest revision of each. The server accepts 4096 characters: only the journals written last are kept.
 */
export function createRecentWrites(): RecentWrites {
  const revisions = new Map<string, number>();
  return {
    add(token) {
      for (const [journal, revision] of Object.entries(decoded(token))) {
        const newest = Math.max(revision, revisions.get(journal) ?? 0);
        revisions.delete(journal); // A map keeps the order of insertion.
        revisions.set(journal, newest);
      }
      for (const journal of revisions.keys()) {
        if (revisions.size <= JOURNALS_MAX) break;
        revisions.delete(journal);
      }
    },
    token: () => (revisions.size === 0 ? undefined : encoded(Object.fromEntries(revisions))),
  };
}

const decoded = (token: string): Readonly<Record<string, number>> =>
  JSON.parse(atob(token.replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, number>;

const encoded = (revisions: Readonly<Record<string, number>>): string =>
  btoa(JSON.stringify(revisions)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

const JOURNALS_MAX = 32;
