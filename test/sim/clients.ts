import type { Books } from './books.ts';
import type { Answer, SimApi } from './api.ts';
import type { Process } from './process.ts';
import type { Request, CommandWish } from './request.ts';
import { createCommands } from './commands.ts';
import type { World } from './world.ts';

export type Clients = Readonly<{
  /** No client starts anything new; what is begun is carried on until it is answered. */
  rest: () => void;
  /** Those that are not done yet. */
  busy: () => readonly string[];
  requests: readonly Request[];
  /** Makes a request of a wish, without a key. */
  want: (wish: CommandWish) => Request;
}>;

/** Lets several clients loose: each wants something, asks, asks again when it hears nothing, and goes on. */
export function startClients(
  count: number,
  {
    world,
    api,
    books,
    processes,
  }: Readonly<{
    world: World;
    api: SimApi;
    books: Books;
    processes: () => readonly Process[];
  }>,
): Clients {
  const { random, simScheduler } = world;
  const commands = createCommands(world, books);
  const requests: Request[] = [];
  const busy = new Set<string>();
  let resting = false;

  const live = async (name: string): Promise<void> => {
    const scheduler = simScheduler.scheduler({ name });
    const later = (ms: number): Promise<void> => scheduler.sleep(1 + random.below(ms));
    while (!resting) {
      await later(100);
      busy.add(name);
      await Promise.all(choose().flatMap((request) => crowdFor(request, later)));
      busy.delete(name);
    }
  };

  const crowdFor = (request: Request, later: (ms: number) => Promise<void>): Promise<void>[] => {
    const crowd = random.oneIn(request.attempts > 0 ? 2 : 6);
    const times = request.key !== undefined && crowd ? 2 + random.below(4) : 1;
    return Array.from({ length: times }, () => pursue(request, later));
  };

  /** With a key one asks until there is an answer; without one, never again: it may have happened. */
  const pursue = async (request: Request, later: (ms: number) => Promise<void>): Promise<void> => {
    for (;;) {
      const alive = processes();
      if (alive.length > 0) {
        const process = random.pick(alive);
        const reader = random.oneIn(2) ? random.pick(alive) : undefined;
        const answer = await impatient(api.ask(request, process, reader), later);
        if (answer !== 'unknown' || request.key === undefined) return;
        if (!resting && request.attempts > ATTEMPTS_MAX) return;
      }
      await later(300);
    }
  };

  /** Sometimes the client hangs up and asks again while its first request is still under way. */
  const impatient = (
    answer: Promise<Answer>,
    later: (ms: number) => Promise<void>,
  ): Promise<Answer> =>
    random.oneIn(10) ? Promise.race([answer, later(100).then(() => 'unknown' as const)]) : answer;

  /** One thing; or several things about one transaction, at once. */
  const choose = (): readonly Request[] => {
    const old = requests.length > 0 ? random.pick(requests) : undefined;
    if (old?.key !== undefined && random.oneIn(6)) return [old];
    if (old?.key !== undefined && random.oneIn(20)) {
      // Those of streams are compared by their bodies: this one is the same, and gets the old reply for as long as that lives.
      const ttlSeconds = old.stream && old.ttlSeconds;
      return [register(old, { key: old.key, hash: `${old.hash}-other`, ttlSeconds })];
    }
    return (random.oneIn(6) ? commands.throng() : [commands.any()]).map(ask);
  };

  const ask = (wish: CommandWish): Request => {
    const ttlSeconds = random.oneIn(5) ? 1 + random.below(2) : undefined;
    const mayBeNone = [
      'update',
      'block',
      'allowance',
      'group step',
      'index',
      'package change',
      'holder change',
      'subscription change',
    ].includes(wish.kind); // One without effect leaves no key.
    const keyed = !mayBeNone && !random.oneIn(4);
    const above = wish.across !== undefined || ABOVE.includes(wish.kind);
    const tenantId = !above && random.oneIn(40) ? 'stranger' : 'default';
    if (!keyed) return register(wish, { tenantId });
    return register(wish, {
      key: `key-${requests.length}`,
      tenantId,
      ttlSeconds: ENDLESS.includes(wish.kind) ? undefined : ttlSeconds,
    });
  };

  const register = (
    { kind, journal, command, across, holder, stream }: CommandWish,
    more: Partial<Request> = {},
  ): Request => {
    const n = requests.length;
    const usual = { hash: `hash-${n}`, tenantId: 'default', attempts: 0 };
    const asked = {
      kind,
      journal,
      command,
      ...(across && { across }),
      ...(holder && { holder }),
      ...(stream && { stream }),
    };
    const request: Request = { n, ...asked, ...usual, ...more };
    requests.push(request);
    return request;
  };

  for (let n = 1; n <= count; n += 1) void live(`client ${n}`);
  return { rest: () => (resting = true), busy: () => [...busy], requests, want: register };
}

const ATTEMPTS_MAX = 12;
const ABOVE: readonly CommandWish['kind'][] = [
  'organization',
  'ledger',
  'index',
  'package',
  'package change',
  'holder',
  'holder change',
  'subscription',
  'subscription change',
  'replay',
];
/** Their keys live for ever. */
const ENDLESS: readonly CommandWish['kind'][] = ['organization', 'group', 'holder'];
