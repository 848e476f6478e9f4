import { projections } from '#src/bootstrap/projections.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import { MemoryIndexData, MemoryJournalIndex } from '#test/doubles/memory/journal-index.ts';
import {
  createReadMemory,
  memoryReadStoreWriter,
  type ReadMemory,
} from '#test/doubles/memory/read-store.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { signingSecretName } from '#src/kernel/signing-secret.ts';
import { createProjector } from '#src/runtime/project.ts';
import { imageOf, standingOf, type BookedGroup, type BookedTransaction } from './booked.ts';
import { checkGroupsEnded } from './group-oracle.ts';
import { stepOfGroup } from './group-commands.ts';
import type { Books } from './books.ts';
import type { DecisionOracle } from './decision-oracle.ts';
import { inLedger, orgOf } from './fixtures.ts';
import { assertThat, type LogOracle } from './log-oracle.ts';
import type { Clients } from './clients.ts';
import type { SimApi } from './api.ts';
import type { Process } from './process.ts';
import { checkPublished } from './publishing.ts';
import { deliverAgain } from './consumers.ts';
import { statusWish } from './stream-commands.ts';
import { isStanding } from './read-back.ts';
import type { World } from './world.ts';

type Options = Readonly<{
  world: World;
  logOracle: LogOracle;
  books: Books;
  decisions: DecisionOracle;
  api: SimApi;
  processes: () => readonly Process[];
  clients: Clients;
}>;

/** The full check at the end, after one more restart and without any more faults. Throws at what is wrong. */
export async function verify(options: Options): Promise<void> {
  const { world, books, processes } = options;
  const [process] = processes();
  if (process === undefined) throw new Error('No process is left');
  await process.reading.caughtUp;
  await process.resumed;

  await untilFinished(options);
  await checkKeys(options, process);
  await checkGroups(options, process);
  await checkEnds(options, process);
  await books.holders.check(world, process);
  options.decisions.end();
  options.logOracle.end();
  for (const { id, reserved, settled } of books.organizations.values()) {
    const lost = [...reserved].filter((ledger) => !settled.has(ledger));
    assertThat(
      lost.length === 0,
      `Organization ${id} has ledgers that were never opened: ${lost.join()}`,
    );
  }
  await untilProjected(options, process);
  await checkPublished(world);
  if (world.streams) await checkStreams(options, process);
  await untilProjected(options, process); // Deliveries may have ended a subscription meanwhile.
  const fresh = await foldAnew(world);
  checkRows(world.rows, fresh.rows);
  checkIndex(world.index, fresh.index);
  checkReached(world.index, options.logOracle);
  checkNames(world.index, books);
  checkShown(world.rows, books);
}

/** Waits until live processes have finished groups, erasures and changes of ledgers; an undecided group is given up after 30 s. */
async function untilFinished({ world, logOracle, books }: Options): Promise<void> {
  const scheduler = world.simScheduler.scheduler({ name: 'the wait for groups' });
  const open = (): BookedGroup[] =>
    [...books.groups.values()].filter((group) => !SETTLED.includes(group.record.status));
  const erasing = (): boolean =>
    [...books.holders.holders.values()].some(({ is }) => is === 'erasing');
  const halfMade = (): boolean =>
    [...world.index.journals].some(([journal, kinds]) => {
      return /^(organization|ledger)-/.test(journal) && (kinds.get('open')?.size ?? 0) > 0;
    });
  for (let seconds = 0; open().length > 0 || erasing() || halfMade(); seconds += 1) {
    const [first] = open();
    assertThat(
      seconds < GROUPS_SECONDS_MAX,
      `Group ${first?.id ?? '-'}, an erasure or a change of a ledger is never finished`,
    );
    await scheduler.sleep(1_000);
    logOracle.follow();
  }
}

/** Held groups can be ended, and none that has ended can be ended again; then each is in all of its ledgers or in none. */
async function checkGroups({ books, api, clients }: Options, process: Process): Promise<void> {
  const step = (type: GroupStep, groupId: string): Promise<string> => {
    return api.ask(clients.want(stepOfGroup(type, groupId as Uuid)), process);
  };
  for (const [n, group] of [...books.groups.values()].entries()) {
    const { id, status } = group.record;
    if (status === 'HELD') {
      const commits = n % 2 === 0 && (await step('CommitGroup', id)) === 'done';
      const answer = commits ? 'done' : await step('CancelGroup', id);
      assertThat(answer === 'done', `Group ${id} cannot be ended any more`);
    }
    const again = await step('CommitGroup', id);
    assertThat(again === 'refused', `Group ${id} was ${status} and is committed: ${again}`);
  }
  checkGroupsEnded(books.groups, books.ledgers);
}

/** Every key of the log, from the oldest on, still stands for its event. */
async function checkKeys(
  { logOracle, api, clients: { requests } }: Options,
  process: Process,
): Promise<void> {
  const keyed = requests.filter(
    ({ key, ttlSeconds }) => key !== undefined && ttlSeconds === undefined,
  );
  for (const request of keyed) {
    const use = logOracle.usesOf(request.journal.name, request.key ?? '').at(-1);
    if (use?.metadata.requestHash !== request.hash) continue;
    // A group that was given up has freed its key.
    if (use.metadata.idempotencyExpiresAt !== undefined) continue;
    const answer = await api.ask(request, process);
    const right = request.tenantId === 'default' && answer === 'done';
    assertThat(
      right,
      `The key ${request.key ?? ''} of ${use.stored.stream} was not found again: ${answer}`,
    );
  }
}

/** What is pending can be ended, if only by giving back what a stopped account waits for, and nothing that has ended can be ended again, however old. */
async function checkEnds({ books, api, clients }: Options, process: Process): Promise<void> {
  for (const ledger of books.ledgers.values()) {
    const step = async (type: Step, { id }: BookedTransaction): Promise<string> => {
      const command = { type, organizationId: orgOf(ledger), transactionId: id as Uuid };
      return await api.ask(clients.want(inLedger('settlement', ledger, command)), process);
    };
    const all = [...ledger.transactions.values()];
    const status = (one: BookedTransaction): string => imageOf(one).record.status;
    const pending = all.filter((found) => status(found) === 'PENDING');
    for (const [n, one] of pending.entries()) {
      const commits = n % 2 === 0 && (await step('CommitTransaction', one)) === 'done';
      const answer = commits ? 'done' : await step('CancelTransaction', one);
      assertThat(answer === 'done', `${one.id} cannot be ended any more`);
    }
    const some = all.filter((_, n) => n % Math.ceil(all.length / ENDS_MAX) === 0);
    for (const one of some) {
      const again = await step('CommitTransaction', one);
      assertThat(again === 'refused', `${one.id} was ${status(one)} and is committed: ${again}`);
      if (!one.isReverted) continue;
      const twice = await step('RevertTransaction', one);
      assertThat(twice === 'refused', `J6: ${one.id} was reverted before: ${twice}`);
    }
  }
}

/** Every live subscription delivers all that it is due, in order, and every replay comes to its end. */
async function checkStreams(
  { world, books: { streams }, api, clients, logOracle }: Options,
  process: Process,
): Promise<void> {
  const scheduler = world.simScheduler.scheduler({ name: 'the wait for deliveries' });
  const left = (): string | undefined =>
    streams.pending > 0
      ? `${streams.pending} replays are pending`
      : world.deliveries.missing(streams);
  for (let seconds = 0; left() !== undefined; seconds += 1) {
    assertThat(seconds < STREAMS_SECONDS_MAX, left() ?? '');
    for (const stream of streams.live) {
      const isActive = stream.states.at(-1)?.subscription.status === 'active';
      if (!isActive) await api.ask(clients.want(statusWish(stream)), process);
    }
    await deliverAgain(process, world, streams);
    await scheduler.sleep(1_000);
    logOracle.follow();
  }
  world.deliveries.end(streams);
  for (const { id, states } of streams.live) {
    if (states[0]?.subscription.target.kind !== 'webhook') continue;
    const secret = world.secrets.get(signingSecretName(id));
    const isThere = secret !== undefined && secret !== 'destroyed';
    assertThat(isThere, `The subscription ${id} has no signing secret`);
  }
}

async function untilProjected({ world }: Options, process: Process): Promise<void> {
  const last = world.log.readAll('' as never, 1e9).at(-1);
  if (last === undefined) return;
  const scheduler = world.simScheduler.scheduler({ name: 'the final check' });
  process.reading.acknowledged(last.stream, last.revision, last.position);
  while (world.index.checkpoint < last.position) await scheduler.sleep(10);
  await scheduler.sleep(1_000);
}

async function foldAnew({
  log,
  simScheduler,
}: World): Promise<{ rows: ReadMemory; index: MemoryIndexData }> {
  const scheduler = simScheduler.scheduler({ name: 'the fresh fold' });
  const rows = createReadMemory();
  const data = new MemoryIndexData();
  const projector = createProjector({
    log: new MemoryEventStore({ scheduler, log }),
    writer: memoryReadStoreWriter(rows, scheduler),
    index: new MemoryJournalIndex({ scheduler, data }),
    indexTable,
    scheduler,
    projections,
    onProgress: ({ caughtUp }) => caughtUp && void projector.stop(),
    onFault: ({ message }) => {
      throw new Error(message);
    },
  });
  await projector.run();
  return { rows, index: data };
}

function checkRows(lived: ReadMemory, fresh: ReadMemory): void {
  for (const { collection } of projections) {
    const { name } = collection;
    const rows = lived.collections.get(name)?.live.rows ?? new Map<string, unknown>();
    const expected = fresh.collections.get(name)?.live.rows ?? new Map<string, unknown>();
    assertThat(rows.size === expected.size, `${name} has ${rows.size} rows, not ${expected.size}`);
    for (const [id, row] of expected) {
      const same = JSON.stringify(rows.get(id)) === JSON.stringify(row);
      assertThat(
        same,
        `${name} ${id} differs from a fresh fold: ${JSON.stringify([rows.get(id), row])}`,
      );
    }
  }
}

function checkIndex(lived: MemoryIndexData, fresh: MemoryIndexData): void {
  const texts = ({ journals, reached }: MemoryIndexData): string[] => [
    ...[...reached].map((pair) => pair.join(' reached ')),
    ...[...journals].flatMap(([journal, kinds]) =>
      [...kinds].flatMap(([kind, keys]) =>
        [...keys].map(([key, revision]) => `${journal} ${kind} ${key} ${revision}`),
      ),
    ),
  ];
  const [is, expected] = [texts(lived).sort(), texts(fresh).sort()];
  const wrong = expected.find((line, n) => line !== is[n]) ?? is[expected.length];
  assertThat(wrong === undefined, `The index differs from a fresh fold at: ${wrong ?? ''}`);
}

/** The same without the program's own fold. */
function checkReached(index: MemoryIndexData, logOracle: LogOracle): void {
  for (const journal of logOracle.journals()) {
    const reached = index.reached.get(journal);
    const head = logOracle.headOf(journal);
    assertThat(reached === head, `The index has ${journal} up to ${reached ?? -1}, not ${head}`);
  }
  for (const { journal, key, uses } of logOracle.keys()) {
    const found = index.journals.get(journal)?.get('idempotency')?.get(key);
    assertThat(
      found === uses.at(-1)?.stored.revision,
      `The index has not the key ${key} of ${journal}`,
    );
  }
}

/** Every transaction is found by its last event, every reversal by what it reverts. */
function checkNames(index: MemoryIndexData, { ledgers }: Books): void {
  for (const { journal, transactions, reversals } of ledgers.values()) {
    const names = index.journals.get(journal);
    for (const transaction of transactions.values()) {
      const { id } = transaction;
      const last = names?.get('transaction')?.get(id);
      assertThat(last === imageOf(transaction).revision, `The index has ${id} at ${last ?? -1}`);
      const reversal = names?.get('reversal')?.get(id);
      assertThat(
        reversal === reversals.get(id),
        `The index has the reversal of ${id} at ${reversal ?? -1}`,
      );
    }
  }
}

/** Readers are shown the last images of the log. */
function checkShown(rows: ReadMemory, { ledgers }: Books): void {
  const balances = rows.collections.get('balance')?.live.rows;
  const shown = rows.collections.get('transaction')?.live.rows;
  for (const { id, accounts, transactions } of ledgers.values()) {
    for (const account of accounts.values()) {
      const { live, balanceId, version } = standingOf(account);
      const row = balances?.get(balanceId);
      const isShown = row !== undefined && row.removed !== true;
      const right = isShown ? live && isStanding(account.standings, row, version) : !live;
      assertThat(
        right,
        `Ledger ${id} shows ${account.alias} as ${JSON.stringify(row?.values)}, live: ${live}`,
      );
      assertThat(
        standingOf(account).onHold === 0n,
        `Ledger ${id}: ${account.alias} holds for nobody`,
      );
      const last = account.debts.at(-1);
      if (last === undefined) continue;
      const shownDebt = balances?.get(last.balanceId);
      const owed = shownDebt !== undefined && isStanding(account.debts, shownDebt, last.version);
      assertThat(owed, `Ledger ${id} shows another debt of ${account.alias}`);
      assertThat(last.onHold === 0n, `Ledger ${id}: a debt held for nobody`);
    }
    for (const transaction of transactions.values()) {
      const row = shown?.get(transaction.id);
      const right = row?.body === imageOf(transaction).text;
      assertThat(right, `Ledger ${id} shows ${transaction.id} as ${row?.body ?? 'nothing'}`);
    }
  }
}

const SETTLED: readonly string[] = ['HELD', 'POSTED', 'CANCELED'];
const GROUPS_SECONDS_MAX = 120;
const STREAMS_SECONDS_MAX = 300;

type GroupStep = 'CommitGroup' | 'CancelGroup';
type Step = 'CommitTransaction' | 'CancelTransaction' | 'RevertTransaction';

/** So many of a ledger's transactions are tried again at the end of a run. */
const ENDS_MAX = 40;
