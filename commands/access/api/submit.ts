import { journalOfAccess, type AccessCommand } from '#commands/access/access.ts';
import type { AccessSteps } from '#commands/access/processes/claims.ts';
import { accessServices } from '#commands/access/processes/services.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { Revision } from '#src/kernel/ids.ts';
import { Unavailable } from '#src/ports/errors.ts';

/** Submits a command to the access journal of the caller's tenant. Errors: Refusal, Unavailable. */
export async function submit(request: Request, services: Services, command: AccessCommand) {
  const journal = journalOfAccess(request.context.tenantId);
  const outcome = await services.commands.submit(request, journal, command);
  return { ...outcome, token: await followed(request, services, outcome.revision) };
}

/** Steps in the name of a request. */
export const stepsOf = (request: Request, { commands }: Services): AccessSteps => ({
  ...commands.steps(request),
  fact: (journal) => commands.fact(request, journal),
});

/**
 * Lets the directory catch up with what was recorded, so that the next request sees it; returns the consistency token. If the
 * log is not available just then, the directory follows later: the change is recorded and must be acknowledged.
 */
export async function followed(request: Request, { components }: Services, revision: Revision) {
  const { tenantId } = request.context;
  try {
    const directory = await accessServices(components).directories.of(tenantId);
    await directory.reached(revision);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
  }
  return { [journalOfAccess(tenantId).name]: revision };
}
