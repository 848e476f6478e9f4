import { buildIndex, type BuildSteps } from '#commands/settings/processes/build-index.ts';
import type { MetadataIndexRecord } from '#src/events/settings/settings.ts';
import { openLedger } from '#commands/ledger/processes/open-ledger.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { formatInstant } from '#src/kernel/instant.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';
import type { AccountRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import type { Committed, Envelope, Outcome } from '#src/journal/batch.ts';
import { units } from './booked.ts';
import { carriedOut, checkGroupDone } from './group-api.ts';
import { justifiedOfGroup } from './group-oracle.ts';
import { assertThat, type LogOracle, type Recorded } from './log-oracle.ts';
import { isJustifiedRefusal } from './refusal-oracle.ts';
import { checkMeaning } from './meaning.ts';
import { readBack, type Told } from './read-back.ts';
import { ACTOR, isBusy, isOutside, stackOf, type Process } from './process.ts';
import type { Across, Attempt, Command, Request } from './request.ts';
import { stopped } from './moments.ts';
import type { Books } from './books.ts';
import type { World } from './world.ts';
import type { Submit } from '#src/journal/steps.ts';

export type Answer = 'done' | 'refused' | 'unknown';

/** Where clients ask: passes their requests on, and holds every answer against the log. */
export class SimApi {
  readonly #world: World;
  readonly #chronicle: LogOracle;
  readonly #books: Books;
  readonly #refused = new Set<string>();
  readonly #open = new Set<Attempt>();
  readonly counts = { done: 0, replayed: 0, kept: 0, refused: 0, unknown: 0 };
  readonly refusals = new Map<string, number>();
  readonly #told = new WeakMap<Attempt, readonly Told[]>();
  /** Attempts of groups that were refused: they may leave traces, and post nothing. */
  readonly #refusedAcross = new Set<string>();

  constructor(world: World, chronicle: LogOracle, books: Books) {
    this.#world = world;
    this.#chronicle = chronicle;
    this.#books = books;
  }

  /** What has no answer yet. */
  get open(): readonly Attempt[] {
    return [...this.#open];
  }

  /** No event may come of an attempt that was refused, however late. */
  take({ stored, metadata, data }: Recorded): void {
    const { requestId } = metadata;
    if (stored.type === 'GroupDecided' && this.#refusedAcross.has(requestId)) {
      const { status } = data['group'] as GroupRecord;
      assertThat(status !== 'POSTING', `J7: ${requestId} was refused, but posts ${stored.stream}`);
    }
    assertThat(
      !this.#refused.has(requestId),
      `J7: ${requestId} was refused, but left ${stored.type}`,
    );
  }

  /** `reader` is where the client looks for what it was told, if it does. */
  async ask(request: Request, process: Process, reader?: Process): Promise<Answer> {
    const attempt = this.#begin(request, process);
    this.#open.add(attempt);
    const settled = await Promise.race([this.#run(attempt), process.died]);
    this.#open.delete(attempt);
    const answer = settled ?? 'unknown';
    const told = this.#told.get(attempt);
    if (answer === 'done' && reader !== undefined) {
      for (const one of told ?? []) {
        const looking = readBack(this.#world, this.#books, attempt, one, reader);
        await Promise.race([looking, reader.died]);
      }
    }
    this.counts[answer] += 1;
    this.#world.note(`${process.name}: ${attempt.requestId} ${answer}`);
    return answer;
  }

  #begin(request: Request, process: Process): Attempt {
    request.attempts += 1;
    const { name } = request.journal;
    const requestId = `${request.kind}-${request.n}.${request.attempts}`;
    this.#world.note(`${process.name}: ${requestId} asked, key ${request.key ?? '-'}`);
    const heads = new Map<string, number>();
    if (request.across !== undefined) {
      for (const journal of this.#chronicle.journals()) {
        heads.set(journal, this.#chronicle.headOf(journal));
      }
    }
    return {
      request,
      requestId,
      process,
      startedMs: this.#world.loom.nowMs,
      head: this.#chronicle.headOf(name),
      headIn: (journal) => heads.get(journal) ?? -1,
      time: this.#chronicle.timeOf(name),
      known: request.ttlSeconds === undefined && this.#useOf(request) !== undefined,
    };
  }

  #useOf({ journal, key, hash }: Request): Recorded | undefined {
    if (key === undefined) return undefined;
    const last = this.#chronicle.usesOf(journal.name, key).at(-1);
    return last?.metadata.requestHash === hash ? last : undefined;
  }

  async #run(attempt: Attempt): Promise<Answer> {
    const { request, process } = attempt;
    try {
      if (request.kind === 'ledger') await this.#openLedger(attempt);
      else if (request.across !== undefined) await this.#across(attempt, request.across);
      else {
        const outcome = await process.journals.submit(request.journal, this.#envelope(attempt));
        this.#check(attempt, () => this.#checkDone(attempt, outcome));
        if (request.command(process).type === 'CreateMetadataIndex') {
          await this.#buildIndex(attempt, outcome);
        }
      }
      return process.isAlive() ? 'done' : 'unknown';
    } catch (error) {
      if (!process.isAlive() || isOutside(error)) return 'unknown';
      if (request.across !== undefined && isBusy(error)) return 'unknown';
      if (error instanceof Refusal) {
        this.#check(attempt, () => this.#checkRefused(attempt, error));
        return 'refused';
      }
      this.#world.fail(`${attempt.requestId} met a defect: ${stackOf(error)}`);
      return 'unknown';
    }
  }

  #envelope(attempt: Attempt): Envelope<Command> {
    const { requestId, request, process } = attempt;
    const { tenantId, key, hash, ttlSeconds } = request;
    return {
      command: request.command(process),
      context: { actor: ACTOR, tenantId, requestId },
      ...(key !== undefined && {
        idempotency: { key, requestHash: hash, replyVersion: 1, ttlSeconds },
      }),
    };
  }

  async #across(attempt: Attempt, across: Across): Promise<void> {
    const { requestId, process, request } = attempt;
    const { key, hash: requestHash } = request;
    const steps = process.steps(
      requestId,
      key === undefined ? undefined : { key, requestHash, replyVersion: 1 },
    );
    const outcome = await carriedOut(steps, across);
    this.#check(attempt, () => {
      this.#chronicle.follow();
      checkGroupDone(across, outcome, this.#world, this.#books, requestId);
      if (outcome.replayed) this.counts.replayed += 1;
      this.#checkReply(request, requestId, [
        outcome.group.id,
        outcome.steps.map(({ step }) => step),
      ]);
      this.#told.set(
        attempt,
        outcome.steps.map(({ step: { data, revision } }) => {
          const journal = `ledger-${data.transaction.ledgerId}`;
          return { journal, revision, first: revision, count: 1 };
        }),
      );
      this.#world.answered(`${requestId} done ${JSON.stringify(outcome)}`);
    });
  }

  /** Only the first step carries the key: the others follow from what it recorded. */
  async #openLedger(attempt: Attempt): Promise<void> {
    const { command, context, idempotency } = this.#envelope(attempt);
    const reserve = command as Command & { type: 'ReserveLedgerName' };
    const submit: Submit = async (journal, step) => {
      const keyed = (step as Command).type === 'ReserveLedgerName' ? idempotency : undefined;
      const envelope = { command: step, context, idempotency: keyed };
      const outcome = await attempt.process.journals.submit(journal, envelope);
      if (keyed !== undefined) this.#check(attempt, () => this.#checkDone(attempt, outcome));
      return outcome;
    };
    const { ledger } = await openLedger(submit, reserve.ledger);
    this.#check(attempt, () => {
      this.#chronicle.follow();
      assertThat(this.#books.ledgers.has(ledger.id), `${attempt.requestId}: no ledger was opened`);
    });
  }

  /** What the route does beyond the first step. */
  async #buildIndex(attempt: Attempt, { events }: Outcome<DomainEvent>): Promise<void> {
    const { journals, log, sleep, elapsedMs } = attempt.process;
    const { context } = this.#envelope(attempt);
    const { index } = events.at(-1)!.data as { index: MetadataIndexRecord };
    const steps: BuildSteps = {
      submit: (journal, command) => journals.submit(journal, { command, context }),
      settled: () => journals.settled(),
      log,
      sleep,
      elapsedMs,
    };
    await buildIndex(steps, index, context.tenantId);
    this.#check(attempt, () => {
      this.#chronicle.follow();
      assertThat(this.#books.values.wasBuilt(index.id), `${attempt.requestId}: it was not built`);
    });
  }

  /** An answer that got out of a dead process, or after the end, is nobody's. */
  #check(attempt: Attempt, check: () => void): void {
    if (!attempt.process.isAlive()) return;
    try {
      check();
    } catch (error) {
      this.#world.fail(stackOf(error));
    }
  }

  #checkDone(attempt: Attempt, { events, revision, replayed }: Outcome<DomainEvent>): void {
    this.#chronicle.follow();
    const { request, requestId } = attempt;
    const journal = request.journal.name;
    const head = this.#chronicle.headOf(journal);
    assertThat(events.length > 0, `${requestId}: done without an event`);
    assertThat(
      revision <= head,
      `${requestId}: acknowledged at ${revision}, the log is at ${head}`,
    );
    checkMeaning(request.command(attempt.process), events, requestId);
    const kept = isUnchanged(events);
    if (kept) this.counts.kept += 1;
    if (kept && request.kind === 'allowance') this.#checkAllowed(attempt, events[0] as LedgerEvent);
    else if (kept && request.kind === 'block') this.#checkStill(attempt, events[0]!);
    else if (kept) this.#checkKept(attempt, events[0] as TransactionEvent, revision);
    else events.forEach((event, n) => this.#checkEvent(attempt, event, n, revision, replayed));
    if (!replayed) {
      const caused = this.#chronicle.causedBy(requestId);
      // A process that starts may resume the creation of a ledger meanwhile, in the name of this request.
      const mine = caused.filter(
        ({ stored }) =>
          stored.revision <= revision && (request.kind !== 'ledger' || stored.stream === journal),
      );
      assertThat(
        mine.length === (kept ? 0 : events.length),
        `${requestId}: ${mine.length} events, told ${events.length}`,
      );
    } else this.counts.replayed += 1;
    this.#checkReply(request, requestId, events);
    const first = events[0]?.revision ?? revision;
    this.#told.set(attempt, [{ journal, revision, first, count: kept ? 0 : events.length }]);
    this.#world.answered(`${requestId} done ${JSON.stringify(events)} ${revision} ${replayed}`);
  }

  #checkEvent(
    { request, requestId, time }: Attempt,
    event: Committed<DomainEvent>,
    n: number,
    revision: number,
    replayed: boolean,
  ): void {
    const journal = request.journal.name;
    const [stored] = this.#world.log.read(journal, event.revision, 1);
    const at = `${requestId}: ${journal} revision ${event.revision}`;
    assertThat(
      stored !== undefined && event.revision <= revision,
      `${at} was acknowledged, not written`,
    );
    const metadata = JSON.parse(stored?.metadata ?? '') as Recorded['metadata'];
    assertThat(stored?.type === event.type, `${at} is not what was acknowledged`);
    assertThat(stored?.data === JSON.stringify(event.data), `${at} holds other data`);
    if (!replayed)
      assertThat(metadata.requestId === requestId, `${at} is of ${metadata.requestId}`);
    if (request.key === undefined || n > 0) return; // The first event has the key of all.
    const expiry = metadata.idempotencyExpiresAt ?? LAST;
    assertThat(!replayed || expiry > time, `${at}: its key had expired at ${expiry}`);
    assertThat(
      metadata.requestHash === undefined || metadata.requestHash === request.hash,
      `${at}: other body`,
    );
    assertThat(!replayed || metadata.idempotencyKey === request.key, `${at}: another key`);
  }

  /** A change of settings without effect: they were the last ones at some moment. */
  #checkAllowed({ request, requestId }: Attempt, event: LedgerEvent): void {
    if (event.type !== 'BalanceUpdated') throw new Error(`${requestId}: ${event.type}`);
    const ledger = this.#books.ledgers.get(request.journal.name.slice('ledger-'.length));
    const { alias, settings } = event.data.balance;
    const { allowOverdraft: allowed = false, overdraftLimit } = settings ?? {};
    const limit = overdraftLimit === undefined ? undefined : units(overdraftLimit);
    const allowances = ledger?.accounts.get(alias)?.allowances ?? [];
    const was = allowances.some((one) => one.allowed === allowed && one.limit === limit);
    assertThat(was, `${requestId}: ${alias} was never allowed what it was told`);
  }

  /** An account that was to be blocked, or not, and was so at some moment. */
  #checkStill({ request, requestId, head }: Attempt, event: DomainEvent): void {
    const { account } = event.data as Readonly<{ account: AccountRecord }>;
    const ledger = this.#books.ledgers.get(request.journal.name.slice('ledger-'.length));
    const stops = ledger?.accounts.get(account.alias)?.stops ?? [];
    const was = stopped(stops, head, ({ blocked }) => blocked === account.blocked);
    assertThat(was, `${requestId}: ${account.alias} never was as it was told`);
  }

  /** What a change without effect leaves as it is: an image that was the last one at some moment. */
  #checkKept(
    { request, requestId, head }: Attempt,
    { data: { transaction } }: TransactionEvent,
    revision: number,
  ): void {
    const ledger = this.#books.ledgers.get(request.journal.name.slice('ledger-'.length));
    const images = ledger?.transactions.get(transaction.id)?.images ?? [];
    const text = JSON.stringify(transaction);
    const was = images.some(
      (image, n) =>
        image.text === text &&
        image.revision <= revision &&
        (images[n + 1]?.revision ?? Infinity) > head,
    );
    assertThat(was, `${requestId}: ${transaction.id} never was as it was told: ${text}`);
  }

  /** A key's replies are identical, whoever gives them and whenever; unless its life ended between them. */
  #checkReply(request: Request, requestId: string, told: readonly unknown[]): void {
    if (request.key === undefined || request.ttlSeconds !== undefined) return;
    const reply = JSON.stringify(told);
    request.reply ??= reply;
    assertThat(
      reply === request.reply,
      `${requestId}: the reply differs: ${reply} from ${request.reply}`,
    );
  }

  /** The latest moment that a decision may have taken for now. */
  #now({ request }: Attempt): string {
    const clock = formatInstant(this.#world.weather.clock.now());
    const { across, journal } = request;
    const journals = across === undefined ? [journal.name] : this.#chronicle.journals();
    return [clock, ...journals.map((one) => this.#chronicle.timeOf(one))].sort().at(-1) ?? clock;
  }

  #checkRefused(attempt: Attempt, refusal: Refusal): void {
    this.#chronicle.follow();
    const { requestId, request } = attempt;
    const name = refusal.refusal;
    this.refusals.set(name, (this.refusals.get(name) ?? 0) + 1);
    this.#world.answered(`${requestId} refused ${name}`);
    if (request.across !== undefined) {
      this.#refusedAcross.add(requestId);
      const posts = this.#chronicle.causedBy(requestId).filter(isPosting);
      assertThat(posts.length === 0, `J7: ${requestId} was refused with ${name}, but was posted`);
      const why = justifiedOfGroup(
        attempt,
        refusal,
        this.#books,
        this.#chronicle,
        this.#now(attempt),
      );
      assertThat(
        why === undefined,
        `${requestId} was refused with ${name} (${refusal.message}), but ${why ?? ''}`,
      );
      return;
    }
    const caused = this.#chronicle.causedBy(requestId).length;
    const begun = request.kind === 'index' && caused > 0;
    const reserved = (request.kind === 'ledger' && name !== 'LEDGER_NAME_TAKEN') || begun;
    assertThat(
      caused === 0 || reserved,
      `J7: ${requestId} was refused with ${name}, but left an event`,
    );
    if (!begun) this.#refused.add(requestId);
    if (name === 'TOO_MANY_REQUESTS') return;
    assertThat(
      !attempt.known || request.tenantId !== 'default',
      `${requestId}: ${name}, though its key is known`,
    );
    const why = isJustifiedRefusal(
      attempt,
      refusal,
      this.#books,
      this.#chronicle,
      this.#now(attempt),
    );
    assertThat(
      why === undefined,
      `${requestId} was refused with ${name} (${refusal.message}), but ${why ?? ''}`,
    );
  }
}

const isPosting = ({ stored, data }: Recorded): boolean =>
  stored.type === 'GroupDecided' && (data['group'] as GroupRecord).status === 'POSTING';

const isUnchanged = ([event]: readonly DomainEvent[]): boolean =>
  event !== undefined && 'changed' in event.data && isEmpty(event.data.changed);
const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0;

/** After every moment. */
const LAST = 'Z';
