/** Runs work, after any earlier one with the same id has ended. Errors: those of the work. */
export type InTurn = (id: string, work: () => Promise<void>) => Promise<void>;

export function inTurnById(): InTurn {
  const last = new Map<string, Promise<void>>();
  return (id, work) => {
    const before = last.get(id);
    const running = before === undefined ? work() : before.then(work, work);
    last.set(id, running);
    const forget = (): void => {
      if (last.get(id) === running) last.delete(id);
    };
    running.then(forget, forget);
    return running;
  };
}
