import type { NewHolder } from '#commands/registry/registry.ts';
import { organizationNotFound } from '#src/events/ledger/absent.ts';
import { holderNotFound } from '#src/events/registry/absent.ts';
import type { HolderRecord, Person } from '#src/events/registry/holder.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import { canonical } from '#src/http/fingerprint.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import { sealedPerson } from '#src/resources/registry/person.ts';
import { RecordCreation, type CreatedRecord } from './create-record.ts';

export type CreatedHolder = Readonly<{
  holder: HolderRecord;
  person: Person;
  revision: number;
  replayed: boolean;
}>;

type NewMembers = Pick<NewHolder, 'externalId' | 'type' | 'metadata'>;

/** Creates a holder whose document no live holder of the organization has. Errors: Refusal, Unavailable. */
export async function createHolder(
  request: Request<Readonly<{ organization_id: Uuid }>>,
  services: Services,
  members: NewMembers,
  person: Person,
): Promise<CreatedHolder> {
  const { organization_id: organizationId } = request.path;
  const creation = new RecordCreation(request, services, {
    text: canonical({ ...members, ...person }),
    creationIn: holderCreation,
    id: ({ holder }) => holder.id,
    notFound: holderNotFound,
  });
  /** A replay has the same request, and thereby the same person. */
  const created = (made: CreatedRecord<HolderCreation>): CreatedHolder => {
    const { revision, replayed } = made;
    return { holder: made.creation.holder, person, revision, replayed };
  };
  const earlier = await creation.earlier();
  if (earlier !== undefined) return created(earlier);
  const organization = await services.commands.fact(request, organizationJournal(organizationId));
  if (organization?.live !== true) throw organizationNotFound();

  const made = await creation.create({
    values: [{ field: 'document', value: person.document }],
    isClaimed: true,
    command({ id, key, ...carried }) {
      const { externalId, type, metadata } = members;
      const holder = {
        id,
        organizationId,
        ...(externalId !== undefined && { externalId }),
        type,
        sealed: sealedPerson(key, person),
        ...(metadata !== undefined && { metadata }),
      };
      return { type: 'CreateHolder', holder, ...carried };
    },
  });
  return created(made);
}

type HolderCreation = Extract<RegistryEvent, { type: 'HolderCreated' }>['data'];

const holderCreation = ({ type, data }: RegistryEvent): HolderCreation | undefined =>
  type === 'HolderCreated' ? data : undefined;
