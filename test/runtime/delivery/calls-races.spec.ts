import { expect } from 'chai';
import type { PulledMessage } from '#src/ports/delivery-calls.ts';
import { Unavailable } from '#src/ports/errors.ts';
import type { StoreFate } from '#test/doubles/memory/delivery-store.ts';
import { seedOfRun } from '#test/support/random.ts';
import { callsWorld, OF, textsIn, type CallsProcess, type CallsWorld } from './calls-world.ts';

const MESSAGES = 60;
const CONSUMERS = 6;
const LEASE_MS = 400;

/** A message in the hands of a consumer: nobody else may hold it before `untilMs`. */
type Hold = Readonly<{ leaseId: string; untilMs: number }>;

/** Watches what consumers do, and says what must never happen. */
function watch(world: CallsWorld) {
  const holds = new Map<string, Hold>();
  const ackedAtMs = new Map<string, number>();
  const attempted = new Set<string>();
  const firsts = new Map<string, PulledMessage>();
  const nowMs = () => world.scheduler.elapsedMs();
  const eventOf = ({ record }: PulledMessage): string => record.headers['ce-id'] ?? '';
  return {
    ...{ ackedAtMs, attempted, firsts },
    pulled(messages: readonly PulledMessage[], askedMs: number): void {
      for (const message of messages) {
        const event = eventOf(message);
        const hold = holds.get(event);
        if (hold !== undefined && hold.untilMs > nowMs()) throw new Error(`Two hold ${event}`);
        if ((ackedAtMs.get(event) ?? Infinity) < askedMs) throw new Error(`${event} came again`);
        if (!firsts.has(event)) firsts.set(event, message);
        holds.set(event, { leaseId: message.leaseId, untilMs: askedMs + LEASE_MS });
      }
    },
    /** Notes that a consumer gives a message away, if it still holds it; a stale lease must then not settle it. */
    release(message: PulledMessage): boolean {
      const event = eventOf(message);
      const isCurrent = holds.get(event)?.leaseId === message.leaseId;
      if (isCurrent) holds.set(event, { leaseId: message.leaseId, untilMs: -Infinity });
      return isCurrent;
    },
    settled(message: PulledMessage, wasCurrent: boolean, isAck: boolean): void {
      const event = eventOf(message);
      if (!wasCurrent) throw new Error(`A replaced lease settled ${event}`);
      if (isAck) ackedAtMs.set(event, nowMs());
    },
    tried: (message: PulledMessage) => attempted.add(eventOf(message)),
  };
}

/** A consumer that pulls, forgets, hesitates, returns and acknowledges, as chance will have it, until it is told to end. */
async function consume(
  { scheduler, random }: CallsWorld,
  { calls, pull }: CallsProcess,
  watched: ReturnType<typeof watch>,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    try {
      const askedMs = scheduler.elapsedMs();
      const max = 1 + Math.floor(random() * 8);
      const messages = await pull({ max, waitMs: random() * 200, leaseMs: LEASE_MS });
      watched.pulled(messages, askedMs);
      for (const message of messages) {
        const chance = random();
        if (chance < 0.1) continue;
        if (chance < 0.3) await scheduler.sleep(random() * 2 * LEASE_MS);
        const isAck = chance < 0.85;
        const wasCurrent = watched.release(message);
        if (isAck) watched.tried(message);
        const outcome = await (isAck
          ? calls.ack(OF, [message.leaseId])
          : calls.nack(OF, [message.leaseId], random() * 300));
        if (outcome?.settled === 1) watched.settled(message, wasCurrent, isAck);
      }
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await scheduler.sleep(20);
    }
  }
}

describe('delivery calls of many consumers', () => {
  for (let n = 0; n < 12; n += 1) {
    const seed = seedOfRun(1) + n;
    const ordering = n % 2 === 0 ? 'none' : 'key';
    it(`share messages through faults of the store, with ordering ${ordering} (seed ${seed})`, async () => {
      const world = callsWorld(seed);
      const { random, scheduler, rows } = world;
      let faults = true;
      const fate = (): StoreFate => {
        const chance = faults ? random() : 1;
        return chance < 0.04 ? 'refused' : chance < 0.08 ? 'unanswered' : 'ok';
      };
      const watched = watch(world);
      await world.run(
        (async () => {
          await world.subscribe({ ordering });
          const processes = Array.from({ length: 3 }, () => world.start(fate));
          const isOver = () =>
            rows().length === MESSAGES && rows().every(({ dueAt }) => dueAt === undefined);
          const consumers = Array.from({ length: CONSUMERS }, (_, at) =>
            consume(world, processes[at % 3]!, watched, isOver),
          );
          for (let written = 0; written < MESSAGES; written += 10) {
            const texts = Array.from({ length: 10 }, (_, at) => String(written + at));
            await world.note(texts, `key ${Math.floor(random() * 4)}`);
            await scheduler.sleep(random() * 500);
          }
          const giveUpMs = scheduler.elapsedMs() + 600_000;
          await Promise.race([
            Promise.all(consumers),
            scheduler.sleep(giveUpMs).then(() => {
              throw new Error('Messages are stuck');
            }),
          ]);
          faults = false;
        })(),
      );
      if (ordering === 'key') {
        const byKey = Map.groupBy(watched.firsts.values(), ({ record }) => record.key);
        for (const ofKey of byKey.values()) {
          const numbers = textsIn(ofKey).map(Number);
          expect(numbers).to.deep.equal(numbers.toSorted((a, b) => a - b));
        }
      }
      const delivered = rows().filter(({ status }) => status === 'delivered');
      const ids = new Set(delivered.map(({ eventId }) => eventId));
      for (const event of watched.ackedAtMs.keys()) expect(ids).to.include(event);
      for (const event of ids) expect(watched.attempted).to.include(event);
      for (const { status, attempts } of rows()) {
        if (status === 'dead') expect(attempts).to.have.length(10);
        else expect(attempts.length).to.be.within(1, 10);
      }
    });
  }
});
