import { journalOfAccess, type AccessFact } from '#commands/access/access.ts';
import { ADMIN_GROUP } from '#src/events/access/access.ts';
import { isIdentityTaken, type AccessSteps } from './claims.ts';
import { createApplication } from './create-application.ts';
import { createUser } from './create-user.ts';
import type { AccessServices } from './services.ts';

/** The administrator and the application that a tenant begins with. */
export type FirstAccess = Readonly<{
  username: string;
  email: string;
  password: string;
  clientId: string;
  clientSecret: string;
}>;

/**
 * Creates the first application of a tenant, unless there is one of its name, and then the first administrator. Returns false
 * if there is an administrator, and creates nothing then. A crash between the two leaves the second for the next call.
 * Errors: Refusal, Unavailable.
 */
export async function createFirstAccess(
  steps: AccessSteps,
  services: Pick<AccessServices, 'protection' | 'credentials'>,
  { username, email, password, clientId, clientSecret }: FirstAccess,
): Promise<boolean> {
  const { name } = journalOfAccess(steps.tenantId);
  const access = async () => (await steps.fact(name)) as AccessFact | undefined;
  if ((await access())?.hasAdministrator() === true) return false;
  const application = { name: PRODUCT, description: 'The first application', clientId };
  const profile = { username, firstName: 'First', lastName: 'Administrator', email };
  try {
    if ((await access())?.hasApplication(application) !== true) {
      await createApplication(steps, services.credentials, application, clientSecret);
    }
    await createUser(steps, services, { profile, groups: [ADMIN_GROUP], password });
    return true;
  } catch (error) {
    // Another process may begin with the same settings at the same time; what it did not finish, its next start does.
    if (!isIdentityTaken(error) || (await access())?.hasAdministrator() !== true) throw error;
    return false;
  }
}

/** It manages access; the names of other products stay free for applications of their own. */
const PRODUCT = 'plugin-identity';
