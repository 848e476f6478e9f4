import { journalOfAccess } from '#commands/access/access.ts';
import type { UserRecord } from '#src/events/access/access.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { Profile } from '#src/kernel/profile.ts';
import type { DataKey } from '#src/ports/record-keys.ts';
import {
  claimNames,
  contended,
  keyScope,
  ROUNDS_MAX,
  uniqueNames,
  userOf,
  type AccessSteps,
} from './claims.ts';
import type { AccessServices } from './services.ts';

export type NewUserRequest = Readonly<{
  profile: Profile;
  groups: readonly string[];
  password: string;
}>;

export type StoredUser = Readonly<{ user: UserRecord; revision: Revision }>;

/**
 * Creates a user whose username and email no other user has. Its key, its claims to the names and its password are durable
 * before the event. Errors: IDENTITY_TAKEN, Refusal, Unavailable.
 */
export async function createUser(
  steps: AccessSteps,
  { protection, credentials }: Pick<AccessServices, 'protection' | 'credentials'>,
  { profile, groups, password }: NewUserRequest,
): Promise<StoredUser> {
  const { tenantId, ids } = steps;
  const { keys } = await protection();
  const names = await uniqueNames(keys, tenantId, profile);

  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const id = ids.next();
    const record = { ...keyScope(tenantId), recordId: id };
    let key: DataKey | undefined;
    try {
      await claimNames(steps, keys, names, async (claims) => {
        const made = await keys.create(record, { tokens: [], claims });
        if (made.taken === undefined) key = made.key;
        return made.taken;
      });
      await credentials.setPassword({ id, tenantId }, password, id);
      const user = { id, owner: tenantId, groups, sealed: key!.sealFields(profile) };
      const command = { type: 'CreateUser', user } as const;
      const { events } = await steps.submit(journalOfAccess(tenantId), command);
      const [event] = events;
      if (event === undefined) throw new Error('A creation has its event');
      return { user: userOf(event), revision: event.revision };
    } catch (error) {
      // After any other error the event may be in the log.
      if (!(error instanceof Refusal)) throw error;
      if (key !== undefined) await keys.destroy(record);
      await credentials.destroyPassword(id);
      if (error.refusal !== 'RECORD_REVOKED') throw error;
    }
  }
  throw contended();
}
