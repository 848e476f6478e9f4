import { journalOfAccess, type AccessFact } from '#commands/access/access.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { keyScope, type AccessSteps } from './claims.ts';
import type { AccessServices } from './services.ts';

/**
 * Deletes a user, and destroys its password, its names and last its key. A deletion that was interrupted in between is
 * finished by the same request again, or at the next start. Errors: USER_NOT_FOUND, LAST_ADMINISTRATOR, Unavailable.
 */
export async function deleteUser(
  steps: AccessSteps,
  { protection, credentials }: Pick<AccessServices, 'protection' | 'credentials'>,
  id: Uuid,
): Promise<Revision> {
  const journal = journalOfAccess(steps.tenantId);
  const { keys } = await protection();
  const record = { ...keyScope(steps.tenantId), recordId: id };
  let revision: Revision;
  try {
    ({ revision } = await steps.submit(journal, { type: 'DeleteUser', id }));
  } catch (error) {
    if (!(error instanceof Refusal) || error.refusal !== 'USER_NOT_FOUND') throw error;
    const access = (await steps.fact(journal.name)) as AccessFact | undefined;
    const isLeft = access?.standingOf(id) === 'ended' && (await keys.open(record)) !== undefined;
    if (access === undefined || !isLeft) throw error;
    ({ revision } = access);
  }
  await credentials.destroyPassword(id);
  await keys.destroy(record);
  return revision;
}
