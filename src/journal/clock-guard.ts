import { refuse, type Refusal } from '#src/kernel/errors.ts';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import type { Clock } from '#src/ports/clock.ts';

/** A clock that does not follow a jump, and the reason to write nothing while there is one. */
export type ClockGuard = Clock &
  Readonly<{
    /** Looks at the references; cheap enough for once a second, and called by `now` itself after a step. */
    check: () => void;
    /** Why nothing may be recorded after an event of this moment; undefined while all is well. */
    refusal: (last: Micros) => Refusal | undefined;
    /** For people: the jump that is going on. */
    jump: () => string | undefined;
  }>;

export type ClockReferences = Readonly<{
  wall: Clock;
  /** Time since some moment that no setting of the clock changes; with that of a suspended machine, where it is known. */
  elapsed: () => Micros;
  /** When the newest event of the log was recorded; undefined for an empty log. */
  newest: Micros | undefined;
  /** How far the clock, or the log, may be ahead. */
  aheadMax: Micros;
  /** The clock may show anything up to here: an operator said so. */
  confirmedUntil: Micros | undefined;
}>;

/**
 * Compares the clock with the newest event at the start, and from then on with the time that has passed since it was
 * believed. One that jumps ahead is not followed: what is dated meanwhile carries the time that must be. One that is set
 * back is believed, because events keep their order and a wrong hour before is put right like that.
 */
export function createClockGuard(references: ClockReferences): ClockGuard {
  const { wall, elapsed, newest, aheadMax, confirmedUntil = 0 } = references;
  let believed: { wall: Micros; elapsed: Micros } | undefined;
  let jump: string | undefined;
  let last = wall.now();

  const plausible = (): Micros =>
    believed === undefined
      ? (newest ?? last)
      : ((believed.wall + elapsed() - believed.elapsed) as Micros);

  const check = (): void => {
    last = wall.now();
    const due = plausible();
    const limit = believed === undefined ? STANDSTILL_MAX : aheadMax;
    if (last <= confirmedUntil || last - due <= limit) {
      jump = undefined;
      believed = { wall: last, elapsed: elapsed() };
      return;
    }
    const reference = believed === undefined ? 'the newest event is of' : 'it should show';
    jump = `The clock shows ${formatInstant(last)}, but ${reference} ${formatInstant(due)}`;
  };
  check();

  return {
    check,
    now() {
      const now = wall.now();
      const step = now - last;
      if (step > STEP_MAX || step < 0 || jump !== undefined) check();
      else last = now;
      return jump === undefined ? last : plausible();
    },
    refusal(recorded) {
      if (jump !== undefined) return refused(jump);
      if (recorded - last <= aheadMax || recorded <= confirmedUntil) return undefined;
      const [then, now] = [formatInstant(recorded), formatInstant(last)];
      return refused(`The newest event here is dated ${then}, but the clock shows ${now}`);
    },
    jump: () => jump,
  };
}

const refused = (what: string): Refusal =>
  refuse('UNAVAILABLE', `${what}. Nothing is written until the clock is right or confirmed.`, {
    retryAfterSeconds: 60,
  });

/** How long a deployment may have stood still: nothing tells a long one from a clock that is wrong. */
const STANDSTILL_MAX = 366 * 24 * 3600 * 1e6;
/** A step that is no reason to look at the references. */
const STEP_MAX = 1e6;
