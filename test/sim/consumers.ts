import type { Uuid } from '#src/kernel/ids.ts';
import type { PulledMessage, SubscriptionAddress } from '#src/ports/delivery-calls.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { assertThat } from './log-oracle.ts';
import { stackOf, type Process } from './process.ts';
import type { BookedStream, StreamBooks } from './stream-books.ts';
import type { World } from './world.ts';

type Options = Readonly<{
  world: World;
  books: StreamBooks;
  processes: () => readonly Process[];
}>;

/**
 * Lets consumers loose on the subscriptions that are pulled. They acknowledge messages, return them, forget them, or
 * are too late; while all is calm, they acknowledge. `rest` lets them do so.
 */
export function startConsumers(
  count: number,
  { world, books, processes }: Options,
): Readonly<{ rest: () => void }> {
  const { random, simScheduler, deliveries } = world;
  let resting = false;

  const live = async (name: string): Promise<void> => {
    const scheduler = simScheduler.scheduler({ name });
    for (;;) {
      await scheduler.sleep(1 + random.below(resting ? 1_000 : 200));
      const pulled = books.live.filter(isPulled);
      const alive = processes();
      if (pulled.length === 0 || alive.length === 0) continue;
      try {
        await consume(random.pick(alive), random.pick(pulled), (ms) => scheduler.sleep(ms));
      } catch (error) {
        if (!(error instanceof Unavailable)) world.fail(`${name}: ${stackOf(error)}`);
      }
    }
  };

  const consume = async (
    process: Process,
    { id }: BookedStream,
    sleep: (ms: number) => Promise<void>,
  ): Promise<void> => {
    const of: SubscriptionAddress = { tenantId: 'default', subscriptionId: id };
    const leaseMs = random.pick([500, 3_000]);
    const options = {
      max: resting ? 50 : 1 + random.below(10),
      waitMs: random.below(3) * 50,
      leaseMs,
    };
    const { calls } = process;
    const messages = await orDead(process, calls.pull(of, options));
    if (messages === undefined || messages.length === 0) return;
    for (const { record } of messages) deliveries.received(id, record);
    const what = random.weighted({ ack: 6, nack: 2, forget: 1, late: 1, extend: 1 });
    const leases = messages.map(({ leaseId }) => leaseId);
    if (resting || what === 'ack') return acknowledge(process, of, messages);
    if (what === 'nack') {
      await orDead(process, calls.nack(of, leases, random.below(500)));
    } else if (what === 'late') {
      await sleep(leaseMs + random.below(1_000));
      await acknowledge(process, of, messages);
    } else if (what === 'extend') {
      await orDead(process, calls.extend(of, leases, 4_000));
      await acknowledge(process, of, messages.slice(random.below(2)));
    }
  };

  const acknowledge = async (
    process: Process,
    of: SubscriptionAddress,
    messages: readonly PulledMessage[],
  ): Promise<void> => {
    const leases = messages.map(({ leaseId }) => leaseId);
    const outcome = await orDead(process, process.calls.ack(of, leases));
    if (outcome === undefined) return;
    const { settled, expired } = outcome;
    const kept = leases.filter((lease) => !expired.includes(lease));
    assertThat(settled === kept.length, `${settled} of ${leases.length} leases are settled`);
    deliveries.acknowledged(kept.map(deliveryIn));
  };

  for (let n = 1; n <= count; n += 1) void live(`consumer ${n}`);
  return { rest: () => (resting = true) };
}

/** Makes everything due that is not delivered, as an operator may. Errors: Unavailable. */
export async function deliverAgain(
  { calls }: Process,
  { deliveries: { data, asked } }: World,
  books: StreamBooks,
): Promise<void> {
  const live = new Set(books.live.map(({ id }) => id));
  const rows = [...data.rows.values()].filter((row) => live.has(row.subscriptionId));
  for (const { id, status, lease } of rows) {
    if (status !== 'retrying' && status !== 'dead') continue;
    if (lease !== undefined && status !== 'dead') continue;
    asked([id]);
    await calls.retry('default', id);
  }
}

/** A process that dies sends no response; its consumers ask another one. */
const orDead = <Result>({ died }: Process, call: Promise<Result>): Promise<Result | undefined> =>
  Promise.race([call, died]);

const deliveryIn = (leaseId: string): Uuid => leaseId.slice(0, leaseId.indexOf('.')) as Uuid;

const isPulled = ({ states }: BookedStream): boolean =>
  states.at(-1)?.subscription.target.kind === 'pull';
