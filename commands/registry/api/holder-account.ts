import { openAccount, openingRefusals, type OpenedAccount } from '#commands/ledger/api/account.ts';
import { route } from '#commands/ledger/api/route.ts';
import { journalOfRegistry, type RegistryFact } from '#commands/registry/registry.ts';
import { holderNotFound } from '#src/events/registry/absent.ts';
import { OWN_HOLDERS } from '#src/events/registry/own-holder.ts';
import { created } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Shaped } from '#src/kernel/schema.ts';
import { accountView } from '#src/resources/ledger/account.ts';
import {
  holderAccountSchema,
  openHolderAccountBody,
} from '#src/resources/registry/holder-account.ts';
import { instrumentView } from '#src/resources/registry/instrument.ts';
import { createInstrument, type NewInstrumentMembers } from './create-instrument.ts';

type HolderAccountRequest = Request<
  Readonly<{ organization_id: Uuid; ledger_id: Uuid; holder_id: Uuid }>,
  Shaped<typeof openHolderAccountBody>
>;

/** Contract registry-and-fees §A8. */
export const holderAccountWriteRoutes = [
  route({
    operationId: 'openHolderAccount',
    summary: 'Open an account for a holder, with an instrument if its details are sent',
    description:
      'The account is opened by its own rules. If `bankingDetails`, `regulatoryFields` or `relatedParties` is sent, an ' +
      'instrument is registered for it next. If that is refused, the account is kept, and `instrumentError` has the code ' +
      'of the refusal. A request that is repeated under its idempotency key returns the same account, and registers the ' +
      'instrument if it lacks one.',
    tag: 'Holders',
    method: 'post',
    path: '/v1/organizations/{organization_id}/ledgers/{ledger_id}/holders/{holder_id}/accounts',
    only: 'path',
    permission: 'accounts:post',
    entityType: 'Account',
    body: openHolderAccountBody,
    idempotent: true,
    replies: { 201: holderAccountSchema },
    refusals: [...openingRefusals, 'IDEMPOTENCY_KEY_IN_USE'],
    async handle(request, services) {
      const { bankingDetails, regulatoryFields, relatedParties, ...account } = request.body;
      const { holder_id: holderId } = request.path;
      const opened = await openForHolder(request, services, { ...account, holderId });
      const sent = [bankingDetails, regulatoryFields, relatedParties];
      const isAsked = sent.some((details) => details !== undefined && details !== null);
      const details = { bankingDetails, regulatoryFields, relatedParties };
      const { token, ...made } = isAsked
        ? await instrumentOf(request, services, opened, details)
        : { instrument: null };
      return created(JSON.stringify({ account: accountView(opened.account), ...made }), {
        token: { ...opened.token, ...token },
        replayed: opened.replayed,
      });
    },
  }),
];

/** Opens the account. An unknown holder is reported before anything else that is wrong with the account. */
async function openForHolder(
  request: HolderAccountRequest,
  services: Services,
  body: Parameters<typeof openAccount>[2],
): Promise<OpenedAccount> {
  try {
    return await openAccount(request, services, body);
  } catch (error) {
    if (!(error instanceof Refusal) || BEFORE_HOLDER.has(error.refusal)) throw error;
    const { organization_id: organizationId, holder_id: id } = request.path;
    if (id === services.ids.named(OWN_HOLDERS, organizationId)) throw error;
    const { name } = journalOfRegistry(organizationId);
    const registry = await services.commands.fact(request, name);
    if ((registry as RegistryFact | undefined)?.isLive(id) !== true) throw holderNotFound();
    throw error;
  }
}

/** Registers the instrument under a key that only this account has. Whatever prevents it, the account is there. */
async function instrumentOf(
  request: HolderAccountRequest,
  services: Services,
  { account }: OpenedAccount,
  details: NewInstrumentMembers,
) {
  const { holder_id: holderId, organization_id: organizationId } = request.path;
  const { id: accountId, ledgerId } = account;
  const { idempotency, context } = request;
  const keyed = idempotency && { ...idempotency, key: `${accountId} ${idempotency.key}` };
  const link = { holderId, ledgerId, accountId };
  try {
    const made = await createInstrument(
      { ...request, idempotency: keyed },
      services,
      link,
      details,
    );
    const { instrument, opened, revision } = made;
    const { name } = journalOfRegistry(organizationId);
    return { instrument: instrumentView(instrument, opened), token: { [name]: revision } };
  } catch (error) {
    const { requestId } = context;
    const { body = '' } = services.problem(error, { requestId, entityType: 'Instrument' });
    const { code } = JSON.parse(body.toString()) as Readonly<{ code: string }>;
    return { instrument: null, instrumentError: { status: 'FAILED', reason: code } };
  }
}

/** Without a ledger there is no account, and load or a key in use say nothing about the holder. */
const BEFORE_HOLDER: ReadonlySet<string> = new Set([
  ...['ORGANIZATION_NOT_FOUND', 'LEDGER_NOT_FOUND', 'IDEMPOTENCY_KEY_IN_USE'],
  ...['TOO_MANY_REQUESTS', 'UNAVAILABLE', 'REQUIRED_FIELDS'],
]);
