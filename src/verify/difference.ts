/** The first event of a journal that does not match, and the reason. */
export type Difference = Readonly<{
  journal: string;
  /** Undefined if the event could not be read far enough to know it. */
  revision: number | undefined;
  /** Empty if no event could be read. */
  eventId: string;
  what: string;
}>;

/** Thrown by a check that finds a difference; the verifier of the journal adds the position. */
export class Differs extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'Differs';
  }
}

export function differ(what: string): never {
  throw new Differs(what);
}

export function describeDifference({ journal, revision, eventId, what }: Difference): string {
  const at = revision === undefined ? '' : ` revision ${revision}`;
  const event = eventId === '' ? '' : `, event ${eventId}`;
  return `${journal}${at}${event}: ${what}`;
}
