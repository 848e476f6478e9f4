/** The first thing in a journal that is not as it must be. */
export type Difference = Readonly<{
  journal: string;
  revision: number;
  /** Empty where there is no event that could be read. */
  eventId: string;
  what: string;
}>;

/** How a check says no; the verifier of the journal adds the place. */
export class Differs extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'Differs';
  }
}

export function differ(what: string): never {
  throw new Differs(what);
}

export const describeDifference = ({ journal, revision, eventId, what }: Difference): string =>
  `${journal} revision ${revision}${eventId === '' ? '' : `, event ${eventId}`}: ${what}`;
