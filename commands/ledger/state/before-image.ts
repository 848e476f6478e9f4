import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import { imageAt } from '#src/kernel/before-image.ts';
import type { Facts } from '#src/kernel/decider.ts';
import type { Revision } from '#src/kernel/ids.ts';

export { needsBeforeImages } from '#src/kernel/before-image.ts';

type ImageData =
  LedgerEvent['data'] | Extract<OrganizationEvent, { type: 'OrganizationCreated' }>['data'];
type ImageOf<Member extends string, One = ImageData> =
  One extends Readonly<Record<Member, infer Image>> ? Image : never;

/** Returns a record as the event at the revision left it. */
export const beforeImage = <Member extends string>(
  member: Member,
  revision: Revision,
  facts: Facts,
): ImageOf<Member> => imageAt(member, revision, facts) as ImageOf<Member>;
