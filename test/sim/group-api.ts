import { postGroup, revertGroup } from '#commands/ledger/processes/create-group.ts';
import type { GroupRequest } from '#commands/ledger/cross-ledger/request.ts';
import { cancelGroup, commitGroup } from '#commands/ledger/processes/settle-group.ts';
import type { GroupOutcome } from '#commands/ledger/processes/steps.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { isPutAside } from './two-step-book.ts';
import { units, wholeLegs } from './booked.ts';
import type { Books } from './books.ts';
import { assertThat } from './log-oracle.ts';
import type { AskedLine } from './lines.ts';
import type { Across } from './request.ts';
import type { World } from './world.ts';
import type { Steps } from '#src/journal/steps.ts';

export function carriedOut(steps: Steps, across: Across): Promise<GroupOutcome> {
  switch (across.type) {
    case 'PostGroup':
      return postGroup(steps, across.request);
    case 'CommitGroup':
      return commitGroup(steps, across.groupId, across.exceptionId);
    case 'CancelGroup':
      return cancelGroup(steps, across.groupId);
    case 'RevertGroup':
      return revertGroup(steps, across.groupId, across.exceptionId);
    default:
      return unreachable(across);
  }
}

/** Insists that an answer is the answer to what was asked, and that all of it is in the log. */
export function checkGroupDone(
  across: Across,
  { group, steps }: GroupOutcome,
  { log }: World,
  { groups, ledgers }: Books,
  who: string,
): void {
  assertThat(groups.has(group.id), `${who}: there is no group ${group.id}`);
  for (const { order, step } of steps) {
    const { ledgerId } = step.data.transaction;
    const [stored] = log.read(`ledger-${ledgerId}`, step.revision, 1);
    const same = stored?.type === step.type && stored.data === JSON.stringify(step.data);
    assertThat(same, `${who}: ${ledgerId} revision ${step.revision} is not what was acknowledged`);
    const part = group.parts[order - 1];
    assertThat(part?.ledgerId === ledgerId, `${who}: ${ledgerId} is not part ${order}`);
  }
  const all = steps.length === group.parts.length;
  const reverts = 'groupId' in across && group.revertedGroupId === across.groupId;
  switch (across.type) {
    case 'PostGroup': {
      checkLines(across.request, steps, [...ledgers.keys()], who);
      const held = across.request.action === 'hold';
      assertThat(held || all, `${who}: shows ${steps.length} of ${group.parts.length} members`);
      break;
    }
    case 'CommitGroup':
      assertThat(
        group.id === across.groupId && group.status === 'POSTED' && all,
        `${who}: not posted`,
      );
      break;
    case 'CancelGroup':
      assertThat(
        group.id === across.groupId && group.status === 'CANCELED',
        `${who}: not cancelled`,
      );
      break;
    case 'RevertGroup':
      assertThat(reverts && group.status === 'POSTED' && all, `${who}: not reverted`);
      break;
    default:
      unreachable(across);
  }
}

/** What a request asks of one ledger: its own legs, and the bridge for what they leave over. */
export function linesIn(
  { asset, debits, credits }: GroupRequest,
  ledgerId: string,
): readonly AskedLine[] {
  const own = [
    ...debits.map((leg) => ({ ...leg, side: 'source' }) as const),
    ...credits.map((leg) => ({ ...leg, side: 'destination' }) as const),
  ].filter((leg) => leg.ledgerId === ledgerId);
  const lines = own.map(({ side, alias, amount = '0' }) => ({
    side,
    alias,
    amount: units(amount),
  }));
  const net = lines.reduce(
    (sum, { side, amount }) => sum + (side === 'source' ? amount : -amount),
    0n,
  );
  const alias = `@external/${asset}`;
  if (net > 0n) return [...lines, { side: 'destination', alias, amount: net }];
  return net < 0n ? [...lines, { side: 'source', alias, amount: -net }] : lines;
}

/** A hold shows only the members that hold something. */
function checkLines(
  request: GroupRequest,
  steps: GroupOutcome['steps'],
  ledgers: readonly string[],
  who: string,
): void {
  for (const ledgerId of ledgers) {
    const found = steps.find(({ step }) => step.data.transaction.ledgerId === ledgerId);
    if (found === undefined) continue;
    const { operations, awaiting = [] } = found.step.data.transaction as TransactionRecord;
    const isEnd = found.step.type !== 'TransactionHeld';
    const moved = operations.filter((one) => (isEnd ? one.type !== 'ON_HOLD' : !isPutAside(one)));
    const booked = [
      ...wholeLegs(moved).map(({ operation, whole }) => {
        const side = operation.direction === 'debit' ? 'source' : 'destination';
        return `${side} ${operation.accountAlias} ${whole}`;
      }),
      ...awaiting.map(({ direction, accountAlias, amount }) => {
        return `${direction === 'debit' ? 'source' : 'destination'} ${accountAlias} ${units(amount)}`;
      }),
    ];
    const asked = linesIn(request, ledgerId).map((line) => {
      return `${line.side} ${line.alias} ${line.amount}`;
    });
    const right = asked.toSorted().join() === booked.toSorted().join();
    assertThat(right, `${who}: asked ${asked.join()}, got ${booked.join()}`);
  }
}
