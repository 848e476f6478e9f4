import { flatBodyLocations as locations } from './locations.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';
import type { V2Request } from '#commands/ledger/transaction/v2-request.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { created, type Reply } from '#src/http/reply.ts';
import type { Request } from '#src/http/request.ts';
import type { Services } from '#src/http/services.ts';
import { groupView } from '#src/resources/ledger/transaction-group.ts';
import { feesOfGroup } from '#commands/ledger/processes/group-fees.ts';
import { postGroup, revertGroup } from '#commands/ledger/processes/create-group.ts';
import type { commitGroup } from '#commands/ledger/processes/settle-group.ts';
import type { GroupOutcome } from '#commands/ledger/processes/steps.ts';
import { requireOrganization } from './parents.ts';

/** The refusals of the bridge, the leg that balances a ledger with the others, where routes are validated. */
export const bridged = [
  'BRIDGE_ROUTE_MISSING',
  'BRIDGE_ROUTE_AMBIGUOUS',
] as const satisfies readonly LedgerRefusalName[];

/** The refusals of a creation whose legs are in several ledgers. */
export const acrossLedgers = [
  'CROSS_LEDGER_DISABLED',
  'GROUP_ASSETS',
  'GROUP_ORGANIZATIONS',
  ...bridged,
] as const satisfies readonly LedgerRefusalName[];

/** Creates one transaction in each ledger that the legs name, in all of them or in none. */
export async function postAcrossLedgers(
  request: Request<unknown, V2Request>,
  { commands }: Services,
  action: GroupRecord['action'],
): Promise<Reply> {
  const { debits, credits } = request.body;
  const organizations = new Set([...debits, ...credits].map((leg) => leg.organizationId));
  for (const id of organizations) await requireOrganization(commands, request, id);
  const asked = { ...request.body, action, locations };
  const fees = await feesOfGroup((journal) => commands.fact(request, journal), asked);
  const outcome = await postGroup(commands.steps(request, 'keyed'), asked, fees);
  return { ...replyOf(outcome, 'created'), replayed: outcome.replayed };
}

type GroupStepRequest = Request<
  Readonly<{ organization_id: Uuid; ledger_id: Uuid; transaction_id: Uuid }>
>;

type GroupStep = Readonly<{
  withGroup: typeof commitGroup;
  accountBlockExceptionId?: Uuid | undefined;
}>;

/**
 * Applies a step to one transaction. If the transaction is a member of a group, version 2 applies the step to all
 * members of the group, and version 1 refuses it.
 */
export async function orWithGroup(
  request: GroupStepRequest,
  { commands }: Services,
  { withGroup, accountBlockExceptionId }: GroupStep,
  alone: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await alone();
  } catch (error) {
    const isMember = error instanceof Refusal && error.refusal === 'GROUP_MEMBER';
    if (!isMember || request.version === 1) throw error;
  }
  const {
    organization_id: organizationId,
    ledger_id,
    transaction_id: transactionId,
  } = request.path;
  const find = { type: 'FindMember', organizationId, transactionId } as const;
  const { events } = await commands.submit(request, journalOfLedger(ledger_id), find);
  const { groupId } = (events[0]?.data as Readonly<{ transaction: TransactionRecord }>).transaction;
  if (groupId === undefined) throw new Error(`${transactionId} is in no group`);
  const outcome = await withGroup(commands.steps(request), groupId, accountBlockExceptionId);
  return replyOf(outcome, withGroup === revertGroup ? 'created' : 'stored');
}

/** A creation and its repeats show members in full; later steps show the operations that they added. */
function replyOf({ group, steps }: GroupOutcome, as: 'created' | 'stored'): Reply {
  const members = steps.map(({ order, step }) => ({
    order,
    // A part that was given up before it was recorded has no transaction to show.
    transaction: step.data.transaction as TransactionRecord,
    lastOperations:
      as === 'stored' && 'stepOperations' in step.data ? step.data.stepOperations : undefined,
  }));
  const token = Object.fromEntries(
    steps.map(({ step }) => [journalOfLedger(step.data.transaction.ledgerId).name, step.revision]),
  );
  return created(JSON.stringify(groupView(group, members, as)), { token });
}
