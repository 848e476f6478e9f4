import { expect } from 'chai';
import { postGroup, revertGroup } from '#commands/ledger/processes/create-group.ts';
import type { GroupRequest } from '#commands/ledger/cross-ledger/request.ts';
import { cancelGroup, commitGroup } from '#commands/ledger/processes/settle-group.ts';
import { UNDECIDED_MS, type GroupOutcome } from '#commands/ledger/processes/steps.ts';
import { ZERO } from '#src/kernel/amount.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { at, groupOf, GroupWorld, routedGroup } from '#test/support/group-world.ts';
import { expectSound } from '#test/support/sound-groups.ts';
import { both } from '#test/support/route-samples.ts';
import { postTransaction } from '#test/support/ledger-samples.ts';
import { chanceOf, runsOf, seedOfRun, type Chance } from '#test/support/random.ts';
import { Crash } from '#test/support/step-world.ts';
import type { Steps } from '#src/journal/steps.ts';

const RUNS = runsOf(300);
const PLACES = ['retail', 'shops', 'west/store'];
const ALIASES = ['@alice', '@bob'];

async function founded(): Promise<GroupWorld> {
  const world = new GroupWorld();
  for (const place of PLACES) await world.founded(place, ALIASES);
  return world;
}

describe('groups that processes work on at once and leave half done', () => {
  it('interrupted after any step, are finished at the next start: in every ledger or in none', async () => {
    const request = groupOf('30', ['retail @alice 20', 'shops @bob 10'], ['west/store @alice 30']);
    await interruptedEverywhere(async () => ({ world: await founded(), request }));
  });

  it('are so along a route', async () => {
    await interruptedEverywhere(async () => {
      const world = new GroupWorld();
      const ids = await world.routed(
        { B: ['bidirectional', { direct: both, crossLedger: both }] },
        { route: ['B'] },
      );
      for (const place of PLACES) await world.founded(place, ALIASES);
      await world.founded('store', ALIASES);
      await world.strict('retail', 'shops', 'store');
      const from = ['retail @alice 20 B', 'shops @bob 10 B'];
      return { world, request: routedGroup(ids, 'route', ['30', from, ['store @alice 30 B']]) };
    });
  });

  it('are so with an exception from a block, which is used once', async () => {
    const used = (world: GroupWorld) => world.ledger(at('shops').ledgerId).exceptions.size === 0;
    const staged = async () => {
      const world = await founded();
      const id = await world.blockedBut('shops', '@bob', '10');
      const from = ['retail @alice 20', 'shops @bob 10'];
      const how = { accountBlockExceptionId: id };
      return { world, request: groupOf('30', from, ['west/store @alice 30'], how) };
    };
    await interruptedEverywhere(staged, (world, isPosted) => {
      expect(used(world)).to.equal(isPosted);
    });
  });

  it(`${RUNS} times over, as chance will have it, end posted everywhere or nowhere`, async function () {
    this.timeout(60_000);
    const first = seedOfRun(20_261_122);
    const came = new Map<string, number>();
    for (let seed = first; seed < first + RUNS; seed += 1) {
      const world = await play(seed);
      for (const { action, status, revertedGroupId: reverted } of world.groups()) {
        const what = `${reverted === undefined ? action : 'reversal'} ${status}`;
        came.set(what, (came.get(what) ?? 0) + 1);
      }
    }
    const all = ['direct POSTED', 'direct CANCELED', 'hold POSTED', 'hold CANCELED', 'hold HELD'];
    expect([...came.keys()]).to.include.members([...all, 'reversal POSTED', 'reversal CANCELED']);
  });
});

type Staged = Readonly<{ world: GroupWorld; request: GroupRequest }>;

/** A process that dies after one step, after two, and so on, until it comes to the end. */
async function interruptedEverywhere(
  staged: () => Promise<Staged>,
  check: (world: GroupWorld, isPosted: boolean) => void = () => undefined,
): Promise<void> {
  for (let steps = 0, ended = false; !ended; steps += 1) {
    const { world, request } = await staged();
    let left = steps;
    const interrupted = world.steps(
      () => {
        if (left === 0) throw new Crash();
        left -= 1;
      },
      { key: 'k', sleep: () => Promise.resolve() },
    );
    ended = await postGroup(interrupted, request).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Crash) return false;
        throw error;
      },
    );
    await world.resumeGroups(() => 'k');
    await world.resumeGroups(() => 'k');
    expectSound(world, `${steps} steps`);
    check(
      world,
      world.groups().some(({ status }) => status === 'POSTED'),
    );
    // Asked again under its key, it is there once.
    const { group } = await postGroup(world.calm('k'), request);
    expect(group.status).to.equal('POSTED');
    expect(world.balance('retail', '@alice'), `${steps} steps`).to.equal('80');
    check(world, true);
    const [to] = request.credits;
    const place = world.places.find((one) => at(one).ledgerId === to?.ledgerId)!;
    expect(world.balance(place, '@alice'), `${steps} steps`).to.equal('130');
  }
}

/** Ten callers at once, each a process that may die; then a start finishes what was begun. */
async function play(seed: number): Promise<GroupWorld> {
  const chance = chanceOf(seed);
  const world = await founded();
  const waiting: (() => void)[] = [];
  const keys = new Map<Uuid, string>();
  const turn = async (): Promise<void> => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    for (const place of PLACES) {
      expect(world.unbalanced(place), `seed ${seed}: ${place} balances`).to.equal(ZERO);
    }
  };
  const someone = (key?: string): Steps => {
    let dead = false;
    const steps = world.steps(
      async () => {
        await turn();
        dead ||= chance.is(0.02);
        if (dead) throw new Crash();
      },
      { key, sleep: turn },
    );
    const submit: Steps['submit'] = async (journal, command, how) => {
      const group = (command as { group?: { id: Uuid } }).group;
      if (key !== undefined && group !== undefined) keys.set(group.id, key);
      return steps.submit(journal, command, how);
    };
    return { ...steps, submit };
  };

  const replies = new Map<string, string[]>();
  const works = Array.from({ length: 10 }, (_, n) => {
    if (chance.is(0.15)) return disturb(world, chance, turn);
    const key = chance.is(0.4) ? `key ${n % 2}` : undefined;
    const request = anyRequest(chance, key);
    const life = async (): Promise<void> => {
      const outcome = await postGroup(someone(key), request);
      if (key !== undefined) replies.set(key, [...(replies.get(key) ?? []), replyOf(outcome)]);
      const { id } = outcome.group;
      for (let step = 0; step < 3; step += 1) {
        const ends = [commitGroup, cancelGroup, revertGroup] as const;
        await chance.pick(ends)(someone(), id).catch(expected);
      }
    };
    return life();
  });
  let left = works.length;
  const ends = works.map((work) => work.catch(expected).finally(() => (left -= 1)));
  while (left > 0) {
    const next = waiting.splice(chance.int(0, Math.max(0, waiting.length - 1)), 1)[0];
    next?.();
    world.elapsedMs += chance.is(0.002) ? UNDECIDED_MS : 10;
    await new Promise((resolve) => setImmediate(resolve));
    // Another process starts, and gives up what it takes for abandoned.
    if (chance.is(0.005)) await world.resumeGroups((id) => keys.get(id));
  }
  await Promise.all(ends);
  await world.resumeGroups((id) => keys.get(id));
  expectSound(world, `seed ${seed}`);
  for (const [key, said] of replies) expect(new Set(said).size, `seed ${seed}, ${key}`).to.equal(1);
  return world;
}

/** Under one key the same is asked, whoever asks. */
function anyRequest(chance: Chance, key: string | undefined) {
  if (key !== undefined) {
    return groupOf('7', ['retail @alice 4', 'west/store @bob 3'], ['shops @bob 7']);
  }
  const amount = String(chance.int(1, 120));
  const legs = (count: number, aliases: readonly string[]) => {
    const places = [...PLACES].sort(() => chance.unit() - 0.5).slice(0, count);
    const part = 100 / count;
    return places.map((place) => `${place} ${chance.pick(aliases)} ${part}%`);
  };
  const action = chance.is(0.5) ? 'hold' : 'direct';
  return groupOf(amount, legs(chance.pick([1, 2]), ['@alice']), legs(2, ['@bob']), { action });
}

const replyOf = ({ group, steps }: GroupOutcome): string =>
  JSON.stringify([group.id, steps.map(({ order, step }) => [order, step.data.transaction])]);

/** What else happens to the accounts meanwhile. */
async function disturb(world: GroupWorld, chance: Chance, turn: () => Promise<void>) {
  for (let n = 0; n < 6; n += 1) {
    await turn();
    const place = chance.pick(PLACES);
    const { organizationId, ledgerId } = at(place);
    const account = world.ledger(ledgerId).book.account(chance.pick(ALIASES));
    const command = chance.pick([
      postTransaction({ from: '@alice', to: '@bob', amount: String(chance.int(1, 30)) }),
      { type: 'UpdateAccount', accountId: account?.id, changes: { blocked: chance.is(0.4) } },
      { type: 'DeleteAccount', accountId: account?.id },
    ]);
    await world.in(place, { ...command, organizationId } as never).catch(expected);
  }
}

function expected(error: unknown): void {
  if (!(error instanceof Crash) && !(error instanceof Refusal)) throw error;
}
