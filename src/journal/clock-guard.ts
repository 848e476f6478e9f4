import { refuse, type Refusal } from '#src/kernel/errors.ts';
import { formatInstant, type Micros } from '#src/kernel/instant.ts';
import type { Clock } from '#src/ports/clock.ts';

/** A clock that does not follow jumps, and the reason to reject writes while there is one. */
export type ClockGuard = Clock &
  Readonly<{
    /** Compares the clock with its references. Call it about once a second; `now` calls it after a step. */
    check: () => void;
    /** Returns why nothing may be recorded after an event of this moment; undefined while the clock is plausible. */
    refusal: (last: Micros) => Refusal | undefined;
    /** Describes the current jump for operators. */
    jump: () => string | undefined;
  }>;

export type ClockReferences = Readonly<{
  wall: Clock;
  /** Monotonic time, including that of a suspended machine where it is known. */
  elapsed: () => Micros;
  /** The time of the newest event of the log; undefined for an empty log. */
  newest: Micros | undefined;
  /** The longest time by which the clock, or the log, may be ahead. */
  aheadMax: Micros;
  /** The time up to which an operator has confirmed the clock. */
  confirmedUntil: Micros | undefined;
}>;

/**
 * Compares the clock with the newest event at the start, and then with the monotonic time since it was last plausible. If
 * the clock jumps ahead, `now` continues at monotonic speed. If it is set back, it is followed: events keep their order, and
 * that is how an operator corrects a clock.
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

/** The longest standstill of a deployment; nothing distinguishes a longer one from a wrong clock. */
const STANDSTILL_MAX = 366 * 24 * 3600 * 1e6;
/** The largest step that needs no comparison with the references. */
const STEP_MAX = 1e6;
