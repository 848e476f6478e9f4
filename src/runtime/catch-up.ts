import type { Position } from '#src/ports/event-store.ts';

/** The distance of read models from the end of the log, and the time they will need. */
export type Behind = Readonly<{
  events: number;
  eventsPerSecond: number;
  secondsToGo: number;
  /** The processed fraction of the log, from 0 to 1. */
  done: number;
}>;

/** Converts positions to numbers for progress displays; the unit of a server is bytes. */
export type Measure = Readonly<{
  at: (position: Position) => number;
  /** The estimated units per event until some events were read. */
  perEvent: number;
}>;

/** Estimates the progress of the consumer furthest behind. Counts are exact if positions count events. */
export type CatchUp = Readonly<{
  /** Reports that a batch was applied: the events after one position, up to another. */
  passed: (after: Position, through: Position, events: number) => void;
  behind: (at: Position, end: Position) => Behind;
}>;

export function createCatchUp(measure: Measure, elapsedMs: () => number): CatchUp {
  let units = 0;
  let counted = 0;
  /** The batches of the last seconds, oldest first, which give the current speed. */
  let steps: { ms: number; events: number }[] = [];

  return {
    passed(after, through, events) {
      units += measure.at(through) - measure.at(after);
      counted += events;
      const ms = elapsedMs();
      steps.push({ ms, events });
      if (steps.length > STEPS_MAX) steps = steps.filter((step) => ms - step.ms < WINDOW_MS);
    },
    behind(at, end) {
      const [here, whole] = [measure.at(at), measure.at(end)];
      const perEvent = counted > 0 && units > 0 ? units / counted : measure.perEvent;
      const events = Math.max(0, Math.round((whole - here) / perEvent));
      const nowMs = elapsedMs();
      const recent = steps.filter(({ ms }) => nowMs - ms < WINDOW_MS);
      const [first] = recent;
      const seconds = first === undefined ? 0 : (nowMs - first.ms) / 1000;
      // The first step began before it was recorded, so only the later ones are timed.
      const timed = recent.slice(1).reduce((sum, step) => sum + step.events, 0);
      const eventsPerSecond = seconds > 0 ? Math.round(timed / seconds) : 0;
      return {
        events,
        eventsPerSecond,
        secondsToGo: eventsPerSecond > 0 ? Math.ceil(events / eventsPerSecond) : 0,
        done: whole > 0 ? Math.min(1, here / whole) : 1,
      };
    },
  };
}

/** Formats progress: `42 % done, 116000 events behind, 28000 events/s, 5 s to go` */
export function describeBehind({ done, events, eventsPerSecond, secondsToGo }: Behind): string {
  const pace = eventsPerSecond > 0 ? `, ${eventsPerSecond} events/s, ${secondsToGo} s to go` : '';
  return `${Math.floor(done * 100)} % done, ${events} events behind${pace}`;
}

const WINDOW_MS = 10_000;
const STEPS_MAX = 64;
