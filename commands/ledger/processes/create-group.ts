import { journalOfLedger } from '#commands/ledger/journals.ts';
import { formatAmount, negate, parseAmount } from '#src/kernel/amount.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { GroupPart, GroupRecord } from '#src/events/ledger/group.ts';
import { acrossGroup, acrossRequest } from './sibling-routes.ts';
import { askParts, type Answers, type Asked } from './prepare-all.ts';
import { passingIn, type Passing } from './exception-owner.ts';
import { finishGroup, wasCreated } from './finish-group.ts';
import { finished, isOpen, isUnfinished } from '#commands/ledger/cross-ledger/group.ts';
import type {
  GroupRequest,
  PartRequest,
  PartReversal,
} from '#commands/ledger/cross-ledger/request.ts';
import type { Across } from '#commands/ledger/cross-ledger/participant-routing.ts';
import { reachOf, splitGroup } from '#commands/ledger/cross-ledger/split.ts';
import {
  isGone,
  memberGone,
  persistently,
  stepIn,
  submitGroup,
  UNDECIDED_MS,
  type GroupOutcome,
  type GroupSteps,
  type PartStep,
} from './steps.ts';

/**
 * Creates a transaction over several ledgers, in all of them or in none (contract ledger §5.4). Its own journal opens;
 * every ledger prepares its part; the journal decides; every ledger does what was decided. Errors: what the first ledger
 * refused, when the others have given back what they held; UNAVAILABLE when there was no decision in time.
 */
export async function postGroup(steps: GroupSteps, request: GroupRequest): Promise<GroupOutcome> {
  const { action, asset: assetCode } = request;
  const parts = splitGroup(request).map((part) => ({ ...part, part }));
  const across = acrossRequest(
    request,
    parts.map(({ bridge }) => bridge),
  );
  const passing = await passingIn(steps, parts, request.accountBlockExceptionId);
  return created(steps, { action, assetCode, parts, across, passing });
}

/** A new group that mirrors one that was posted, once. Errors: also TRANSACTION_BUSY, GROUP_FINISHED. */
export async function revertGroup(
  steps: GroupSteps,
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
  return created(steps, {
    action: 'direct',
    assetCode: group.assetCode,
    revertedGroupId: group.id,
    parts,
    across: await acrossGroup(steps, group, { mirrored: true }),
    passing: await passingIn(steps, parts, accountBlockExceptionId),
  }).catch((error: unknown) => {
    throw isGone(error) ? memberGone() : error;
  });
}

type Plan = Pick<GroupRecord, 'action' | 'assetCode' | 'revertedGroupId'> &
  Readonly<{ parts: readonly PlannedPart[]; across: Across; passing: Passing }>;
type PlannedPart = Pick<PartRequest, 'organizationId' | 'ledgerId' | 'bridge'> &
  Readonly<{ part: PartRequest | PartReversal }>;

async function created(steps: GroupSteps, plan: Plan): Promise<GroupOutcome> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const outcome = await attempted(steps, plan);
    if (outcome !== undefined) return outcome;
  }
  throw refuse('UNAVAILABLE', 'Others try the same under this key and fail.', {
    retryAfterSeconds: 1,
  });
}

/** Undefined when its key was that of another group, which has been given up. */
async function attempted(steps: GroupSteps, plan: Plan): Promise<GroupOutcome | undefined> {
  const { group, asked } = named(steps, plan);
  // What is refused now leaves no trace.
  const looked = await askParts(steps, asked, 'CheckGroupPart');
  if (looked.replayed !== undefined) return followed(steps, looked.replayed);
  if (!looked.all) throw looked.refused ?? undecided();

  const open = { type: 'OpenGroup', group } as const;
  const { revision: opened } = await submitGroup(steps, group.id, open, 'take');
  const answers = await askParts(steps, asked, 'PrepareGroupPart');
  const decided = await persistently(steps, () =>
    submitGroup(steps, group.id, { ...decisionOf(plan, answers), opened }),
  );
  if (decided.group.status === 'POSTING') return finishGroup(steps, decided);
  if (isUnfinished(decided.group)) await finishGroup(steps, decided, answers.untouched);
  if (wasCreated(decided.group)) return recalled(steps, decided.group);
  if (answers.replayed !== undefined) return followed(steps, answers.replayed);
  throw answers.refused ?? undecided();
}

function decisionOf({ action }: Plan, { all, prepared }: Answers) {
  const type = 'DecideGroup' as const;
  if (!all) return { type, status: 'CANCELING' } as const;
  if (action === 'direct') return { type, status: 'POSTING' } as const;
  const created = new Map([...prepared].map(([ledgerId, { revision }]) => [ledgerId, revision]));
  return { type, status: 'HELD', created } as const;
}

/** Every attempt is a group of its own. */
function named({ ids }: GroupSteps, plan: Plan) {
  const { action, assetCode, revertedGroupId, parts, across, passing } = plan;
  const id = ids.nextWhole();
  const reach = reachOf(parts);
  const asked: Asked[] = [];
  const members = parts.map(({ organizationId, ledgerId, bridge, part }, n): GroupPart => {
    const transactionId = ids.nextWhole();
    const group = { id, action, reach, across };
    const command = { organizationId, group, transactionId, part, ...passing(ledgerId) };
    asked.push({ ledgerId, command });
    return { order: n + 1, organizationId, ledgerId, transactionId, bridge: formatAmount(bridge) };
  });
  const reverting = revertedGroupId !== undefined && { revertedGroupId };
  return { group: { id, ...reverting, action, assetCode, parts: members }, asked };
}

/**
 * The same request created this group: whoever asks again waits for it, and helps when its process does not. Undefined
 * when it was given up: its key is free then.
 */
async function followed(steps: GroupSteps, id: Uuid): Promise<GroupOutcome | undefined> {
  const { sleep, elapsedMs } = steps;
  for (const startedMs = elapsedMs(); elapsedMs() - startedMs < UNDECIDED_MS;) {
    const seen = await submitGroup(steps, id, { type: 'FindGroup' });
    if (seen.group.status === 'OPENED') await sleep(LOOK_AGAIN_MS);
    else if (wasCreated(seen.group)) {
      return { ...(await recalled(steps, seen.group)), replayed: true };
    } else if (isUnfinished(seen.group)) await finishGroup(steps, seen);
    else return undefined;
  }
  throw undecided();
}

/** What the creation was answered with. */
async function recalled({ submit }: GroupSteps, group: GroupRecord): Promise<GroupOutcome> {
  const found = await Promise.all(
    group.parts.map(async (part) => {
      const { organizationId, ledgerId, createdAt: revision } = part;
      if (revision === undefined) throw new Error(`${group.id} was not created in ${ledgerId}`);
      const recall = { type: 'RecallGroupPart', organizationId, revision } as const;
      return {
        order: part.order,
        step: stepIn((await submit(journalOfLedger(ledgerId), recall)).events),
      };
    }),
  );
  return { group, steps: found.filter(isShown), replayed: false };
}

/** A transaction that only receives appears when the group is committed. */
const isShown = ({ step }: Readonly<{ step: PartStep }>): boolean => step.type !== 'GroupPrepared';

const undecided = () =>
  refuse('UNAVAILABLE', 'The ledgers of the group did not answer in time; nothing was done.', {
    retryAfterSeconds: 1,
  });

const LOOK_AGAIN_MS = 20;
const ATTEMPTS_MAX = 8;
