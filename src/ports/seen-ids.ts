/**
 * Remembers the ids of events that were handled. Errors: those of the store; an event whose id cannot be remembered is
 * handled again.
 */
export interface SeenIds<Kept extends boolean | Promise<boolean> = boolean | Promise<boolean>> {
  has(id: string): boolean | Promise<boolean>;

  /** Remembers an id. Returns false if it was remembered before. Durable when it returns or its transaction commits. */
  remember(id: string): Kept;
}
