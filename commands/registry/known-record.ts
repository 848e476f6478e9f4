import type { Revision, Uuid } from '#src/kernel/ids.ts';

/** A sealed record as far as decisions need to know it: nothing about the person. */
export type KnownRecord = Readonly<{
  id: Uuid;
  /** Nothing may name a holder that is closing; it is deleted next, unless it owns accounts. Only holders close. */
  is: 'live' | 'closing' | 'deleted' | 'erasing';
  /** The revisions of its first and its last event. */
  first: Revision;
  revision: Revision;
  /** The revision at which it last began to close. */
  closing?: Revision;
  certificateId?: Uuid;
}>;
