import type { Person, PersonDetails } from '#src/events/registry/holder.ts';
import type { Address } from '#src/events/shared.ts';

/** A person as a request describes it; null clears a member, and absent members stay as they are. */
export type PersonChanges = Readonly<{
  name?: string | undefined;
  document?: string | undefined;
  addresses?: ChangedDetails | null | undefined;
  contact?: ChangedDetails | null | undefined;
  naturalPerson?: ChangedDetails | null | undefined;
  legalPerson?: ChangedDetails | null | undefined;
}>;

export type ChangedDetails = Readonly<{
  [Member in string]?: string | ChangedDetails | null | undefined;
}>;

/**
 * Returns a person after a change (contract registry-and-fees §A5): nested objects are merged member by member, and
 * those that become empty are left out. Dates lose their time.
 */
export function changedPerson(before: Partial<Person>, changes: PersonChanges): Person {
  const { name = before.name, document = before.document } = changes;
  if (name === undefined || document === undefined) throw new Error('A person lacks its name');
  const addresses = merged(before.addresses, changes.addresses);
  const contact = merged(before.contact, changes.contact);
  const naturalPerson = withDay(merged(before.naturalPerson, changes.naturalPerson), 'birthDate');
  const legalPerson = withDay(merged(before.legalPerson, changes.legalPerson), 'foundingDate');
  return {
    name,
    document,
    ...(addresses && { addresses: addressesOf(addresses) }),
    ...(contact && { contact }),
    ...(naturalPerson && { naturalPerson }),
    ...(legalPerson && { legalPerson }),
  };
}

/** Merges by RFC 7396; undefined if nothing is left. */
export function merged(
  before: object | undefined,
  changes: ChangedDetails | null | undefined,
): PersonDetails | undefined {
  if (changes === undefined) return before as PersonDetails | undefined;
  if (changes === null) return undefined;
  const after = { ...(before as Record<string, string | PersonDetails>) };
  for (const [name, change] of Object.entries(changes)) {
    if (change === undefined) continue;
    const known = after[name];
    const value =
      typeof change === 'object'
        ? merged(typeof known === 'object' ? known : undefined, change)
        : change;
    if (value === undefined) Reflect.deleteProperty(after, name);
    else after[name] = value;
  }
  return Object.keys(after).length === 0 ? undefined : after;
}

/** Keeps the date of a date-time. */
export function withDay(
  details: PersonDetails | undefined,
  member: string,
): PersonDetails | undefined {
  const moment = details?.[member];
  return typeof moment === 'string' ? { ...details, [member]: moment.slice(0, 10) } : details;
}

/** An address shows its six members, set or not. */
const addressesOf = (sent: PersonDetails): Readonly<Record<string, Address>> =>
  Object.fromEntries(
    Object.entries(sent).map(([name, address]) => [
      name,
      { ...NO_ADDRESS, ...(address as object) },
    ]),
  );

const NO_ADDRESS: Address = {
  line1: '',
  line2: null,
  zipCode: '',
  city: '',
  state: '',
  country: '',
};
