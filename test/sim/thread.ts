import type { LogSubscription, Position, Take } from '#src/ports/event-store.ts';
import { follow } from '#src/ports/follow.ts';
import type { Scheduler } from '#src/ports/scheduler.ts';
import { MemoryEventStore } from '#test/doubles/memory/event-store.ts';
import type { Owner } from './scheduler.ts';
import type { World } from './world.ts';

/** One run of a thread, from its start until it or its process dies. */
export type ThreadLife = Readonly<{
  /** Names this run, for leases and traces. */
  name: string;
  /** Wakes nobody once the thread is dead. */
  scheduler: Scheduler;
  /** What has left the thread outlives it. */
  wire: Scheduler;
  isAlive: () => boolean;
  /** Returns a port whose responses reach nobody once the thread is dead. All of its methods return promises. */
  heard: <Port extends object>(port: Port) => Port;
  /** Resolves when the thread is dead. */
  died: Promise<undefined>;
}>;

export type Thread<Served> = Readonly<{
  /** What the living run serves; undefined until a dead one was started again. */
  served: () => Readonly<{ by: ThreadLife; is: Served }> | undefined;
  /** Ends the run between any two of its steps; the process starts another one after a while. */
  crash: () => void;
  /** Ends it together with its process. */
  end: () => void;
}>;

type Options<Served> = Readonly<{
  world: World;
  name: string;
  /** The scheduler of the process. */
  scheduler: Scheduler;
  begin: (life: ThreadLife) => Served;
}>;

/** Starts a thread of a process, which may die alone. */
export function startThread<Served>({
  world: { random, simScheduler, holders, note },
  name,
  scheduler,
  begin,
}: Options<Served>): Thread<Served> {
  let runs = 0;
  let running: Readonly<{ by: ThreadLife; is: Served; kill: () => void }> | undefined;

  const start = (): void => {
    runs += 1;
    const own: Owner = { name: `${name}.${runs}` };
    const wire = simScheduler.scheduler({ name: `${own.name}'s calls` });
    let alive = true;
    const { promise: died, resolve } = Promise.withResolvers<undefined>();
    const by: ThreadLife = {
      name: own.name,
      scheduler: simScheduler.scheduler(own),
      wire,
      isAlive: () => alive,
      heard: (port) => heardBy(() => alive, port),
      died,
    };
    const kill = (): void => {
      alive = false;
      holders.delete(own.name);
      simScheduler.drop(own);
      resolve(undefined);
    };
    holders.add(own.name);
    running = { by, is: begin(by), kill };
  };
  const end = (): void => {
    running?.kill();
    running = undefined;
  };

  start();
  return {
    served: () => running,
    crash() {
      if (running === undefined) return;
      note(`${running.by.name} crashed`);
      end();
      void scheduler.sleep(random.below(RESTART_MS_MAX)).then(start);
    },
    end,
  };
}

/** The log as a thread reads it. It looks for news more rarely than the product, which saves most of the steps. */
export class ThreadLog extends MemoryEventStore {
  readonly #own: Scheduler;

  constructor({ simFaults: { faults }, log }: World, scheduler: Scheduler) {
    super({ scheduler, faults, log });
    this.#own = scheduler;
  }

  override subscribe(after: Position, take: Take): LogSubscription {
    return follow(this, (ms) => this.#own.sleep(LOOK_TIMES * ms), after, take);
  }
}
const LOOK_TIMES = 10;

function heardBy<Port extends object>(isAlive: () => boolean, port: Port): Port {
  const settled = async (work: Promise<unknown>): Promise<unknown> => {
    try {
      const result = await work;
      if (isAlive()) return result;
    } catch (error) {
      if (isAlive()) throw error;
    }
    return new Promise(() => {});
  };
  return new Proxy(port, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      return (...parameters: readonly unknown[]) =>
        settled(Reflect.apply(value, target, parameters) as Promise<unknown>);
    },
  });
}

const RESTART_MS_MAX = 400;
