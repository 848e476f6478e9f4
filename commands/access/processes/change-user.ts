import { journalOfAccess, userNotFound } from '#commands/access/access.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { comparedName, PROFILE_MEMBERS, type Profile } from '#src/kernel/profile.ts';
import { Destroyed } from '#src/ports/secret-store.ts';
import {
  claimNames,
  contended,
  keyScope,
  ROUNDS_MAX,
  uniqueNames,
  userIn,
  userOf,
  type AccessSteps,
} from './claims.ts';
import type { StoredUser } from './create-user.ts';
import type { AccessServices } from './services.ts';

/** Members that are undefined stay as they are. */
export type UserChanges = Readonly<{
  firstName?: string | undefined;
  lastName?: string | undefined;
  email?: string | undefined;
  groups?: readonly string[] | undefined;
}>;

export type ChangedUser = StoredUser & Readonly<{ profile: Profile }>;

/**
 * Changes a user. It is opened, merged and sealed outside the journal's rules, which accept the result only if the user has
 * not changed meanwhile; otherwise it is read again. The claim to a new email is durable before the event, and that to the
 * old one is given up after it. Errors: USER_NOT_FOUND, IDENTITY_TAKEN, LAST_ADMINISTRATOR, Refusal, Unavailable.
 */
export async function changeUser(
  steps: AccessSteps,
  { protection }: Pick<AccessServices, 'protection'>,
  id: Uuid,
  { groups, ...sent }: UserChanges,
): Promise<ChangedUser> {
  const { tenantId, submit } = steps;
  const { keys, index } = await protection();
  const record = { ...keyScope(tenantId), recordId: id };

  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const before = await userIn(steps, id);
    const key = before && (await keys.open(record));
    if (before === undefined || key === undefined) throw userNotFound();
    const known: Profile = key.openFields(before.user.sealed);
    const given = Object.entries(sent).filter(([, value]) => value !== undefined);
    const profile: Profile = { ...known, ...Object.fromEntries(given) };
    const changed = PROFILE_MEMBERS.filter((member) => profile[member] !== known[member]);
    const sealed = key.sealFields(
      Object.fromEntries(changed.map((member) => [member, profile[member]])),
    );

    const hasNewEmail = comparedName(profile.email) !== comparedName(known.email);
    const names = hasNewEmail ? await uniqueNames(keys, tenantId, profile) : [];
    try {
      const claimed = names.filter(({ field }) => field === 'email');
      if (hasNewEmail) {
        await claimNames(steps, keys, claimed, (claims) =>
          index.extend(record, { tokens: [], claims }),
        );
      }
      const expected = before.revision;
      const command = { type: 'UpdateUser', id, expected, sealed, groups } as const;
      const { events } = await submit(journalOfAccess(tenantId), command);
      const [event] = events;
      if (event === undefined) throw new Error('An update has its event');
      if (hasNewEmail) await alignClaims(steps, { keys, index }, id);
      return { user: userOf(event), revision: event.revision, profile };
    } catch (error) {
      if (error instanceof Destroyed) throw userNotFound(); // It was deleted meanwhile.
      if (!(error instanceof Refusal) || error.refusal === 'USER_NOT_FOUND') throw error;
      if (error.refusal === 'RECORD_CHANGED') continue;
      if (hasNewEmail) await alignClaims(steps, { keys, index }, id);
      throw error;
    }
  }
  throw contended();
}

/**
 * Gives a user the claims to exactly the names that it has. Changes at the same time may remove one another's; whichever
 * ends last restores those of the user as it then is.
 */
async function alignClaims(
  steps: AccessSteps,
  { keys, index }: Awaited<ReturnType<AccessServices['protection']>>,
  id: Uuid,
): Promise<void> {
  const record = { ...keyScope(steps.tenantId), recordId: id };
  let last = await userIn(steps, id);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const key = last && (await keys.open(record));
    if (last === undefined || key === undefined) return;
    const has: Profile = key.openFields(last.user.sealed);
    const claims = (await uniqueNames(keys, steps.tenantId, has)).map(({ token }) => token);
    try {
      const claimed = claims.map((token) => ({ token }));
      await index.extend(record, { tokens: [], claims: claimed });
    } catch (error) {
      if (error instanceof Destroyed) return; // It was deleted meanwhile.
      throw error;
    }
    await index.retain(record, { tokens: [], claims });
    const { revision } = last;
    last = await userIn(steps, id);
    if (last?.revision === revision) return;
  }
}
