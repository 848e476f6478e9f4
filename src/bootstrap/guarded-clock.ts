import { newestEvent } from '#src/adapters/embedded/log.ts';
import { systemClock, systemElapsed } from '#src/adapters/system.ts';
import { parseInstant, type Micros } from '#src/kernel/instant.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { createClockGuard, type ClockGuard } from '#src/journal/clock-guard.ts';
import type { EventStore } from '#src/ports/event-store.ts';
import type { Log } from '#src/ports/log.ts';
import type { Settings } from './settings.ts';

/** Opens the machine's clock, guarded against jumps. It is checked once a second, and problems are logged. */
export async function openGuardedClock(
  store: Pick<EventStore, 'readAll' | 'end' | 'last' | 'exclusive'>,
  { dataDir, clockJumpMaxSeconds, clockConfirmedUntil }: Settings,
  log: Log,
): Promise<Readonly<{ clock: ClockGuard; stop: () => void }>> {
  const clock = createClockGuard({
    wall: systemClock,
    elapsed: systemElapsed(),
    newest: store.exclusive ? await newestIn(dataDir, store) : undefined, // A server has no way to return it.
    aheadMax: (clockJumpMaxSeconds * 1e6) as Micros,
    confirmedUntil: clockConfirmedUntil,
  });
  let said: string | undefined;
  const say = (): void => {
    const jump = clock.jump();
    if (jump !== undefined && said === undefined) {
      log.error(`${jump}: nothing is written until it is right or CLOCK_CONFIRMED_UNTIL is set`);
    } else if (jump === undefined && said !== undefined) {
      log.warn('The clock is right again: writing goes on');
    }
    said = jump;
  };
  say();
  const looking = setInterval(() => {
    clock.check();
    say();
  }, LOOK_MS).unref();
  return { clock, stop: () => clearInterval(looking) };
}

/** Returns the time of the newest event. Errors: Damaged. */
async function newestIn(
  dir: string,
  log: Pick<EventStore, 'readAll' | 'end' | 'last'>,
): Promise<Micros | undefined> {
  const newest = await newestEvent(dir, log);
  if (newest === undefined) return undefined;
  const { recordedAt } = JSON.parse(newest.metadata) as Partial<EventMetadata>;
  return recordedAt && parseInstant(recordedAt);
}

const LOOK_MS = 1000;
