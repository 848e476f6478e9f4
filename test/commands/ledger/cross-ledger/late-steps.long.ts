import { expect } from 'chai';
import { postGroup, revertGroup } from '#commands/ledger/processes/create-group.ts';
import { cancelGroup, commitGroup } from '#commands/ledger/processes/settle-group.ts';
import { UNDECIDED_MS, type GroupOutcome } from '#commands/ledger/processes/steps.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal, ownerOf } from '#src/kernel/journal-name.ts';
import { at, groupOf, GroupWorld, type Place } from '#test/support/group-world.ts';
import { everyLateStep, type LateSteps } from '#test/support/late-steps.ts';
import { expectSound } from '#test/support/sound-groups.ts';
import type { Steps } from '#src/journal/steps.ts';

type Story = Readonly<{
  /** Returns the group that the work is about. */
  begin?: (world: GroupWorld) => Promise<Uuid>;
  work: (steps: Steps, id: Uuid) => Promise<GroupOutcome>;
  /** The status, and the balance of the first source, once the work is done. */
  ends: readonly [status: string, balance: string];
  /** The first command of this type in this ledger finds an account blocked. */
  blocked?: readonly [type: string, place: Place, alias: string];
}>;

const PLACES: readonly Place[] = ['retail', 'shops', 'west/store'];
const from = ['retail @alice 20', 'shops @bob 10'];
const request = (action: 'direct' | 'hold') =>
  groupOf('30', from, ['west/store @alice 30'], { action });
const begun = (action: 'direct' | 'hold') => async (world: GroupWorld) =>
  (await postGroup(world.calm(), request(action))).group.id;

const direct: Story = {
  work: (steps) => postGroup(steps, request('direct')),
  ends: ['POSTED', '80'],
};
const hold: Story = { work: (steps) => postGroup(steps, request('hold')), ends: ['HELD', '80/20'] };
const commit: Story = { begin: begun('hold'), work: commitGroup, ends: ['POSTED', '80'] };
const revert: Story = { begin: begun('direct'), work: revertGroup, ends: ['POSTED', '100'] };

const STORIES: Readonly<Record<string, Story>> = {
  'a creation': direct,
  'a creation that the first ledger refuses': {
    ...direct,
    blocked: ['PrepareGroupPart', 'retail', '@alice'],
  },
  'a creation that another ledger refuses': {
    ...direct,
    blocked: ['PrepareGroupPart', 'shops', '@bob'],
  },
  'a hold': hold,
  'a hold that another ledger refuses': { ...hold, blocked: ['PrepareGroupPart', 'shops', '@bob'] },
  'a commit': commit,
  'a commit that a ledger refuses': { ...commit, blocked: ['BindGroupPart', 'retail', '@alice'] },
  'a cancellation': { begin: begun('hold'), work: cancelGroup, ends: ['CANCELED', '100'] },
  'a reversal': revert,
  'a reversal that a ledger refuses': {
    ...revert,
    blocked: ['PrepareGroupPart', 'west/store', '@alice'],
  },
};

/** The work is attempted twice. It is also given up in between, or attempted right before the command that goes wrong. */
const COURSES = ['given up and repeated', 'repeated', 'overtaken by another attempt'] as const;

describe('groups whose steps are written late or without a response', function () {
  this.timeout(120_000);
  for (const [what, story] of Object.entries(STORIES)) {
    for (const course of COURSES) {
      it(`${what}, ${course}, comes to its end once`, async () => {
        expect(await everyLateStep((late) => play(story, course, late))).to.be.above(9);
      });
    }
  }
});

async function play(
  { begin, work, ends: [status, balance], blocked }: Story,
  course: (typeof COURSES)[number],
  late: LateSteps,
): Promise<boolean> {
  const world = new GroupWorld();
  for (const one of PLACES) await world.founded(one, ['@alice', '@bob']);
  const id = (await begin?.(world)) ?? ('' as Uuid);
  const key = begin === undefined ? 'k' : undefined;
  const [type, place = '', alias = ''] = blocked ?? [];
  let isToBlock = blocked !== undefined;
  const block = (value: boolean) => {
    const { organizationId, ledgerId } = at(place);
    const accountId = world.ledger(ledgerId).book.account(alias)!.id;
    const changes = { blocked: value };
    return world.in(place, { type: 'UpdateAccount', organizationId, accountId, changes });
  };
  const sleep = async (ms: number): Promise<void> => {
    world.elapsedMs += ms;
    await new Promise((resolve) => setImmediate(resolve));
  };
  const steps = world.steps(() => {}, { key, sleep });
  const submit: Steps['submit'] = async (journal, command, how) => {
    const decision = command as Readonly<{ type: string; status?: string; opened?: number }>;
    const isThere = decision.type === type;
    if (isToBlock && isThere && journal.name === ledgerJournal(at(place).ledgerId)) {
      isToBlock = false;
      await block(true);
    }
    if (decision.type === 'DecideGroup' && decision.status === 'POSTING') {
      const isFirst = world.group(ownerOf(journal.name)).revision === decision.opened;
      const isReserved = PLACES.every((one) => world.ledger(at(one).ledgerId).parts.size === 1);
      expect(isReserved || !isFirst, 'what is posted is reserved').to.equal(true);
    }
    return steps.submit(journal, command, how);
  };
  const attempt = (how: Steps['submit']): Promise<string> =>
    work({ ...steps, submit: how }, id).then(
      ({ group }) => group.status,
      (error: unknown) => {
        if (error instanceof Refusal) return error.refusal;
        throw error;
      },
    );
  const giveUp = async (wrap?: (submit: Steps['submit']) => Steps['submit']): Promise<void> => {
    world.elapsedMs += UNDECIDED_MS;
    await world
      .resumeGroups(() => key, wrap)
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
      });
  };

  const right = [status, 'UNAVAILABLE', ...(blocked ? ['ACCOUNT_BLOCKED'] : [])];
  const after = key === undefined ? ['GROUP_FINISHED', 'REVERTED_ALREADY'] : [];
  const isOvertaken = course === 'overtaken by another attempt';
  if (isOvertaken) late.before = () => attempt(submit);
  const first = await attempt(late.wrap(submit));
  expect([...right, ...(isOvertaken ? [...after, 'TRANSACTION_BUSY'] : [])]).to.include(first);
  isToBlock = false;
  if (blocked) await block(false);
  if (course === 'given up and repeated') await giveUp((one) => late.wrap(one));
  const second = await attempt(late.wrap(submit));
  expect([status, 'UNAVAILABLE', 'TRANSACTION_BUSY', ...after]).to.include(second);
  const { came } = late;

  await late.land();
  await giveUp();
  expect([status, ...after], 'in the end').to.include(await attempt(submit));
  expectSound(world, late.what);
  expect(world.balance('retail', '@alice')).to.equal(balance);
  return came;
}
