import { journalOfLedger, journalOfOrganization } from '#commands/ledger/journals.ts';
import type { Uuid } from '#src/domain/ids.ts';
import type { JournalName } from '#src/domain/journal-name.ts';
import { createIds } from '#src/adapters/system.ts';
import type { Books, BookedLedger } from './books.ts';
import type { Answer, Desk } from './desk.ts';
import type { Process } from './process.ts';
import type { Command, Request } from './request.ts';
import type { World } from './world.ts';

export type Clients = Readonly<{
  /** No client starts anything new; what is begun is carried on until it is answered. */
  rest: () => void;
  /** Those that are not done yet. */
  busy: () => readonly string[];
  requests: readonly Request[];
}>;

type Wish = Pick<Request, 'kind' | 'journal' | 'command' | 'hash'>;

/** Lets several clients loose: each wants something, asks, asks again when it hears nothing, and goes on. */
export function startClients(
  count: number,
  {
    world,
    desk,
    books,
    processes,
  }: Readonly<{
    world: World;
    desk: Desk;
    books: Books;
    processes: () => readonly Process[];
  }>,
): Clients {
  const { chance, loom, weather } = world;
  const ids = createIds(weather.clock, chance.fill);
  const requests: Request[] = [];
  const minted: Uuid[] = [];
  const busy = new Set<string>();
  let resting = false;

  const live = async (name: string): Promise<void> => {
    const scheduler = loom.scheduler({ name });
    const later = (ms: number): Promise<void> => scheduler.sleep(1 + chance.below(ms));
    while (!resting) {
      await later(100);
      busy.add(name);
      const request = choose();
      const crowd = chance.oneIn(request.attempts > 0 ? 2 : 6);
      const times = request.key !== undefined && crowd ? 2 + chance.below(4) : 1;
      await Promise.all(Array.from({ length: times }, () => pursue(request, later)));
      busy.delete(name);
    }
  };

  /** With a key one asks until there is an answer; without one, never again: it may have happened. */
  const pursue = async (request: Request, later: (ms: number) => Promise<void>): Promise<void> => {
    for (;;) {
      const alive = processes();
      if (alive.length > 0) {
        const process = chance.pick(alive);
        const reader = chance.oneIn(2) ? chance.pick(alive) : undefined;
        const answer = await impatient(desk.ask(request, process, reader), later);
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
    chance.oneIn(10) ? Promise.race([answer, later(100).then(() => 'unknown' as const)]) : answer;

  const choose = (): Request => {
    const old = requests.length > 0 ? chance.pick(requests) : undefined;
    if (old?.key !== undefined && chance.oneIn(6)) return old;
    if (old?.key !== undefined && chance.oneIn(20))
      return register({ ...wishLike(old), key: old.key });
    const wish = wishFor();
    const ttlSeconds = chance.oneIn(5) ? 1 + chance.below(2) : undefined;
    const key = chance.oneIn(4) ? undefined : `key-${requests.length}`;
    const foreign = wish.kind !== 'organization' && wish.kind !== 'ledger' && chance.oneIn(40);
    if (key === undefined) return register({ ...wish, foreign });
    return register({
      ...wish,
      key,
      foreign,
      ttlSeconds: wish.kind === 'organization' ? undefined : ttlSeconds,
    });
  };

  /** Another request with the key of an old one. */
  const wishLike = (old: Request): Wish => ({ ...old, hash: `${old.hash}-other` });

  const register = ({
    foreign = false,
    ...wish
  }: Wish & { key?: string; ttlSeconds?: number | undefined; foreign?: boolean }): Request => {
    const tenantId = foreign ? 'stranger' : 'default';
    const { kind, journal, command, hash, key, ttlSeconds } = wish;
    const n = requests.length;
    const request = { n, kind, journal, command, hash, tenantId, key, ttlSeconds, attempts: 0 };
    requests.push(request);
    return request;
  };

  const wishFor = (): Wish => {
    const ledgers = [...books.ledgers.values()];
    const organizations = [...books.organizations.keys()] as Uuid[];
    if (organizations.length === 0) return organization();
    const poor = ledgers.length === 0 ? 20 : ledgers.length < LEDGERS_MAX ? 1.5 : 0.3;
    const chosen = ledgers.length > 0 ? chance.pick(ledgers) : undefined;
    const kind = chance.weighted({
      organization: organizations.length < ORGANIZATIONS_MAX ? 1 : 0.2,
      ledger: poor,
      asset: (chosen?.assets.size ?? 0) < ASSETS.length ? 10 : 1,
      account: (chosen?.accounts.size ?? 0) < ACCOUNTS_MAX ? 30 : 1,
      transaction: 30,
    });
    if (kind === 'organization') return organization();
    if (kind === 'ledger' || chosen === undefined) return ledger(chance.pick(organizations));
    if (kind === 'asset') return asset(chosen);
    return kind === 'account' ? account(chosen) : transaction(chosen);
  };

  const organization = (): Wish => {
    const id = ids.next();
    const parent = minted.length > 0 && chance.oneIn(2) ? chance.pick(minted) : null;
    minted.push(id);
    const fields = {
      id,
      parentOrganizationId: parent,
      legalName: `Organization ${minted.length}`,
      doingBusinessAs: null,
      legalDocument: '0',
      address: { line1: '', line2: null, zipCode: '', city: '', state: '', country: 'DE' },
      status: ACTIVE,
    };
    const holderId = ids.named(id, 'holder');
    return wish('organization', journalOfOrganization(id), () => {
      return { type: 'CreateOrganization', organization: fields, holderId };
    });
  };

  const ledger = (organizationId: Uuid): Wish => {
    const name = `Ledger ${chance.pick(['A', 'a', 'B', 'C', 'D'])}`;
    return wish('ledger', journalOfOrganization(organizationId), (process) => ({
      type: 'ReserveLedgerName',
      ledger: { id: process.ids.next(), organizationId, name, status: ACTIVE },
    }));
  };

  const asset = (of: BookedLedger): Wish => {
    const code = chance.pick(ASSETS);
    const fields = { name: `Asset ${code}`, type: 'crypto', code, status: ACTIVE };
    return inLedger('asset', of, { type: 'CreateAsset', organizationId: orgOf(of), fields });
  };

  const account = (of: BookedLedger): Wish => {
    const alias = chance.oneIn(12) ? undefined : chance.pick(ALIASES);
    const fields = {
      assetCode: chance.pick(ASSETS),
      type: 'deposit',
      status: ACTIVE,
      blocked: false,
      skipHolder: false,
      alias,
    };
    return inLedger('account', of, { type: 'CreateAccount', organizationId: orgOf(of), fields });
  };

  /** In from outside, across, or from two to two; often to somebody who is not there, or of too much. */
  const transaction = (of: BookedLedger): Wish => {
    const assetCode = of.assets.size > 0 ? chance.pick([...of.assets.keys()]) : chance.pick(ASSETS);
    const near = [...of.accounts.values()].filter(
      (one) => !one.external && one.asset === assetCode,
    );
    const somebody = (): string =>
      near.length < 2 || chance.oneIn(25) ? chance.pick(ALIASES) : chance.pick(near).alias;
    const way = chance.weighted({ in: 3, across: 6, split: 2 });
    const value = `${1 + chance.below(way === 'in' ? 100 : 60)}${chance.oneIn(3) ? '.25' : ''}`;
    const amount = { asset: assetCode, value };
    const [from, second, to, last] = [somebody(), somebody(), somebody(), somebody()];
    const source =
      way === 'in'
        ? [{ accountAlias: `@external/${assetCode}`, amount }]
        : [{ accountAlias: from, amount }];
    const split = way === 'split' && new Set([from, second, to, last]).size === 4;
    const half = { asset: assetCode, value: '0.5' };
    const send = split
      ? {
          source: {
            from: [
              { accountAlias: from, amount: half },
              { accountAlias: second, remaining: 'remaining' },
            ],
          },
          distribute: {
            to: [
              { accountAlias: to, share: { percentage: 25 } },
              { accountAlias: last, remaining: 'remaining' },
            ],
          },
        }
      : {
          source: { from: source },
          distribute: { to: [{ accountAlias: to === from ? second : to, amount }] },
        };
    const request = { send: { asset: assetCode, value, ...send } };
    return inLedger('transaction', of, {
      type: 'PostTransaction',
      organizationId: orgOf(of),
      request,
    });
  };

  const inLedger = (kind: Request['kind'], of: BookedLedger, command: Command): Wish =>
    wish(kind, journalOfLedger(of.id as Uuid), () => command);

  const wish = (
    kind: Request['kind'],
    journal: Readonly<{ name: JournalName }>,
    command: (process: Process) => Command,
  ): Wish => ({
    kind,
    journal: journal,
    command,
    hash: `hash-${requests.length}`,
  });

  for (let n = 1; n <= count; n += 1) void live(`client ${n}`);
  return { rest: () => (resting = true), busy: () => [...busy], requests };
}

const orgOf = ({ organizationId }: BookedLedger): Uuid => organizationId as Uuid;

const ACTIVE = { code: 'ACTIVE', description: null };
const ASSETS = ['GOLD', 'SALT'];
const ALIASES = Array.from('abcdefghij', (letter) => `@${letter}`);
const ATTEMPTS_MAX = 12;
const ORGANIZATIONS_MAX = 3;
const LEDGERS_MAX = 3;
const ACCOUNTS_MAX = 8;
