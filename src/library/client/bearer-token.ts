/** A bearer token, or a function that gets one. It is called again when the server no longer accepts the last one. */
export type TokenSource = string | (() => string | Promise<string>);

export type BearerToken = Readonly<{
  /** Returns the current token. Errors: those of the source. */
  get(): Promise<string | undefined>;
  /** Drops a token that the server refused; returns whether the source can be asked for another. */
  expire(token: string | undefined): boolean;
}>;

/** Creates a BearerToken. Requests that wait for a token at the same time share one call of the source. */
export function createBearerToken(source: TokenSource | undefined): BearerToken {
  if (typeof source !== 'function') return { get: async () => source, expire: () => false };
  let current: Promise<string> | undefined;
  let last: string | undefined;
  return {
    async get() {
      current ??= Promise.resolve(source());
      const mine = current;
      try {
        last = await mine;
        return last;
      } catch (error) {
        if (current === mine) current = undefined;
        throw error;
      }
    },
    expire(token) {
      if (token === last) current = undefined; // Otherwise another request has replaced it.
      return true;
    },
  };
}
