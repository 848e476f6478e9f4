/** The members of a user that tell who the person is, in the order in which responses show them. */
export const PROFILE_MEMBERS = ['username', 'firstName', 'lastName', 'email'] as const;

/** A person in plain text, which no event, row, snapshot or log line ever holds. */
export type Profile = Readonly<Record<(typeof PROFILE_MEMBERS)[number], string>>;

/** Names are compared without letter case and in one Unicode form, so that no two users look alike. */
export const comparedName = (name: string): string => name.normalize('NFKC').toLowerCase();
