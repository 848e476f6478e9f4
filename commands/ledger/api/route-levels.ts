import { submitToLedger } from './in-ledger.ts';
import { journalOfOrganization } from '#commands/ledger/journals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { RouteEvent } from '#src/events/ledger/routes.ts';
import type { Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import type { RouteCommand } from '#commands/ledger/routing/decide.ts';

/** What became of a command about a route, and the token for whoever asked. */
export type Submitted = Readonly<{ event: RouteEvent; more: Pick<Reply, 'token'> }>;

/** In the ledger of the path. */
export async function submitInLedger(
  request: Request<Readonly<{ organization_id: Uuid; ledger_id: Uuid }>>,
  services: Services,
  command: RouteCommand,
): Promise<Submitted> {
  const { events, token } = await submitToLedger(request, services, command);
  return { event: events[0] as RouteEvent, more: { token } };
}

/** In the organization of the path itself. */
export async function submitInOrganization(
  request: Request<Readonly<{ organization_id: Uuid }>>,
  { commands }: Services,
  command: RouteCommand,
): Promise<Submitted> {
  const journal = journalOfOrganization(request.path.organization_id);
  const { events, revision } = await commands.submit(request, journal, command);
  return { event: events[0] as RouteEvent, more: { token: { [journal.name]: revision } } };
}
