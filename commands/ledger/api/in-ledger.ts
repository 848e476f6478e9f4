import type { Uuid } from '#src/kernel/ids.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { RecordHome } from '#src/http/record-routes.ts';
import type { ConsistencyToken } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import { journalOfLedger, journalOfOrganization } from '#commands/ledger/journals.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import type { RouteCommand } from '#commands/ledger/routing/decide.ts';
import { parentsCheck, requireOrganization } from './parents.ts';

/** The refusals of every operation below a ledger; those on a single record also have NOT_FOUND. */
export const parentsAbsent = ['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND'] as const;
export const absent = [...parentsAbsent, 'NOT_FOUND'] as const;

/** A command without its organization, which is the one in the path. */
type CommandInLedger<Command = LedgerCommand> =
  Command extends Readonly<{ organizationId: Uuid }> ? Omit<Command, 'organizationId'> : never;

type RequestInLedger = Request<Readonly<{ organization_id: Uuid; ledger_id: Uuid }>>;

type Taken = Readonly<{ events: readonly LedgerEvent[]; token: ConsistencyToken }>;

/** Submits a command to the ledger in the path. Errors: Refusal, Unavailable. */
export async function submitToLedger(
  request: RequestInLedger,
  { commands }: Pick<Services, 'commands'>,
  command: CommandInLedger,
): Promise<Taken> {
  const { organization_id: organizationId, ledger_id } = request.path;
  await requireOrganization(commands, request, organizationId);
  const journal = journalOfLedger(ledger_id);
  const whole = { ...command, organizationId } as LedgerCommand;
  const { events, revision } = await commands.submit(request, journal, whole);
  return { events, token: { [journal.name]: revision } };
}

const PATH = '/v1/organizations/{organization_id}/ledgers/{ledger_id}';

/** The records of the ledger in the path. */
export const recordsInLedger: RecordHome = {
  path: PATH,
  owner: 'a ledger',
  refusals: parentsAbsent,
  admit: parentsCheck(`${PATH}/`),
  submit: (request, services, command) =>
    submitToLedger(request as RequestInLedger, services, command as CommandInLedger),
};

/** The records that the organization in the path has for all its ledgers. */
export const recordsInOrganization: RecordHome = {
  path: '/v2/organizations/{organization_id}',
  owner: 'an organization',
  operationId: (action, name) => `${action}Organization${name}V2`,
  refusals: ['ORGANIZATION_NOT_FOUND'],
  admit: parentsCheck('/v2/organizations/{organization_id}/'),
  async submit(request, { commands }, command) {
    const { organization_id: organizationId } = request.path as RequestInLedger['path'];
    const journal = journalOfOrganization(organizationId);
    const whole = { ...command, organizationId } as RouteCommand;
    const { events, revision } = await commands.submit(request, journal, whole);
    return { events, token: { [journal.name]: revision } };
  },
};

/**
 * Submits a command to the ledger in the path, and returns the data of the first event of this type, or of its image
 * when nothing changed.
 */
export async function submitRecord<Type extends LedgerEvent['type']>(
  request: RequestInLedger,
  services: Pick<Services, 'commands'>,
  type: Type,
  command: CommandInLedger,
): Promise<Readonly<{ data: DataOf<Type>; token: ConsistencyToken }>> {
  const { events, token } = await submitToLedger(request, services, command);
  const event = events.find((one) => one.type === type);
  if (event === undefined) throw new Error(`${command.type} comes to ${type}`);
  return { data: event.data as DataOf<Type>, token };
}

type DataOf<Type extends LedgerEvent['type']> = Extract<LedgerEvent, { type: Type }>['data'];
