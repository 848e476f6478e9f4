import { journalOfAccess, type AccessFact } from '#commands/access/access.ts';
import type { AccessEvent, UserRecord } from '#src/events/access/access.ts';
import { refuse } from '#src/events/access/refusals.ts';
import type { Steps } from '#src/journal/steps.ts';
import { ACCESS_SCOPE } from '#src/kernel/access-scope.ts';
import type { JournalFact } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import { comparedName, type Profile } from '#src/kernel/profile.ts';
import type { ProtectedRecord, RecordKeys } from '#src/ports/record-keys.ts';
import type { SearchToken, TakenToken, TokenClaim } from '#src/ports/token-index.ts';

/** Submits commands to the journals, and looks up what is in them. */
export type AccessSteps = Pick<Steps, 'submit' | 'tenantId' | 'ids' | 'sleep'> &
  Readonly<{ fact: (journal: JournalName) => Promise<JournalFact | undefined> }>;

/** A member of a person that no two users share, with the token of its value. */
export type UniqueName = Readonly<{ field: UniqueField; value: string; token: SearchToken }>;
type UniqueField = 'username' | 'email';

export const keyScope = (tenantId: string) => ({ tenantId, organizationId: ACCESS_SCOPE });

/** Computes the tokens of the names in a person. Errors: Unavailable. */
export async function uniqueNames(
  keys: Pick<RecordKeys, 'tokens'>,
  tenantId: string,
  profile: Pick<Profile, UniqueField>,
): Promise<readonly UniqueName[]> {
  const names = (['username', 'email'] as const).map((field) => ({
    field,
    value: comparedName(profile[field]),
  }));
  const tokens = await keys.tokens(keyScope(tenantId), names);
  return names.map((name, n) => ({ ...name, token: tokens[n]! }));
}

/**
 * Claims names, which `take` stores. A claim whose user never came to be, because its creation was interrupted, is taken
 * over once the journal has revoked that user; that of an interrupted update, once the journal has ended the validity of
 * the update. Errors: IDENTITY_TAKEN, Refusal, Unavailable.
 */
export async function claimNames(
  steps: AccessSteps,
  keys: Pick<RecordKeys, 'open'>,
  names: readonly UniqueName[],
  take: (claims: readonly TokenClaim[]) => Promise<TakenToken | undefined>,
): Promise<void> {
  const released = new Map<SearchToken, Uuid>();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const taken = await take(
      names.map(({ token }) => {
        const expected = released.get(token);
        return { token, ...(expected !== undefined && { expected }) };
      }),
    );
    if (taken === undefined) {
      for (const name of names) {
        const loser = released.get(name.token);
        if (loser !== undefined) await supersede(steps, keys, loser, name);
      }
      return;
    }
    const name = names.find(({ token }) => token === taken.token);
    if (name === undefined) throw new Error('Only a claimed token is taken');
    await release(steps, keys, taken.recordId, name);
    released.set(taken.token, taken.recordId);
  }
  throw contended();
}

/**
 * Requires that a user who holds the claim does not have the name. Creations and updates under way get a second each to
 * finish. Errors: IDENTITY_TAKEN.
 */
async function release(
  steps: AccessSteps,
  keys: Pick<RecordKeys, 'open'>,
  id: Uuid,
  name: UniqueName,
): Promise<void> {
  const journal = journalOfAccess(steps.tenantId);
  for (const ms of WAITS_MS) {
    const access = (await steps.fact(journal.name)) as AccessFact | undefined;
    if (access !== undefined && access.standingOf(id) !== 'absent') break;
    await steps.sleep(ms);
  }
  if (!(await isLive(steps, id))) return;
  for (const ms of WAITS_MS) {
    if (await hasName(steps, keys, id, name)) throw identityTaken(name);
    await steps.sleep(ms);
  }
}

/** Returns whether there is such a user; if there is none, none with this id can come to be. */
async function isLive({ submit, tenantId }: AccessSteps, id: Uuid): Promise<boolean> {
  try {
    await submit(journalOfAccess(tenantId), { type: 'RevokeUser', id });
    return false;
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'USER_EXISTS') return true;
    throw error;
  }
}

/**
 * Ends the validity of updates that were begun while the user held the claim. Errors: IDENTITY_TAKEN if one was completed
 * meanwhile.
 */
async function supersede(
  steps: AccessSteps,
  keys: Pick<RecordKeys, 'open'>,
  id: Uuid,
  name: UniqueName,
): Promise<void> {
  const before = await userIn(steps, id);
  if (before === undefined) return;
  const { revision: expected } = before;
  await steps.submit(journalOfAccess(steps.tenantId), { type: 'SupersedeUser', id, expected });
  if (await hasName(steps, keys, id, name)) throw identityTaken(name);
}

async function hasName(
  steps: AccessSteps,
  keys: Pick<RecordKeys, 'open'>,
  recordId: Uuid,
  { field, value }: UniqueName,
): Promise<boolean> {
  const found = await userIn(steps, recordId);
  const record: ProtectedRecord = { ...keyScope(steps.tenantId), recordId };
  const key = found && (await keys.open(record));
  if (found === undefined || key === undefined) return false;
  return comparedName(key.open(field, found.user.sealed[field])) === value;
}

/** Reads a user from the journal; undefined if there is none. */
export async function userIn(
  { submit, tenantId }: Pick<Steps, 'submit' | 'tenantId'>,
  id: Uuid,
): Promise<Readonly<{ user: UserRecord; revision: Revision }> | undefined> {
  try {
    const { events } = await submit(journalOfAccess(tenantId), { type: 'ReadUser', id });
    const [event] = events;
    if (event === undefined) throw new Error('A user has an event');
    return { user: userOf(event), revision: event.revision };
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'USER_NOT_FOUND') return undefined;
    throw error;
  }
}

export function userOf(event: AccessEvent): UserRecord {
  if ('user' in event.data) return event.data.user;
  throw new Error('The event has the image of a user');
}

const identityTaken = ({ field }: UniqueName): Refusal =>
  refuse('IDENTITY_TAKEN', `Another user has this ${field}.`, {
    findings: [{ location: field, message: 'is taken' }],
  });

/** Returns whether a username, an email, a client id or the name of an application is that of somebody else. */
export const isIdentityTaken = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.refusal === 'IDENTITY_TAKEN';

export const contended = (): Refusal =>
  refuse('UNAVAILABLE', 'The user is being changed by others; try again shortly.', {
    retryAfterSeconds: 1,
  });

/** Each round ends with the creation or the change of this user or of another one. */
export const ROUNDS_MAX = 10;
const WAITS_MS = [5, 10, 25, 50, 100, 200, 300, 300] as const;
