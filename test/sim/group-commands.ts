import { flatBodyLocations } from '#commands/ledger/api/locations.ts';
import type { GroupRequest } from '#commands/ledger/cross-ledger/request.ts';
import type { V2Leg } from '#commands/ledger/transaction/v2-request.ts';
import { journalOfGroup } from '#commands/ledger/cross-ledger/group.ts';
import { journalOfLedger } from '#commands/ledger/journals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { BookedAccount, BookedGroup, BookedLedger } from './booked.ts';
import type { Books } from './books.ts';
import { ALIASES, ASSETS, orgOf } from './fixtures.ts';
import type { Random } from './random.ts';
import { someException } from './exception-commands.ts';
import type { Across, CommandWish } from './request.ts';
import { groupAlong } from './route-commands.ts';

export type GroupCommands = Readonly<{
  any: () => CommandWish;
  throng: () => readonly CommandWish[];
}>;

/** What is wanted of transactions over several ledgers: new ones, and whatever may befall old ones. */
export function createGroupCommands(
  random: Random,
  books: Books,
  unheardOf: () => Uuid,
): GroupCommands {
  const any = (): CommandWish => {
    if (books.groups.size === 0 || random.oneIn(2)) return group();
    return step(someId());
  };

  const throng = (): readonly CommandWish[] => {
    const id = someId();
    return Array.from({ length: 2 + random.below(3) }, () => step(id));
  };

  const step = (id: Uuid): CommandWish => {
    const type = random.weighted<StepType>({ CommitGroup: 4, CancelGroup: 2, RevertGroup: 3 });
    const of = random.pick([...books.ledgers.values()]);
    return stepOfGroup(type, id, random.oneIn(3) ? someException(random, of)?.id : undefined);
  };

  /** A held one, a new one, any one; seldom one that nobody knows. */
  const someId = (): Uuid => {
    const all = [...books.groups.values()];
    if (all.length === 0 || random.oneIn(30)) return unheardOf();
    const held = all.filter((one) => one.record.status === 'HELD');
    const pick = (some: readonly BookedGroup[]): Uuid => random.pick(some).id as Uuid;
    if (held.length > 0 && random.oneIn(2)) return pick(held);
    return pick(random.oneIn(2) ? all.slice(-2) : all);
  };

  /** Two or three ledgers, of which one or two give and one or two receive; now and then one does both. */
  const group = (): CommandWish => {
    const asset = random.pick(ASSETS);
    const all = [...books.ledgers.values()];
    const able = all.filter((of) => of.crosses && holders(of, asset).length > 0);
    const some = able.length < 2 || random.oneIn(20) ? all : able;
    const places = shuffled(some).slice(0, random.oneIn(3) ? 3 : 2);
    const givers = places.slice(0, random.oneIn(3) ? 2 : 1);
    const takers = [...places.slice(1), ...(random.oneIn(4) ? places.slice(0, 1) : [])];
    const amount = 1 + random.below(20);
    const request: GroupRequest = {
      action: random.oneIn(2) ? 'hold' : 'direct',
      asset,
      amount: String(amount),
      locations: flatBodyLocations,
      debits: legs(givers, asset, amount),
      credits: legs(takers, asset, amount),
      ...(random.oneIn(3) && { description: random.pick(['rent', 'salt', 'gold']) }),
    };
    const { ledgerId } = request.debits[0]!;
    const { name } = journalOfLedger(ledgerId);
    const isPlain = request.action === 'hold' || !random.oneIn(3);
    const asked = routed(isPlain ? request : excepted(request, places), places);
    return across('group', name, { type: 'PostGroup', request: asked });
  };

  /** Along a route of the organization where a ledger asks for one; of the ledger if it is the only one that does. */
  const routed = (request: GroupRequest, places: readonly BookedLedger[]): GroupRequest => {
    const asking = places.filter((of) => of.routed);
    const [first] = asking;
    if (first === undefined || random.oneIn(15)) return request;
    const shared = books.organizations.get(first.organizationId)?.routes;
    const own = asking.length === 1 || random.oneIn(10) ? [first.routes] : [];
    return groupAlong(random, [...own, ...(shared ? [shared] : [])], request);
  };

  /** The last debit is what an exception of its ledger lets pass. */
  const excepted = (request: GroupRequest, places: readonly BookedLedger[]): GroupRequest => {
    const last = request.debits.at(-1)!;
    const of = places.find(({ id }) => id === last.ledgerId);
    const exception = of && someException(random, of);
    if (!exception || of.accounts.get(exception.alias)?.asset !== request.asset) return request;
    const { id, alias, value } = exception;
    const others = request.debits.slice(0, -1);
    const rest = others.reduce((sum, leg) => sum + Number(leg.amount), 0);
    const amount = String(rest + Number(value));
    return {
      ...request,
      amount,
      debits: [...others, { ...last, alias, amount: value }],
      credits: [{ ...request.credits[0]!, amount }],
      accountBlockExceptionId: id,
    };
  };

  const legs = (places: readonly BookedLedger[], asset: string, amount: number): V2Leg[] => {
    const first = places.length > 1 ? random.below(amount - 1) + 1 : amount;
    return places.slice(0, amount > 1 ? 2 : 1).map((of, n): V2Leg => {
      const near = holders(of, asset);
      const alias =
        near.length === 0 || random.oneIn(40) ? random.pick(ALIASES) : random.pick(near).alias;
      const own = amount === 1 ? amount : n === 0 ? first : amount - first;
      return { organizationId: orgOf(of), ledgerId: of.id as Uuid, alias, amount: String(own) };
    });
  };

  const shuffled = <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item) => ({ item, at: random.fraction() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);

  return { any, throng };
}

const holders = ({ accounts }: BookedLedger, asset: string): readonly BookedAccount[] =>
  [...accounts.values()].filter((one) => !one.external && one.asset === asset);

type StepType = 'CommitGroup' | 'CancelGroup' | 'RevertGroup';

export const stepOfGroup = (type: StepType, groupId: Uuid, exceptionId?: Uuid): CommandWish => {
  const { name } = journalOfGroup(groupId);
  if (type === 'CancelGroup') return across('group step', name, { type, groupId });
  return across('group step', name, { type, groupId, ...(exceptionId && { exceptionId }) });
};

const across = (
  kind: CommandWish['kind'],
  name: CommandWish['journal']['name'],
  asked: Across,
): CommandWish => ({
  kind,
  journal: { name },
  across: asked,
  command: () => {
    throw new Error('What is done in several ledgers is no command');
  },
});
