import { PERSON_MEMBERS, type Person, type SealedPerson } from '#src/events/registry/holder.ts';

/** The part of a record's key that seals and opens members by their names. */
export type PersonCipher = Readonly<{
  sealFields: (values: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  openFields: (sealed: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
}>;

/** Seals the members of a person, each for its own place. */
export function sealedPerson(key: PersonCipher, person: Partial<Person>): SealedPerson {
  const texts = PERSON_MEMBERS.flatMap((member) => {
    const value = person[member];
    return value === undefined ? [] : [[member, JSON.stringify(value)] as const];
  });
  return key.sealFields(Object.fromEntries(texts));
}

/** Opens the members of a person. Errors: those of the key, for altered text. */
export function openedPerson(key: PersonCipher, sealed: SealedPerson): Person {
  const opened = key.openFields(sealed);
  const members = Object.entries(opened).map(([member, text]) => [
    member,
    JSON.parse(text) as unknown,
  ]);
  return Object.fromEntries(members) as Person;
}
