import { journalOfLedger } from '#commands/ledger/journals.ts';
import { formatAmount, negate, parseAmount } from '#src/kernel/amount.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { GroupPart, GroupRecord } from '#src/events/ledger/group.ts';
import { routesInGroup, routesInRequest } from './sibling-routes.ts';
import { prepareAll, type Preparation, type PartToPrepare } from './prepare-all.ts';
import { findExceptionOwner, type ExceptionOf } from './exception-owner.ts';
import { finishGroup, wasCreated } from './finish-group.ts';
import { finished, isOpen, isUnfinished } from '#commands/ledger/cross-ledger/group.ts';
import type {
  FeesOfGroup,
  GroupRequest,
  PartRequest,
  PartReversal,
} from '#commands/ledger/cross-ledger/request.ts';
import type { SiblingRoutes } from '#commands/ledger/cross-ledger/participant-routing.ts';
import { reachOf, splitGroup } from '#commands/ledger/cross-ledger/split.ts';
import {
  isGone,
  ledgerGone,
  retry,
  recordedStep,
  submitGroup,
  UNDECIDED_MS,
  type GroupOutcome,
  type PartStep,
} from './steps.ts';
import type { Steps } from '#src/journal/steps.ts';

/**
 * Creates a transaction over several ledgers, in all of them or in none, by two-phase commit (contract ledger §5.4):
 * the group's journal opens, every ledger prepares its part, the journal decides, every ledger carries the decision
 * out. Errors: the refusal of the first ledger that refused, after the others released their holds; UNAVAILABLE without
 * a decision in time.
 */
export async function postGroup(
  steps: Steps,
  request: GroupRequest,
  fees?: FeesOfGroup,
): Promise<GroupOutcome> {
  const { action, asset: assetCode } = request;
  const parts = splitGroup(request, fees).map((part) => ({ ...part, part }));
  const siblings = routesInRequest(
    request,
    parts.map(({ bridge }) => bridge),
    parts.flatMap(({ postings }) => postings.filter(({ origin }) => origin === 'fee')),
  );
  const exceptionOf = await findExceptionOwner(steps, parts, request.accountBlockExceptionId);
  return createGroup(steps, { action, assetCode, parts, siblings, exceptionOf });
}

/** Creates the mirror of a posted group, once. Errors: also TRANSACTION_BUSY, GROUP_FINISHED. */
export async function revertGroup(
  steps: Steps,
  id: Uuid,
  accountBlockExceptionId?: Uuid,
): Promise<GroupOutcome> {
  const { group } = await submitGroup(steps, id, { type: 'FindGroup' });
  if (group.status === 'CANCELED') throw finished(group.status);
  if (isOpen(group) || isUnfinished(group)) {
    throw refuse('TRANSACTION_BUSY', `The group is ${group.status}.`);
  }
  if (group.revertedGroupId !== undefined) {
    throw refuse('REVERSAL_OF_REVERSAL', 'The group is itself a reversal.');
  }
  const parts = group.parts.map(({ organizationId, ledgerId, transactionId, bridge: forth }) => {
    const bridge = negate(parseAmount(forth));
    return { organizationId, ledgerId, bridge, part: { reverts: transactionId, bridge } };
  });
  return createGroup(steps, {
    action: 'direct',
    assetCode: group.assetCode,
    revertedGroupId: group.id,
    parts,
    siblings: await routesInGroup(steps, group, { mirrored: true }),
    exceptionOf: await findExceptionOwner(steps, parts, accountBlockExceptionId),
  }).catch((error: unknown) => {
    throw isGone(error) ? ledgerGone() : error;
  });
}

type GroupPlan = Pick<GroupRecord, 'action' | 'assetCode' | 'revertedGroupId'> &
  Readonly<{ parts: readonly NewGroupPart[]; siblings: SiblingRoutes; exceptionOf: ExceptionOf }>;
type NewGroupPart = Pick<PartRequest, 'organizationId' | 'ledgerId' | 'bridge'> &
  Readonly<{ part: PartRequest | PartReversal }>;

async function createGroup(steps: Steps, plan: GroupPlan): Promise<GroupOutcome> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const outcome = await attemptGroup(steps, plan);
    if (outcome !== undefined) return outcome;
  }
  throw refuse('UNAVAILABLE', 'Others try the same under this key and fail.', {
    retryAfterSeconds: 1,
  });
}

/** Makes one attempt. Returns undefined when the key belonged to another group that has been given up. */
async function attemptGroup(steps: Steps, plan: GroupPlan): Promise<GroupOutcome | undefined> {
  const { group, toPrepare } = newGroup(steps, plan);
  // A refusal by this first check leaves no event.
  const checked = await prepareAll(steps, toPrepare, 'CheckGroupPart');
  if (checked.replayed !== undefined) return followGroup(steps, checked.replayed);
  if (!checked.all) throw checked.refused ?? undecided();

  const open = { type: 'OpenGroup', group } as const;
  const { revision: opened } = await submitGroup(steps, group.id, open, 'take');
  const preparation = await prepareAll(steps, toPrepare, 'PrepareGroupPart');
  const decided = await retry(steps, () =>
    submitGroup(steps, group.id, { ...decisionOf(plan, preparation), opened }),
  );
  if (decided.group.status === 'POSTING') return finishGroup(steps, decided);
  if (isUnfinished(decided.group)) await finishGroup(steps, decided, preparation.untouched);
  if (wasCreated(decided.group)) return recallCreation(steps, decided.group);
  if (preparation.replayed !== undefined) return followGroup(steps, preparation.replayed);
  throw preparation.refused ?? undecided();
}

function decisionOf({ action }: GroupPlan, { all, prepared }: Preparation) {
  const type = 'DecideGroup' as const;
  if (!all) return { type, status: 'CANCELING' } as const;
  if (action === 'direct') return { type, status: 'POSTING' } as const;
  const created = new Map([...prepared].map(([ledgerId, { revision }]) => [ledgerId, revision]));
  return { type, status: 'HELD', created } as const;
}

/** Every attempt creates a new group. */
function newGroup({ ids }: Steps, plan: GroupPlan) {
  const { action, assetCode, revertedGroupId, parts, siblings, exceptionOf } = plan;
  const id = ids.nextWhole();
  const reach = reachOf(parts);
  const toPrepare: PartToPrepare[] = [];
  const members = parts.map(({ organizationId, ledgerId, bridge, part }, n): GroupPart => {
    const transactionId = ids.nextWhole();
    const group = { id, action, reach, siblings };
    const command = { organizationId, group, transactionId, part, ...exceptionOf(ledgerId) };
    toPrepare.push({ ledgerId, command });
    return { order: n + 1, organizationId, ledgerId, transactionId, bridge: formatAmount(bridge) };
  });
  const reverting = revertedGroupId !== undefined && { revertedGroupId };
  return { group: { id, ...reverting, action, assetCode, parts: members }, toPrepare };
}

/**
 * Waits for the group that an equal request created, and finishes it if its process does not. Returns undefined if it
 * was given up, which frees the key.
 */
async function followGroup(steps: Steps, id: Uuid): Promise<GroupOutcome | undefined> {
  const { sleep, elapsedMs } = steps;
  for (const startedMs = elapsedMs(); elapsedMs() - startedMs < UNDECIDED_MS;) {
    const current = await submitGroup(steps, id, { type: 'FindGroup' });
    if (current.group.status === 'OPENED') await sleep(LOOK_AGAIN_MS);
    else if (wasCreated(current.group)) {
      return { ...(await recallCreation(steps, current.group)), replayed: true };
    } else if (isUnfinished(current.group)) await finishGroup(steps, current);
    else return undefined;
  }
  throw undecided();
}

/** Returns the steps that the creation returned. */
async function recallCreation({ submit }: Steps, group: GroupRecord): Promise<GroupOutcome> {
  const found = await Promise.all(
    group.parts.map(async (part) => {
      const { organizationId, ledgerId, createdAt: revision } = part;
      if (revision === undefined) throw new Error(`${group.id} was not created in ${ledgerId}`);
      const recall = { type: 'RecallGroupPart', organizationId, revision } as const;
      return {
        order: part.order,
        step: recordedStep((await submit(journalOfLedger(ledgerId), recall)).events),
      };
    }),
  );
  return { group, steps: found.filter(isShown), replayed: false };
}

/** A part that holds nothing shows its transaction only when the group is committed. */
const isShown = ({ step }: Readonly<{ step: PartStep }>): boolean => step.type !== 'GroupPrepared';

const undecided = () =>
  refuse('UNAVAILABLE', 'The ledgers of the group did not answer in time; nothing was done.', {
    retryAfterSeconds: 1,
  });

const LOOK_AGAIN_MS = 20;
const ATTEMPTS_MAX = 8;
