/** Bounds how much is done at once; those that wait are served in turn. */
export type Slots = Readonly<{
  /** Resolves with a function that frees the slot. Errors: the reason of an aborted signal. */
  take(stop: AbortSignal): Promise<() => void>;
}>;

export function createSlots(max: number): Slots {
  let free = max;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async take(stop) {
      stop.throwIfAborted();
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      if (stop.aborted) release();
      stop.throwIfAborted();
      return release;
    },
  };
}
