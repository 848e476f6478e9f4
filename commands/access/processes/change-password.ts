import { journalOfAccess, userNotFound, type AccessFact } from '#commands/access/access.ts';
import { refuse } from '#src/events/access/refusals.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { contended, ROUNDS_MAX, type AccessSteps } from './claims.ts';
import type { AccessServices } from './services.ts';

export type PasswordChangeRequest = Readonly<{
  newPassword: string;
  oldPassword?: string;
  /** The session that goes on. */
  keptSession?: Uuid | undefined;
}>;

/**
 * Replaces the password of a user, and then records it, upon which sessions of the user end: in the other order, an attacker
 * could begin another one in between. `oldPassword` is checked if it is given. If a crash came between the two steps, the
 * same request again, or the next start, takes the second. Errors: USER_NOT_FOUND, OLD_PASSWORD_WRONG, PASSWORD_TOO_WEAK for
 * the old password, Refusal, Unavailable.
 */
export async function changePassword(
  { submit, tenantId, ids, fact }: AccessSteps,
  { credentials }: Pick<AccessServices, 'credentials'>,
  id: Uuid,
  { newPassword, oldPassword, keptSession }: PasswordChangeRequest,
): Promise<Revision> {
  const journal = journalOfAccess(tenantId);
  const record = async (changeId: Uuid): Promise<Revision> => {
    const kept = keptSession === undefined ? {} : { keptSession };
    const command = { type: 'RecordPasswordChange', id, changeId, ...kept } as const;
    return (await submit(journal, command)).revision;
  };

  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const stored = await credentials.password(id);
    if (stored === undefined) throw userNotFound();
    if (oldPassword !== undefined && !(await credentials.verifyPassword(id, oldPassword))) {
      throw refuse('OLD_PASSWORD_WRONG', 'The old password is not that of the user.');
    }
    if (await credentials.verifyPassword(id, newPassword)) {
      const access = (await fact(journal.name)) as AccessFact | undefined;
      if (access?.isRecorded(id, stored.changeId) !== true) return record(stored.changeId);
      const message = 'must not be the old password';
      throw refuse('PASSWORD_TOO_WEAK', `newPassword ${message}.`, {
        findings: [{ location: 'newPassword', message }],
      });
    }
    const changeId = ids.next();
    if (await credentials.setPassword({ id, tenantId }, newPassword, changeId, stored.version)) {
      return record(changeId);
    }
  }
  throw contended();
}
