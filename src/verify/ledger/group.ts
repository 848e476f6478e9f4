import { add, formatAmount, parseAmount, ZERO } from '#src/kernel/amount.ts';
import { differ } from '#src/verify/difference.ts';
import { createAuditRules, type AuditRules } from '#src/verify/rules.ts';

/** The rules of a group's journal, which moves no money: its status changes, and the sum of all bridges is zero. */
export function createGroupRules(): AuditRules {
  let status = '';
  let fixed = '';

  const rules = {
    GroupOpened({ group }: GroupData) {
      if (status !== '') differ('the group was opened before');
      goTo(group, 'OPENED');
      const sum = group.parts.map(({ bridge }) => parseAmount(bridge)).reduce(add, ZERO);
      if (sum !== ZERO) differ(`what crosses borders adds up to ${formatAmount(sum)}, not to 0`);
    },
    GroupCommitOpened: ({ group }: GroupData) => goTo(group, 'COMMITTING'),
    GroupDecided: ({ group }: GroupData) =>
      goTo(group, 'HELD', 'POSTING', 'CANCELING', 'RELEASING'),
    GroupFinished: ({ group }: GroupData) => goTo(group, 'HELD', 'POSTED', 'CANCELED'),
  };

  const goTo = (group: AuditedGroup, ...allowed: readonly string[]): void => {
    const known = allowed.includes(group.status) && WAYS[status]?.includes(group.status);
    if (known !== true) differ(`the group is ${group.status} after ${status || 'nothing'}`);
    const head = fixedOf(group);
    if (fixed !== '' && head !== fixed) differ('more than its status changed');
    status = group.status;
    fixed = head;
  };

  return createAuditRules('group', ({ group }: GroupData) => group.id, rules);
}

/** The statuses that can follow each status (contract ledger §5.4). */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  '': ['OPENED'],
  OPENED: ['HELD', 'POSTING', 'CANCELING'],
  HELD: ['COMMITTING', 'CANCELING'],
  COMMITTING: ['POSTING', 'RELEASING'],
  POSTING: ['POSTED'],
  CANCELING: ['CANCELED'],
  RELEASING: ['HELD'],
};

const fixedOf = (group: AuditedGroup): string =>
  JSON.stringify({
    ...group,
    status: undefined,
    parts: group.parts.map((part) => ({ ...part, createdAt: undefined })),
  });

/** The members that the rules read; a missing one is a difference when it is read. */
type GroupData = Readonly<{ group: AuditedGroup }>;
type AuditedGroup = Readonly<{
  id: string;
  status: string;
  parts: readonly Readonly<{ bridge: string; createdAt?: number }>[];
}>;
