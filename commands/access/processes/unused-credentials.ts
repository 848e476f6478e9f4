import { journalOfAccess, type AccessCommand, type AccessFact } from '#commands/access/access.ts';
import type { Journals } from '#src/journal/journals.ts';
import { ACCESS_SCOPE } from '#src/kernel/access-scope.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import { uuidTime } from '#src/kernel/uuid-time.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { RecordKeys } from '#src/ports/record-keys.ts';
import type { AccessServices } from './services.ts';

type CredentialCleaning = Pick<AccessServices, 'credentials'> &
  Readonly<{
    /** Undefined if there are no keys of records. */
    keys: Pick<RecordKeys, 'list' | 'destroy'> | undefined;
    journals: Pick<Journals, 'submit' | 'fact'>;
    clock: Clock;
    ids: Ids;
  }>;

/**
 * Destroys keys, names and passwords of users who were deleted or never came to be, and secrets of such applications: a
 * crash came between them and the event. The journal revokes a user first who may still come to be. What is younger than an
 * hour is left alone, unless its user was deleted. Changes of passwords that were not recorded are recorded. It is about
 * all tenants. Returns how many things were destroyed. Errors: Refusal, Unavailable.
 */
export async function destroyUnusedCredentials({
  keys,
  credentials,
  journals,
  clock,
  ids,
}: CredentialCleaning): Promise<number> {
  const before = (clock.now() - SETTLED_MICROS) as Micros;
  const requestId = ids.next();
  const access = async (tenantId: string) =>
    (await journals.fact(journalOfAccess(tenantId).name, tenantId)) as AccessFact | undefined;
  const submit = (tenantId: string, command: AccessCommand) => {
    const context = { actor: CLEANING, tenantId, requestId };
    return journals.submit(journalOfAccess(tenantId), { command, context, idempotency: undefined });
  };

  /** Returns whether no user with this id is or comes to be. */
  const isOver = async (tenantId: string, id: Uuid): Promise<boolean> => {
    const standing = (await access(tenantId))?.standingOf(id) ?? 'absent';
    if (standing !== 'absent') return standing === 'ended';
    if ((uuidTime(id) ?? before) >= before) return false;
    await submit(tenantId, { type: 'RevokeUser', id });
    return true;
  };

  let destroyed = 0;
  for await (const { tenantId, organizationId, recordId } of keys?.list() ?? []) {
    if (organizationId !== ACCESS_SCOPE || !(await isOver(tenantId, recordId))) continue;
    await keys?.destroy({ tenantId, organizationId, recordId });
    destroyed += 1;
  }
  for await (const owner of credentials.list()) {
    const { tenantId } = owner;
    if (owner.of === 'client') {
      const isUsed = (await access(tenantId))?.isClient(owner.clientId) === true;
      if (isUsed || owner.since >= formatInstant(before)) continue;
      await credentials.destroySecret(owner.clientId);
    } else if (await isOver(tenantId, owner.userId)) {
      await credentials.destroyPassword(owner.userId);
    } else {
      const { userId: id, changeId } = owner;
      const now = await access(tenantId);
      if (now?.standingOf(id) === 'live' && !now.isRecorded(id, changeId)) {
        await submit(tenantId, { type: 'RecordPasswordChange', id, changeId });
      }
      continue;
    }
    destroyed += 1;
  }
  return destroyed;
}

const CLEANING = { type: 'system', id: 'key-cleaning' } as const;
const SETTLED_MICROS = 3600 * 1_000_000;
