import { feesDecider } from '#commands/fees/fees.ts';
import { groupDecider } from '#commands/ledger/cross-ledger/group.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { organizationDecider } from '#commands/ledger/organization.ts';
import { registryDecider } from '#commands/registry/registry.ts';
import { settingsDecider } from '#commands/settings/settings.ts';
import { streamingDecider } from '#commands/streaming/streaming.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import type { Envelope, Outcome } from '#src/journal/batch.ts';
import { claimedNames, claimsIn } from '#src/kernel/claims.ts';
import type { Decider, Decision, DomainEvent, Facts, JournalFact } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { storedData } from '#src/kernel/event-data.ts';
import { namesOf } from '#src/kernel/index-table.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { categoryOf, settingsJournal, type JournalName } from '#src/kernel/journal-name.ts';
import { stampAt } from '#test/support/stamps.ts';
import { assertThat, type LogOracle, type Recorded } from './log-oracle.ts';

export const DECIDERS = {
  organization: organizationDecider,
  ledger: ledgerDecider,
  group: groupDecider,
  settings: settingsDecider,
  streaming: streamingDecider,
  fees: feesDecider,
  registry: registryDecider,
};

type AnyDecider = Decider<unknown, unknown, DomainEvent>;

/** One command that one process was given, and the earliest moment at which it can have been decided. */
export type Submission = Readonly<{
  journal: JournalName;
  envelope: Envelope<unknown>;
  /** The journal's last revision at that moment. */
  head: number;
  /** The same moment as a number of events in the log, and as an instant. */
  moment: number;
  time: string;
  nowMs: number;
  /** The key had been used for the same request: the command cannot be refused. */
  isKnown: boolean;
}> & {
  /** Its events are in the log, or it was refused: no event may come of it any more. */
  is: 'open' | 'written' | 'refused';
};

type Entry = Readonly<{ event: DomainEvent; tenantId: string; recordedAt: string; nowMs: number }>;

/** A journal folded from the log, up to some revision. */
type Folded = { state: unknown; revision: number };

type Decided = Decision<DomainEvent> | Refusal;

/** How things stood for a decision: a revision of its journal, and how much of the log other journals had. */
type View = Readonly<{ journal: string; head: number; moments: Moments }>;
/** The moment up to which each kind of other journals is known. */
type Moments = Readonly<Record<string, number>>;

/**
 * Decides every command again, on states folded from the log alone. An event is right if deciding a submitted command
 * at that point of the log gives the same one; a refusal, or a command without effect, if deciding again at some point
 * between submission and reply comes to the same. A rule that is wrong is wrong both times: the rules themselves are
 * checked by the specs of the deciders and by the independent model of test/attack.
 */
export class DecisionOracle {
  readonly #log: LogOracle;
  readonly #clock: () => Readonly<{ nowMs: number; instant: string }>;
  readonly #journals = new Map<string, Entry[]>();
  readonly #folded = new Map<string, Folded>();
  /** Of every event of the log, in its order: how many events each journal had then. */
  readonly #moments: Readonly<{ journal: string; nowMs: number }>[] = [];
  readonly #submissions = new Map<string, Submission[]>();
  /**
   * Events that must follow in a journal, because they were decided together with its last event: one of several, if that event
   * could be decided on different facts.
   */
  readonly #rest = new Map<string, (readonly DomainEvent[])[]>();
  readonly #refused = new Map<string, Set<string>>();
  readonly #knownIds = new Set<string>();

  constructor(log: LogOracle, clock: () => Readonly<{ nowMs: number; instant: string }>) {
    this.#log = log;
    this.#clock = clock;
  }

  submitted(journal: JournalName, envelope: Envelope<unknown>): Submission {
    const { requestId } = envelope.context;
    const submission: Submission = {
      journal,
      envelope,
      head: this.#log.headOf(journal),
      moment: this.#moments.length,
      time: this.#clock().instant,
      nowMs: this.#clock().nowMs,
      isKnown: this.#isKnown(journal, envelope),
      is: 'open',
    };
    const others = this.#submissions.get(requestId) ?? [];
    this.#submissions.set(requestId, [...others, submission]);
    this.#learnIds(
      JSON.stringify(envelope.command, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    );
    return submission;
  }

  /** Takes the next event of the log. Throws when no submission comes to it. */
  take(recorded: Recorded): void {
    const { stored, metadata } = recorded;
    const claims = claimsIn(stored.metadata);
    const event: DomainEvent = {
      type: stored.type,
      data: recorded.data,
      ...(claims.length > 0 && { claims }),
    };
    const at = `${stored.stream} revision ${stored.revision}, ${stored.type}`;
    const rest = (this.#rest.get(stored.stream) ?? []).filter(({ length }) => length > 0);
    if (rest.length > 0) {
      const going = rest.filter(([due]) => this.#isSame(due!, event));
      assertThat(going.length > 0, `${at}: ${JSON.stringify(rest[0]?.[0])} was decided with it`);
      this.#rest.set(
        stored.stream,
        going.map(([, ...more]) => more),
      );
    } else this.#takeFirst(recorded, event, at);
    const entries = this.#journals.get(stored.stream) ?? [];
    this.#journals.set(stored.stream, entries);
    const { tenantId, recordedAt } = metadata;
    const { nowMs } = this.#clock();
    entries.push({ event, tenantId, recordedAt, nowMs });
    this.#moments.push({ journal: stored.stream, nowMs });
    this.#learnIds(stored.data);
  }

  #takeFirst({ stored, metadata }: Recorded, event: DomainEvent, at: string): void {
    const { requestId, recordedAt } = metadata;
    const asked = (this.#submissions.get(requestId) ?? []).filter(
      ({ journal }) => journal === stored.stream,
    );
    const cameTo: string[] = [];
    for (const submission of asked.toSorted(
      (a, b) => Number(b.is === 'open') - Number(a.is === 'open'),
    )) {
      const rests: (readonly DomainEvent[])[] = [];
      for (const moments of this.#momentsFrom(submission)) {
        const view = { journal: stored.stream, head: stored.revision - 1, moments };
        const decided = this.#decide(submission, view, recordedAt);
        if (decided instanceof Refusal || 'unchanged' in decided) {
          cameTo.push(decided instanceof Refusal ? decided.refusal : 'nothing new');
          continue;
        }
        const [first, ...rest] = decided;
        if (first === undefined || !this.#isSame(first, event)) {
          cameTo.push(describe(decided));
          continue;
        }
        assertThat(submission.is !== 'refused', `J7: ${at}: ${requestId} had been refused`);
        assertThat(submission.is !== 'written', `${at}: ${requestId} was applied twice`);
        rests.push(rest);
        if (rest.length === 0) break;
      }
      if (rests.length === 0) continue;
      submission.is = 'written';
      this.#rest.set(stored.stream, rests);
      return;
    }
    const why = cameTo.length === 0 ? 'nobody asked for it' : `decided again: ${cameTo.join('; ')}`;
    throw new Error(`${at} of ${requestId}: ${why}; is ${JSON.stringify(event)}`);
  }

  /** Checks an answer of a process. Throws when neither the log nor a second decision says the same. */
  answered(submission: Submission, { events, revision, replayed }: Outcome<DomainEvent>): void {
    const { journal, envelope, time } = submission;
    const { requestId } = envelope.context;
    const head = this.#log.headOf(journal);
    assertThat(revision <= head, `${requestId}: acknowledged at ${revision} of ${head}`);
    const isWritten =
      events.length > 0 &&
      events.every((event) => {
        const found = this.#log.eventAt(journal, event.revision);
        const same =
          found?.stored.type === event.type && found.stored.data === storedData(event).data;
        return same && (replayed || found.metadata.requestId === requestId);
      });
    if (!replayed) {
      if (isWritten) return;
      const [image] = events;
      const others = this.#unlike(submission, (one) => {
        if (one instanceof Refusal) return false;
        if (!('unchanged' in one)) return events.length === 0 && one.length === 0;
        if (image === undefined) return false;
        return this.#isSame(one.unchanged, { type: image.type, data: image.data });
      });
      const what = `${requestId} came to ${JSON.stringify(events)}, which is not in ${journal}`;
      if (others !== undefined) throw new Error(`${what}; decided again: ${others}`);
      return;
    }
    assertThat(isWritten, `${requestId}: repeats what is not in ${journal}`);
    const {
      idempotencyKey,
      requestHash,
      idempotencyExpiresAt = LAST,
    } = this.#log.eventAt(journal, events[0]!.revision)!.metadata;
    const { key, requestHash: own, comparedByCaller } = envelope.idempotency!;
    const isOwn = comparedByCaller === true || requestHash === own;
    const same = idempotencyKey === key && isOwn;
    assertThat(same, `${requestId}: repeats what another request came to`);
    const last = this.#recordedAt(journal, submission.head);
    assertThat(idempotencyExpiresAt > last, `${requestId}: its key had expired, asked at ${time}`);
  }

  /** Checks a refusal of a process. Throws when it cannot be explained by the log. */
  refused(submission: Submission, { refusal, message }: Refusal): void {
    const { envelope, journal, isKnown } = submission;
    const { context, idempotency } = envelope;
    submission.is = 'refused';
    const names = this.#refused.get(context.requestId) ?? new Set();
    this.#refused.set(context.requestId, names.add(refusal));
    if (BY_FAULTS.includes(refusal)) return;
    const what = `${context.requestId} was refused on ${journal} with ${refusal} (${message})`;
    const owner = this.#journals.get(journal)?.[0]?.tenantId ?? context.tenantId;
    if (owner !== context.tenantId) {
      // As if there were no such journal; what would begin it cannot be.
      const view = { journal, head: -1, moments: {} };
      const absent = this.#decide(submission, view, submission.time);
      const name = absent instanceof Refusal ? absent.refusal : 'NOT_FOUND';
      assertThat(refusal === name, `${what}, and not with ${name} as if it were absent`);
      return;
    }
    // A group that was canceled meanwhile has released the key of its part.
    const isStillKnown = isKnown && this.#isKnown(journal, envelope);
    assertThat(!isStillKnown, `${what}, though its key is known`);
    if (refusal === 'IDEMPOTENCY_KEY_IN_USE') {
      const uses = this.#log.usesOf(journal, idempotency?.key ?? '');
      const other = uses.some(({ metadata }) => metadata.requestHash !== idempotency?.requestHash);
      assertThat(other, `${what}, but no other request used the key`);
      return;
    }
    const isSame = (one: Decided): boolean => one instanceof Refusal && one.refusal === refusal;
    const others = this.#unlike(submission, isSame);
    if (others !== undefined) throw new Error(`${what}, but decided again: ${others}`);
  }

  /** Returns the first command that an attempt sent to a journal. */
  submissionOf(requestId: string, journal: string): Submission | undefined {
    return this.#submissions.get(requestId)?.find((one) => one.journal === journal);
  }

  /** Whether some step of the request was refused with that name. */
  wasRefused(requestId: string, refusal: string): boolean {
    return this.#refused.get(requestId)?.has(refusal) === true;
  }

  /** Throws when something was decided and only a part of it written. */
  end(): void {
    for (const [journal, rests] of this.#rest) {
      const [due] = rests[0] ?? [];
      assertThat(
        rests.length === 0 || rests.some(({ length }) => length === 0),
        `J7: ${journal} ends before ${JSON.stringify(due)}`,
      );
    }
  }

  /** The decisions of every point since the submission, as text, when none of them is as it should be. */
  #unlike(submission: Submission, isRight: (one: Decided) => boolean): string | undefined {
    const found = new Set<Decided>();
    for (const one of this.#again(submission)) {
      if (isRight(one)) return undefined;
      found.add(one);
    }
    return [...new Set([...found].map(describe))].join('; ');
  }

  /**
   * Decides at every point since the submission: the last one first, which nearly always does. From the use of its key on,
   * it would have been repeated instead.
   */
  *#again(submission: Submission): Iterable<Decided> {
    const { journal, head, time, envelope } = submission;
    const from = this.#isKnown(journal, envelope)
      ? this.#log.usesOf(journal, envelope.idempotency!.key).at(-1)!.stored.revision - 1
      : this.#log.headOf(journal);
    const last = this.#recordedAt(journal, Number.POSITIVE_INFINITY);
    const times = [[this.#clock().instant, last].toSorted().at(-1)!, time];
    for (let at = from; at >= head; at -= 1) {
      for (const moments of this.#momentsFrom(submission)) {
        for (const now of times)
          yield this.#decide(submission, { journal, head: at, moments }, now);
      }
    }
  }

  /**
   * The end of the log, and every earlier point where another journal may still have been believed to be. Each kind of
   * journal is believed on its own.
   */
  *#momentsFrom({ journal: own, moment }: Submission): Iterable<Moments> {
    const asked = this.#moments[moment - 1]?.nowMs ?? 0;
    const sinceMs = Math.min(asked, this.#clock().nowMs) - BELIEVED_MS;
    const asks = ASKED[categoryOf(own)] ?? SHARED;
    yield* combined(asks.map((category) => [category, this.#momentsOf(category, sinceMs)]));
  }

  #momentsOf(category: string, sinceMs: number): readonly number[] {
    const found = [this.#moments.length];
    for (let n = this.#moments.length - 1; n >= 0; n -= 1) {
      const { journal, nowMs } = this.#moments[n]!;
      if (nowMs < sinceMs) break;
      if (categoryOf(journal) === category) found.push(n);
    }
    return found;
  }

  #decide({ envelope: { command, context } }: Submission, view: View, now: string): Decided {
    const decider = deciderOf(view.journal);
    const state = this.#stateAt(view.journal, view.head);
    const facts = this.#factsAt(view, context.tenantId);
    try {
      return decider.decide(state, command, facts, stampAt(now as Instant));
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  #factsAt({ journal, head, moments }: View, tenantId: string): Facts {
    const entries = this.#journals.get(journal) ?? [];
    const oldest = Math.min(this.#moments.length, ...Object.values(moments));
    const fact = (name: string): JournalFact | null => {
      const known = this.#journals.get(name) ?? [];
      const moment = moments[categoryOf(name)] ?? oldest;
      const count = this.#moments.slice(0, moment).filter((one) => one.journal === name).length;
      if (count === 0 || known[0]?.tenantId !== tenantId) return null;
      const told = deciderOf(name).fact(this.#stateAt(name, count - 1));
      return told === undefined ? null : { ...told, revision: count - 1 };
    };
    return {
      journal: fact,
      settings: () => fact(settingsJournal(tenantId)),
      revisionOf: ({ kind, key }) => {
        const found = entries.slice(0, head + 1).findLastIndex(({ event }) => {
          const names = [...namesOf(indexTable, event), ...claimedNames(event.claims ?? [])];
          return names.some((name) => name.kind === kind && name.key === key);
        });
        return found < 0 ? null : found;
      },
      event: (revision) => (revision <= head ? entries[revision]?.event : undefined),
    };
  }

  #stateAt(journal: string, revision: number): unknown {
    const decider = deciderOf(journal);
    let folded = this.#folded.get(journal);
    if (folded === undefined || folded.revision > revision) {
      folded = { state: decider.initialState(), revision: -1 };
      this.#folded.set(journal, folded);
    }
    const entries = this.#journals.get(journal) ?? [];
    while (folded.revision < revision) {
      folded.revision += 1;
      decider.evolve(folded.state, entries[folded.revision]!.event, folded.revision);
    }
    return folded.state;
  }

  #isKnown(journal: string, { idempotency, context }: Envelope<unknown>): boolean {
    if (idempotency === undefined || idempotency.releases !== undefined) return false;
    if (this.#journals.get(journal)?.[0]?.tenantId !== context.tenantId) return false;
    const last = this.#log.usesOf(journal, idempotency.key).at(-1)?.metadata;
    const isEndless = last !== undefined && last.idempotencyExpiresAt === undefined;
    const { requestHash, comparedByCaller } = idempotency;
    return isEndless && (comparedByCaller === true || last.requestHash === requestHash);
  }

  #recordedAt(journal: string, revision: number): string {
    const entries = this.#journals.get(journal) ?? [];
    return entries[Math.min(revision, entries.length - 1)]?.recordedAt ?? '';
  }

  #learnIds(text: string): void {
    for (const [id] of text.matchAll(UUID)) this.#knownIds.add(id);
  }

  /** Ids that a decision minted are equal if they are minted in the same places. */
  #isSame(one: DomainEvent, other: DomainEvent): boolean {
    return this.#withoutNewIds(one) === this.#withoutNewIds(other);
  }

  #withoutNewIds({ type, data, claims = [] }: DomainEvent): string {
    const found: string[] = [];
    return JSON.stringify({ type, data, claims }).replace(UUID, (id) => {
      if (this.#knownIds.has(id)) return id;
      if (!found.includes(id)) found.push(id);
      return `new id ${found.indexOf(id)}`;
    });
  }
}

/** Yields one of the choices for each name, in every combination; the first of each come first. */
function* combined(choices: readonly (readonly [string, readonly number[]])[]): Iterable<Moments> {
  const [first, ...others] = choices;
  if (first === undefined) yield {};
  else {
    const [name, values] = first;
    for (const value of values)
      for (const rest of combined(others)) yield { [name]: value, ...rest };
  }
}

const deciderOf = (journal: string): AnyDecider =>
  DECIDERS[categoryOf(journal) as keyof typeof DECIDERS];

const describe = (one: Decided): string =>
  one instanceof Refusal ? one.refusal : JSON.stringify(one);

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Kinds of journals that most others ask, and those that some kinds ask in addition. */
const SHARED: readonly string[] = ['organization', 'settings'];
const ASKED: Readonly<Record<string, readonly string[]>> = {
  ledger: [...SHARED, 'fees'],
  fees: ['ledger'],
};
/** Refusals that only say that something was away or busy. */
const BY_FAULTS = ['TOO_MANY_REQUESTS', 'UNAVAILABLE', 'FEE_PACKAGES_UNAVAILABLE'];
/** Another journal may be believed to be as it was this long ago (design §1). */
export const BELIEVED_MS = 5_000;
/** After every moment. */
const LAST = 'Z';
