import { splitGroup } from '#commands/ledger/cross-ledger/split.ts';
import type { GroupOutcome } from '#commands/ledger/processes/steps.ts';
import { postGroup, revertGroup } from '#commands/ledger/processes/create-group.ts';
import { cancelGroup, commitGroup } from '#commands/ledger/processes/settle-group.ts';
import { buildIndex, type BuildSteps } from '#commands/settings/processes/build-index.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';
import type { MetadataIndexRecord } from '#src/events/settings/settings.ts';
import type { Reply } from '#src/http/reply.ts';
import type { Envelope, IdempotencyKey, Outcome } from '#src/journal/batch.ts';
import type { CommandContext } from '#src/kernel/event-metadata.ts';
import { openLedger } from '#commands/ledger/processes/open-ledger.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type { Books } from './books.ts';
import { runStream } from './stream-commands.ts';
import { runHolder } from './holder-commands.ts';
import type { DecisionOracle } from './decision-oracle.ts';
import { assertThat, type LogOracle, type Recorded } from './log-oracle.ts';
import { ACTOR, isBusy, isOutside, stackOf, type Process } from './process.ts';
import { readBack, type Acknowledged } from './read-back.ts';
import type { Across, Attempt, Command, Request } from './request.ts';
import type { World } from './world.ts';
import type { Steps, Submit } from '#src/journal/steps.ts';

export type Answer = 'done' | 'refused' | 'unknown';

type Oracles = Readonly<{ log: LogOracle; decisions: DecisionOracle; books: Books }>;

/** Passes the requests of clients on, as the routes do, and compares every reply with the log. */
export class SimApi {
  readonly #world: World;
  readonly #oracles: Oracles;
  readonly #open = new Set<Attempt>();
  readonly counts = { done: 0, replayed: 0, kept: 0, refused: 0, unknown: 0 };
  readonly refusals = new Map<string, number>();
  readonly #acknowledged = new WeakMap<Attempt, readonly Acknowledged[]>();
  /** Attempts of groups that were refused: they may leave traces, and post nothing. */
  readonly #refusedAcross = new Set<string>();

  constructor(world: World, oracles: Oracles) {
    this.#world = world;
    this.#oracles = oracles;
  }

  /** Requests without a reply yet. */
  get open(): readonly Attempt[] {
    return [...this.#open];
  }

  /** Throws when a group is posted that was refused. */
  take(event: Recorded): void {
    const { requestId } = event.metadata;
    const isLate = this.#refusedAcross.has(requestId) && isPostedBy(requestId, event);
    assertThat(!isLate, `J7: ${requestId} was refused, but posts ${event.stored.stream}`);
  }

  /** `reader` is where the client looks for what was acknowledged, if it does. */
  async ask(request: Request, process: Process, reader?: Process): Promise<Answer> {
    request.attempts += 1;
    const requestId = `${request.kind}-${request.n}.${request.attempts}`;
    this.#world.note(`${process.name}: ${requestId} asked, key ${request.key ?? '-'}`);
    const attempt = { request, requestId, process, startedMs: this.#world.simScheduler.nowMs };
    this.#open.add(attempt);
    const settled = await Promise.race([this.#run(attempt), process.died]);
    this.#open.delete(attempt);
    const answer = settled ?? 'unknown';
    if (answer === 'done' && reader !== undefined) {
      for (const one of this.#acknowledged.get(attempt) ?? []) {
        const looking = readBack(this.#world, this.#oracles.books, attempt, one, reader);
        await Promise.race([looking, reader.died]);
      }
    }
    this.counts[answer] += 1;
    this.#world.note(`${process.name}: ${requestId} ${answer}`);
    return answer;
  }

  async #run(attempt: Attempt): Promise<Answer> {
    const { request, process } = attempt;
    try {
      if (request.kind === 'ledger') await this.#openLedger(attempt);
      else if (request.across !== undefined) await this.#across(attempt, request.across);
      else if (request.holder !== undefined) {
        this.#oracles.books.holders.asked(attempt.requestId, request.holder);
        await this.#handled(attempt, runHolder, request.holder);
      } else if (request.stream !== undefined) {
        await this.#handled(attempt, runStream, request.stream);
      } else {
        const outcome = await process.journals.submit(request.journal, this.#envelope(attempt));
        this.#check(attempt, () => this.#checkDone(attempt, outcome));
        if (request.command(process).type === 'CreateMetadataIndex') {
          await this.#buildIndex(attempt, outcome);
        }
      }
      return process.isAlive() ? 'done' : 'unknown';
    } catch (error) {
      if (!process.isAlive() || isOutside(error)) return 'unknown';
      if ((request.across ?? request.holder ?? request.stream) !== undefined && isBusy(error))
        return 'unknown';
      if (error instanceof Refusal) {
        this.#check(attempt, () => this.#checkRefused(attempt, error));
        return 'refused';
      }
      this.#world.fail(`${attempt.requestId} met a defect: ${stackOf(error)}`);
      return 'unknown';
    }
  }

  #envelope({ requestId, request, process }: Attempt): Envelope<Command> {
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
    const outcome = await runAcross(steps, across);
    this.#check(attempt, () => {
      this.#oracles.log.follow();
      const { group, steps, replayed } = outcome;
      checkOutcome(across, outcome, requestId);
      if (replayed) this.counts.replayed += 1;
      this.#checkReply(request, requestId, [group.id, steps.map(({ step }) => step)]);
      const acknowledged = steps.map(({ step: { data, revision } }) => {
        const journal = `ledger-${data.transaction.ledgerId}`;
        return { journal, revision, first: revision, count: 1 };
      });
      this.#acknowledged.set(attempt, acknowledged);
      this.#world.answered(`${requestId} done ${JSON.stringify(outcome)}`);
    });
  }

  /** Runs a process of several commands, as the handler of its route does. */
  async #handled<Wish>(
    attempt: Attempt,
    run: (
      process: Process,
      wish: Wish,
      context: CommandContext,
      idempotency: Pick<IdempotencyKey, 'key' | 'ttlSeconds'> | undefined,
    ) => Promise<Reply>,
    wish: Wish,
  ): Promise<void> {
    const { requestId, process, request } = attempt;
    const { key, ttlSeconds, tenantId } = request;
    const context = { actor: ACTOR, tenantId, requestId };
    const idempotency = key === undefined ? key : { key, ttlSeconds };
    const reply = await run(process, wish, context, idempotency);
    this.#check(attempt, () => {
      this.#oracles.log.follow();
      if (reply.replayed === true) this.counts.replayed += 1;
      if (!this.#hasLostSecret(reply)) this.#checkReply(request, requestId, [reply.body]);
      this.#world.answered(`${requestId} done ${JSON.stringify(reply.body)}`);
    });
  }

  /** Returns whether a reply shows a deleted subscription: its secret is destroyed, so a repeated creation has none. */
  #hasLostSecret({ body }: Reply): boolean {
    if (typeof body !== 'string') return false;
    const { id } = JSON.parse(body) as Readonly<{ id?: Uuid }>;
    return id !== undefined && this.#oracles.books.streams.streams.get(id)?.isRemoved === true;
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
      const { log, books } = this.#oracles;
      log.follow();
      assertThat(books.ledgers.has(ledger.id), `${attempt.requestId}: no ledger was opened`);
    });
  }

  /** The steps of the route after the first one. */
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
      const { log, books } = this.#oracles;
      log.follow();
      assertThat(books.values.wasBuilt(index.id), `${attempt.requestId}: it was not built`);
    });
  }

  /** A reply of a process that has died reaches nobody. */
  #check(attempt: Attempt, check: () => void): void {
    if (!attempt.process.isAlive()) return;
    try {
      check();
    } catch (error) {
      this.#world.fail(stackOf(error));
    }
  }

  #checkDone(attempt: Attempt, { events, revision, replayed }: Outcome<DomainEvent>): void {
    const { log } = this.#oracles;
    log.follow();
    const { request, requestId } = attempt;
    const journal = request.journal.name;
    assertThat(events.length > 0, `${requestId}: done without an event`);
    const { type, data, revision: first } = events[0]!;
    const isKept = 'changed' in data && isEmpty(data.changed);
    if (isKept) this.counts.kept += 1;
    else assertThat(log.eventAt(journal, first)?.stored.type === type, `${requestId}: not written`);
    if (replayed) this.counts.replayed += 1;
    this.#checkReply(request, requestId, events);
    const count = isKept ? 0 : events.length;
    this.#acknowledged.set(attempt, [{ journal, revision, first, count }]);
    this.#world.answered(`${requestId} done ${JSON.stringify(events)} ${revision} ${replayed}`);
  }

  /** A key's replies are identical, whoever gives them and whenever; unless its life ended between them. */
  #checkReply(request: Request, requestId: string, replied: readonly unknown[]): void {
    if (request.key === undefined || request.ttlSeconds !== undefined) return;
    const reply = JSON.stringify(replied);
    request.reply ??= reply;
    assertThat(
      reply === request.reply,
      `${requestId}: the reply differs: ${reply} from ${request.reply}`,
    );
  }

  /** The refusal is that of one of its commands, which has been checked, or one that its process may give. */
  #checkRefused({ request, requestId, startedMs }: Attempt, { refusal, message }: Refusal): void {
    const { log, decisions, books } = this.#oracles;
    log.follow();
    this.refusals.set(refusal, (this.refusals.get(refusal) ?? 0) + 1);
    this.#world.answered(`${requestId} refused ${refusal}`);
    const { across, holder } = request;
    if (across !== undefined) {
      const posted = [...books.groups.keys()].some((id) =>
        log.eventsOf(`group-${id}`).some((event) => isPostedBy(requestId, event)),
      );
      assertThat(!posted, `J7: ${requestId} was refused with ${refusal}, but was posted`);
      this.#refusedAcross.add(requestId);
    }
    const isJust =
      decisions.wasRefused(requestId, refusal) ||
      (refusal === 'INDEX_NOT_BUILT' && this.#world.simScheduler.nowMs - startedMs > BUILD_MS) ||
      (across !== undefined && isByProcess(refusal, across, log)) ||
      (holder !== undefined && books.holders.explains(refusal, holder, startedMs));
    assertThat(isJust, `${requestId} was refused with ${refusal} (${message}) by no command`);
  }
}

function runAcross(steps: Steps, across: Across): Promise<GroupOutcome> {
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

/** Throws when the group is not the one that was asked for, or not as far as it was to come. */
function checkOutcome(across: Across, { group, steps }: GroupOutcome, requestId: string): void {
  const isWhole = steps.length === group.parts.length;
  const isSame = 'groupId' in across && group.id === across.groupId;
  const isRight = {
    PostGroup: across.type === 'PostGroup' && (across.request.action === 'hold' || isWhole),
    CommitGroup: isSame && group.status === 'POSTED' && isWhole,
    CancelGroup: isSame && group.status === 'CANCELED',
    RevertGroup: 'groupId' in across && group.revertedGroupId === across.groupId && isWhole,
  }[across.type];
  assertThat(isRight, `${requestId} came to ${JSON.stringify(group)}, ${steps.length} steps`);
}

/** Whether the process refuses it before any command: by the request itself, or by a status that the group once had. */
function isByProcess(refusal: string, across: Across, log: LogOracle): boolean {
  if (across.type === 'PostGroup') {
    try {
      splitGroup(across.request);
      return false;
    } catch (error) {
      return error instanceof Refusal && error.refusal === refusal;
    }
  }
  return log.eventsOf(`group-${across.groupId}`).some(({ data }) => {
    const { status, revertedGroupId } = data['group'] as GroupRecord;
    const isOver = status === 'POSTED' || status === 'CANCELED';
    const byStatus = isOver ? 'GROUP_FINISHED' : 'TRANSACTION_BUSY';
    const isReversal = revertedGroupId !== undefined;
    return refusal === byStatus || (refusal === 'REVERSAL_OF_REVERSAL' && isReversal);
  });
}

const isPostedBy = (requestId: string, { stored, metadata, data }: Recorded): boolean =>
  stored.type === 'GroupDecided' &&
  metadata.requestId === requestId &&
  (data['group'] as GroupRecord).status === 'POSTING';

const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0;

const BUILD_MS = 30_000;
