import { changedPerson, type PersonChanges } from '#commands/registry/person.ts';
import { holderNotFound } from '#src/events/registry/absent.ts';
import {
  PERSON_MEMBERS,
  type HolderRecord,
  type Person,
  type PersonMember,
} from '#src/events/registry/holder.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import { canonical } from '#src/http/fingerprint.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { MetadataChanges } from '#src/kernel/patch.ts';
import type { DataKey } from '#src/ports/record-keys.ts';
import { openedPerson, sealedPerson } from '#src/resources/registry/person.ts';
import { changeRecord, differing } from './change-record.ts';

type HolderChanges = PersonChanges &
  Readonly<{ externalId?: string | null | undefined; metadata?: MetadataChanges | undefined }>;

export type ChangedHolder = Readonly<{ holder: HolderRecord; person: Person; revision: number }>;

/** Errors: Refusal, Unavailable. */
export async function changeHolder(
  request: Request<Readonly<{ organization_id: Uuid; holder_id: Uuid }>>,
  services: Services,
  { externalId, metadata, ...changes }: HolderChanges,
): Promise<ChangedHolder> {
  const { holder_id: id } = request.path;
  const { event, prepared, revision } = await changeRecord(request, services, {
    id,
    read: { type: 'ReadHolder', id },
    notFound: holderNotFound,
    async prepare(last, key, expected) {
      const before = holderIn(last);
      if (before.deletedAt !== null) throw holderNotFound();
      const known = openedPerson(key, before.sealed);
      const person = changedPerson(known, changes);
      const sealed = sealedChanges(key, known, person);
      const update = { type: 'UpdateHolder', id, expected, sealed, externalId, metadata } as const;
      return { command: update, prepared: person };
    },
  });
  return { holder: holderIn(event), person: prepared, revision };
}

/** Null removes a member. */
function sealedChanges(
  key: DataKey,
  before: Person,
  after: Person,
): Readonly<Record<string, string | null>> {
  const { changed, removed } = differing(PERSON_MEMBERS, (member) => [
    textOf(before, member),
    textOf(after, member),
  ]);
  const kept = Object.fromEntries(changed.map((member) => [member, after[member]]));
  return { ...sealedPerson(key, kept), ...removed };
}

const textOf = (person: Person, member: PersonMember): string | undefined =>
  person[member] === undefined ? undefined : canonical(person[member]);

function holderIn(event: RegistryEvent): HolderRecord {
  switch (event.type) {
    case 'HolderCreated':
    case 'HolderUpdated':
    case 'HolderDeleted':
      return event.data.holder;
    default:
      throw new Error('The last event of a holder has its record');
  }
}
