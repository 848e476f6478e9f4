import { APPEND_BYTES_MAX } from '#src/kernel/append-limit.ts';
import { claimedNames } from '#src/kernel/claims.ts';
import type { Decider, Decision, DomainEvent, Facts, Stamp } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import type { Revision, Uuid } from '#src/kernel/ids.ts';
import { namesOf } from '#src/kernel/index-table.ts';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import { fits, mayFit, type Committed, type IdempotencyKey, type WaitingCommand } from './batch.ts';
import type { Batches } from './batches.ts';
import type { KnownKey } from './recent-keys.ts';
import type { Resident } from './resident.ts';
import { expiryOf, sealEvents } from './seal.ts';
import type { NotYetIndexed } from './not-yet-indexed.ts';
import type { WriterPorts } from './writer-ports.ts';
import { keyInUse, notYours, tooLarge, unlessInDoubt } from './writer-refusals.ts';

/** Decides commands one after the other, each against the state that the previous ones left. */
export class Decisions<State, Command, Event extends DomainEvent> {
  readonly #decider: Decider<State, Command, Event>;
  readonly #ports: Pick<WriterPorts, 'clock' | 'ids' | 'indexTable' | 'tracing'>;
  readonly #batches: Batches<Command, Event>;
  readonly #unindexed: NotYetIndexed;
  readonly #spoiled: (error: unknown) => void;

  /** `spoiled` is called when a defect left half an event in the state, which is then useless. */
  constructor(
    decider: Decider<State, Command, Event>,
    ports: Pick<WriterPorts, 'clock' | 'ids' | 'indexTable' | 'tracing'>,
    batches: Batches<Command, Event>,
    unindexed: NotYetIndexed,
    spoiled: (error: unknown) => void,
  ) {
    this.#decider = decider;
    this.#ports = ports;
    this.#batches = batches;
    this.#unindexed = unindexed;
    this.#spoiled = spoiled;
  }

  /**
   * Decides a command; `looked` is its idempotency key as the index knows it. Returns false, having done nothing, if the
   * events do not fit into the open batch. A large command is not decided for a batch that has no room for its events.
   */
  decide(
    resident: Resident<State>,
    waiting: WaitingCommand<Command, Event>,
    facts: Facts,
    looked: KnownKey | undefined,
  ): boolean {
    const { envelope } = waiting;
    if (!mayFit(this.#batches.open, this.#decider.eventsOf?.(envelope.command))) {
      this.#batches.open.closed = true;
      return false;
    }
    const { tenantId } = resident.head;
    if (tenantId !== undefined && tenantId !== envelope.context.tenantId) {
      this.#batches.settle({ waiting, answer: { is: 'refused', refusal: notYours() } });
      return true;
    }
    const stamp = this.#stamp(resident);
    const misdated = this.#ports.clock.refusal?.(resident.head.recordedAt);
    if (misdated !== undefined) {
      waiting.reject(unlessInDoubt(misdated, waiting)); // At once, because an implausible time must not decide about keys or rules.
      return true;
    }
    const known = envelope.idempotency && (this.#unindexed.key(envelope.idempotency.key) ?? looked);
    const releases = envelope.idempotency?.releases;
    if (releases === undefined && known !== undefined && !hasExpired(known, stamp)) {
      const { comparedByCaller, requestHash, mayBeReleased } = envelope.idempotency ?? {};
      const same = comparedByCaller ?? known.requestHash === requestHash;
      const { revision, expiresAt } = known;
      const mayEnd = expiresAt !== undefined || mayBeReleased === true;
      const answer = same
        ? ({ is: 'known', revision, mayEnd } as const)
        : ({ is: 'refused', refusal: keyInUse() } as const);
      this.#batches.settle({ waiting, answer });
      return true;
    }

    let decision: Decision<Event>;
    try {
      const { command, context } = envelope;
      const { tracing } = this.#ports;
      decision =
        tracing === undefined || context.trace === undefined
          ? this.#decider.decide(resident.state, command, facts, stamp)
          : tracing.during('decide', [context.trace], () =>
              this.#decider.decide(resident.state, command, facts, stamp),
            );
    } catch (error) {
      if (error instanceof Refusal) {
        this.#batches.settle({ waiting, answer: { is: 'refused', refusal: error } });
      } else {
        waiting.reject(error); // A defect; deciding is pure, so nothing has changed.
      }
      return true;
    }
    if ('unchanged' in decision) {
      const revision = decision.at ?? resident.head.revision;
      const events = [{ ...decision.unchanged, revision }];
      this.#batches.settle({ waiting, answer: { is: 'done', events, ids: [] } });
      return true;
    }
    const key =
      releases === known?.revision || releases === undefined ? envelope.idempotency : undefined;
    return this.#record(resident, waiting, decision, stamp, key);
  }

  /** Adds the events of a decision to the open batch and to the state. */
  #record(
    resident: Resident<State>,
    waiting: WaitingCommand<Command, Event>,
    events: readonly Event[],
    stamp: Stamp,
    idempotency: IdempotencyKey | undefined,
  ): boolean {
    const { open } = this.#batches;
    const { context } = waiting.envelope;
    const sealed = sealEvents(events, { context, idempotency }, stamp, resident.head);
    if (sealed.bytes > APPEND_BYTES_MAX) {
      this.#batches.settle({ waiting, answer: { is: 'refused', refusal: tooLarge() } });
      return true;
    }
    if (!fits(open, sealed)) {
      open.closed = true;
      return false;
    }

    const first = resident.head.revision + 1;
    try {
      for (let n = 0; n < events.length; n += 1) {
        const event = events[n]!;
        if (open.undo !== undefined) {
          noteUndo(open, this.#decider.undoing?.(resident.state, event));
        }
        this.#decider.evolve(resident.state, event, first + n);
      }
    } catch (error) {
      waiting.reject(error);
      this.#spoiled(error);
      return true;
    }
    resident.head = sealed.head;
    if (events.length > 0) this.#remember(resident, idempotency, first, stamp);
    const replyVersion = idempotency?.replyVersion;
    const committed: Committed<Event>[] = [];
    const ids: Uuid[] = [];
    for (let n = 0; n < events.length; n += 1) {
      const { type, data } = events[n]!;
      this.#name(events[n]!, first + n);
      committed.push({ type, data, revision: first + n, replyVersion } as Committed<Event>);
      ids.push(sealed.events[n]!.id);
      open.events.push(sealed.events[n]!);
    }
    open.bytes += sealed.bytes;
    this.#batches.settle({ waiting, answer: { is: 'done', events: committed, ids } });
    return true;
  }

  /** Notes the names by which later commands look the event up before the index has it. */
  #name(event: Event, revision: Revision): void {
    for (const name of namesOf(this.#ports.indexTable, event)) {
      this.#unindexed.addName(name, revision);
    }
    if (event.claims === undefined) return;
    for (const name of claimedNames(event.claims)) this.#unindexed.addName(name, revision);
  }

  #stamp({ head }: Resident<State>): Stamp {
    const at = Math.max(this.#ports.clock.now(), head.recordedAt + 1) as Micros;
    return { at, instant: formatInstant(at), ids: this.#ports.ids };
  }

  #remember(
    { keys }: Resident<State>,
    idempotency: IdempotencyKey | undefined,
    revision: Revision,
    { at }: Stamp,
  ): void {
    if (idempotency === undefined) return;
    const { key, requestHash } = idempotency;
    this.#unindexed.addKey(key, { revision, requestHash, expiresAt: expiryOf(idempotency, at) });
    keys.add(key);
  }
}

/** A batch can be undone only if each of its events can. */
function noteUndo(batch: { undo: (() => void)[] | undefined }, step: (() => void) | undefined) {
  if (step === undefined) batch.undo = undefined;
  else batch.undo?.push(step);
}

const hasExpired = ({ expiresAt }: KnownKey, { instant }: Stamp): boolean =>
  expiresAt !== undefined && expiresAt <= instant;
