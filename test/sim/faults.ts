import type { DeliveryOutcome } from '#src/ports/delivery-target.ts';
import { PublishFailed } from '#src/ports/publisher.ts';
import type { PublishFate } from '#test/doubles/memory/publisher.ts';
import type { DeliveryFaults } from '#test/doubles/memory/delivery-store.ts';
import type { AppendFate, Faults } from '#test/doubles/memory/faults.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { Random } from './random.ts';
import type { SimScheduler } from './scheduler.ts';

/** What goes wrong, and when. Drawn from the seed; `calm` ends it all. */
export type SimFaults = Readonly<{
  faults: Faults;
  /** Whether the read store does not answer. */
  readsFail: () => boolean;
  /** What befalls records on their way to the broker. */
  publish: (records: readonly unknown[]) => PublishFate;
  deliveries: DeliveryFaults;
  /** What befalls a message on its way to a receiver. */
  receive: () => MessageFate;
  /** Decides the fate of a command on its way to the owner of its journal. */
  link: () => LinkFate;
  /** The clock of the machine: it may stand still or step back. */
  clock: Clock;
  /** The latest time that the clock has shown to anybody. */
  latestShown: () => Micros;
  /** Called once per step: storms come and go. */
  turn: () => void;
  calm: () => void;
}>;

/** A broken link loses the question, the answer, or only the patience of the asking process: both still arrive. */
export type LinkFate = 'ok' | 'unsent' | 'dropped' | 'unanswered' | 'early';

export type MessageFate = Readonly<{ arrives: boolean; outcome: DeliveryOutcome }>;

type Dependency =
  'log' | 'appends' | 'index' | 'reads' | 'snapshots' | 'broker' | 'deliveries' | 'receivers';

export type FaultOptions = Readonly<{
  /** Appends may land long after they were given up. */
  late: boolean;
}>;

export function createFaults(
  simScheduler: SimScheduler,
  random: Random,
  options: FaultOptions,
): SimFaults {
  const awayUntil: Record<Dependency, number> = {
    log: 0,
    appends: 0,
    index: 0,
    reads: 0,
    snapshots: 0,
    broker: 0,
    deliveries: 0,
    receivers: 0,
  };
  let isCalm = false;
  let skewMicros = 0;
  let frozenAt: Micros | undefined;

  const isAway = (what: Dependency): boolean => !isCalm && simScheduler.nowMs < awayUntil[what];
  const fails = (what: Dependency, oneIn: number): boolean =>
    isAway(what) || (!isCalm && random.oneIn(oneIn));

  const append = (): AppendFate => {
    if (isCalm) return 'ok';
    if (isAway('log') || isAway('appends')) return random.oneIn(3) ? 'lost' : 'refused';
    if (!random.oneIn(12)) return 'ok';
    const fate = random.weighted({ refused: 1, lost: 2, unanswered: 3, conflict: 2, late: 3 });
    if (fate !== 'late') return fate;
    return options.late ? { lateMs: 1 + random.below(random.oneIn(4) ? 2_000 : 60) } : 'unanswered';
  };

  const publish = (records: readonly unknown[]): PublishFate => {
    if (!fails('broker', 20)) return 'ok';
    // Also what was taken may not be acknowledged.
    const arrived = isAway('broker') ? 0 : random.below(records.length + 1);
    const acknowledged = random.below(arrived + 1);
    const failure = new PublishFailed('broker_unavailable', 'It is away', { acknowledged });
    return { fails: failure, arrived };
  };

  const receive = (): MessageFate => {
    if (!fails('receivers', 12)) return { arrives: true, outcome: DELIVERED };
    if (isAway('receivers') || random.oneIn(3)) return { arrives: false, outcome: UNREACHED };
    if (random.oneIn(12)) return { arrives: true, outcome: { is: 'gone', statusCode: 410 } };
    return { arrives: true, outcome: UNREACHED };
  };

  let latestShown = 0 as Micros;
  const present = (): Micros =>
    (EPOCH_MICROS + Math.floor(simScheduler.nowMs * 1000) + skewMicros) as Micros;

  return {
    faults: {
      append,
      readFails: () => fails('log', 60),
      landsAfterCrash: () => random.oneIn(2),
      indexFails: () => fails('index', 60),
      save: () => (fails('snapshots', 20) ? 'refused' : !isCalm && random.oneIn(6) ? 'torn' : 'ok'),
      loadFails: () => fails('snapshots', 30),
    },
    readsFail: () => fails('reads', 60),
    publish,
    deliveries() {
      if (!fails('deliveries', 40)) return 'ok';
      return isAway('deliveries') || random.oneIn(2) ? 'refused' : 'unanswered';
    },
    receive,

    link() {
      if (isCalm || !random.oneIn(8)) return 'ok';
      return random.weighted({ unsent: 2, dropped: 1, unanswered: 2, early: 3 });
    },

    clock: {
      now() {
        const now = frozenAt ?? present();
        if (now > latestShown) latestShown = now;
        return now;
      },
    },
    latestShown: () => latestShown,

    turn() {
      if (isCalm || !random.oneIn(400)) return;
      const what = random.weighted({
        log: 3,
        appends: 2,
        index: 3,
        reads: 3,
        snapshots: 1,
        broker: 2,
        deliveries: 1,
        receivers: 1,
        back: 4,
        frozen: 3,
      });
      if (what === 'back') skewMicros -= random.below(20_000_000) - 5_000_000;
      else if (what === 'frozen') frozenAt = frozenAt === undefined ? present() : undefined;
      else awayUntil[what] = simScheduler.nowMs + random.below(random.pick(AWAY_MS));
    },

    calm() {
      isCalm = true;
      simScheduler.calm();
      frozenAt = undefined;
    },
  };
}

const DELIVERED: DeliveryOutcome = { is: 'delivered', statusCode: 200 };
const UNREACHED: DeliveryOutcome = { is: 'failed', errorClass: 'connection_error' };

/** How long at most, each as often as the others. */
const AWAY_MS = [100, 300, 300, 3_000, 30_000];

/** 2026-01-01T00:00:00Z, when every simulation begins. */
const EPOCH_MICROS = 1_767_225_600_000_000;
