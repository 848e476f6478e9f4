import { clientTaken, journalOfAccess } from '#commands/access/access.ts';
import type {
  AccessEvent,
  ApplicationFields,
  ApplicationRecord,
} from '#src/events/access/access.ts';
import type { Steps } from '#src/journal/steps.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision } from '#src/kernel/ids.ts';
import type { Credentials } from '#src/ports/credentials.ts';

export type CreatedApplication = Readonly<{
  application: ApplicationRecord;
  clientSecret: string;
  revision: Revision;
}>;

/**
 * Creates an application with the given secret or a new one, whose hash is durable before the event and reserves the client
 * id among all tenants. A new secret that turns out not to be needed is destroyed, now or at a later start. Errors: IDENTITY_TAKEN, Refusal, Unavailable.
 */
export async function createApplication(
  { submit, tenantId }: Pick<Steps, 'submit' | 'tenantId'>,
  credentials: Credentials,
  members: Omit<ApplicationFields, 'owner'>,
  secret?: string,
): Promise<CreatedApplication> {
  const { clientId } = members;
  const clientSecret = await credentials.createSecret({ clientId, tenantId }, secret);
  if (clientSecret === undefined) throw clientTaken(clientId);
  const fields = { ...members, owner: tenantId };
  try {
    const command = { type: 'CreateApplication', fields } as const;
    const { events, revision } = await submit(journalOfAccess(tenantId), command);
    return { application: applicationIn(events[0]), clientSecret, revision };
  } catch (error) {
    // After any other error the event may be in the log.
    if (error instanceof Refusal && secret === undefined) await credentials.destroySecret(clientId);
    throw error;
  }
}

function applicationIn(event: AccessEvent | undefined): ApplicationRecord {
  if (event?.type === 'ApplicationCreated') return event.data.application;
  throw new Error('A creation has its event');
}
