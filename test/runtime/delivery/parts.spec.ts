import { expect } from 'chai';
import { newDeliveries, memoryDeliveryStore } from '#test/doubles/memory/delivery-store.ts';
import { simulate } from '#test/doubles/memory/simulated.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { SubscriptionChange } from '#src/kernel/subscription.ts';
import { pauseMs } from '#src/runtime/delivery/ladder.ts';
import { createPace } from '#src/runtime/delivery/pace.ts';
import { createPlanner } from '#src/runtime/delivery/planner.ts';
import { createSignal } from '#src/runtime/delivery/signal.ts';
import { createSlots } from '#src/runtime/delivery/slots.ts';
import type { DeliverySource, SourceEvent } from '#src/runtime/delivery/source.ts';
import { createBook } from '#src/runtime/delivery/book.ts';
import { planned, reopened, failed, failure } from '#src/runtime/delivery/transitions.ts';
import type { EventStore, Position, StoredEvent } from '#src/ports/event-store.ts';
import type { Micros } from '#src/kernel/instant.ts';

const ID = '0190a1c0-0000-7000-8000-000000000001' as Uuid;
const NOW = 1_767_225_600_000_000 as Micros;
const record = (id: string) => ({
  key: 'key',
  headers: { 'ce-id': id, 'ce-type': 't' },
  value: '',
});

describe('parts of the delivery service', () => {
  it('bounds a pause by its jitter and by a day', () => {
    expect([0, 0.5, 1].map((random) => pauseMs(1, random))).to.deep.equal([4500, 5000, 5500]);
    expect(pauseMs(9, 0.5)).to.equal(24 * 3_600_000);
    expect(pauseMs(1, 0.5, 10_000)).to.equal(10_000);
    expect(pauseMs(1, 0.5, 1e12)).to.equal(24 * 3_600_000);
    expect(pauseMs(2, 0.5, 10_000)).to.equal(300_000);
  });

  it('lets no burst follow a pause, and makes up for late timers', () => {
    let nowMs = 0;
    const pace = createPace(() => nowMs);
    pace.sent(10);
    expect(pace.waitMs()).to.be.within(100, 103);
    nowMs = 110;
    expect(pace.waitMs()).to.equal(0);
    pace.sent(10);
    expect(pace.waitMs()).to.be.within(90, 95);
    nowMs = 60_000;
    pace.sent(10);
    expect(pace.waitMs()).to.be.within(100, 103);
  });

  it('serves those that wait for a slot in turn, and none that was stopped', async () => {
    const slots = createSlots(1);
    const stop = new AbortController();
    const release = await slots.take(stop.signal);
    const order: number[] = [];
    const second = slots.take(stop.signal).then((free) => {
      order.push(2);
      free();
    });
    const third = slots.take(stop.signal).then((free) => {
      order.push(3);
      stop.abort(new Error('stopped'));
      free();
    });
    const fourth = slots.take(stop.signal).catch((error: unknown) => String(error));
    release();
    await Promise.all([second, third]);
    expect(await fourth).to.equal('Error: stopped');
    expect(order).to.deep.equal([2, 3]);
    const again = await slots.take(new AbortController().signal);
    again();
  });

  it('wakes at the earliest of time and notification, and keeps one that came before', async () => {
    const { scheduler, run } = simulate(1);
    await run(
      (async () => {
        const signal = createSignal(scheduler);
        await signal.wait(1000);
        expect(scheduler.elapsedMs()).to.equal(1000);
        signal.notify();
        await signal.wait(1000);
        expect(scheduler.elapsedMs()).to.equal(1000);
        void scheduler.sleep(10).then(() => {
          signal.notify();
        });
        await signal.wait(1000);
        expect(scheduler.elapsedMs()).to.equal(1010);
        await signal.wait(500);
        expect(scheduler.elapsedMs()).to.equal(1510);
        await signal.wait(2000);
        expect(scheduler.elapsedMs()).to.equal(3510);
      })(),
    );
  });

  it('derives the id of a delivery from subscription and ce-id', () => {
    const place = {
      subscriptionId: ID,
      tenantId: 'default',
      position: '1' as Position,
      ordinal: 0,
    };
    const first = planned({ ...place, record: record(ID), now: NOW });
    const later = planned({ ...place, record: record(ID), now: (NOW + 5_000_000) as Micros });
    const other = planned({
      ...place,
      subscriptionId: ID.replace(/1$/, '2') as Uuid,
      record: record(ID),
      now: NOW,
    });
    expect(later.id).to.equal(first.id).and.not.to.equal(other.id);
    expect(first.id.slice(0, 15)).to.equal(ID.slice(0, 15));
  });

  it('gives a delivery that is replayed ten attempts more, and keeps the last ones', () => {
    const place = {
      subscriptionId: ID,
      tenantId: 'default',
      position: '1' as Position,
      ordinal: 0,
    };
    let row = planned({ ...place, record: record(ID), now: NOW });
    for (let round = 1; round <= 3; round += 1) {
      for (let n = 0; n < 10; n += 1) {
        expect(row.dueAt).to.be.a('number');
        row = failed(row, failure('http_status', NOW), NOW, 1);
      }
      expect(row).to.include({ status: 'dead', finishedAt: NOW, version: round * 11 - 1 });
      row = reopened(row, NOW);
      expect(row)
        .to.include({ status: 'pending', tries: 0 })
        .and.not.to.have.property('finishedAt');
    }
    expect(row.attempts).to.have.length(20);
  });

  it('plans each event once when several planners work on a subscription', async () => {
    const { scheduler, clock, run, random } = simulate(3);
    const events = Array.from({ length: 60 }, (_, n): SourceEvent => {
      const id = `0190a1c0-0000-7000-8000-${String(n).padStart(12, '0')}`;
      const position = String(n + 1).padStart(4, '0') as Position;
      const recordedAt = '2026-01-01T00:00:00.000000Z' as never;
      return {
        position,
        stream: 's',
        tenantId: n % 3 === 0 ? 'other' : 'default',
        recordedAt,
        records: [record(id)],
      };
    });
    const source: DeliverySource = {
      after: async (position, limit) => {
        await scheduler.yield();
        return events.filter((event) => event.position > position).slice(0, Math.min(limit, 7));
      },
      record: () => Promise.resolve(undefined),
      end: () => Promise.resolve(events.at(-1)!.position),
      damagedEvents: () => 0,
      look: () => {},
      close: async () => {},
    };
    const data = newDeliveries();
    const store = memoryDeliveryStore(scheduler, data, () =>
      random() < 0.3 ? (random() < 0.5 ? 'refused' : 'unanswered') : 'ok',
    );
    const subscription = {
      ...{ id: ID, name: 'n', startAt: 'now', filters: {}, status: 'active' },
    } as never;
    const booked = { tenantId: 'default', subscription, createdAt: '0005' as Position };
    const work = async (): Promise<void> => {
      const planner = createPlanner({
        ...{ store, source, clock, scheduler, matches: () => true, onTrouble: () => {} },
        positionAt: () => Promise.resolve('' as Position),
        book: { refresh: async () => {}, get: () => booked, hasTaken: () => true },
      });
      for (;;) {
        const progress = await planner.advance(booked).catch(() => undefined);
        if (progress?.atEnd === true) return;
      }
    };
    await run(Promise.all([work(), work(), work()]));
    const expected = events.filter(
      ({ position, tenantId }) => position > '0005' && tenantId === 'default',
    );
    expect([...data.rows.values()].map(({ position }) => position).sort()).to.deep.equal(
      expected.map(({ position }) => position),
    );
  });

  it('takes each change of a subscription once, however many refresh at a time', async () => {
    const { scheduler, run } = simulate(5);
    const stream: StoredEvent[] = [];
    const add = (change: SubscriptionChange): void => {
      const place = { revision: stream.length, position: String(stream.length) };
      stream.push({ ...place, data: JSON.stringify(change) } as never);
    };
    const log: Pick<EventStore, 'read'> = {
      read: async (_, from, limit) => {
        await scheduler.yield();
        const found = stream.slice(from, from + limit);
        await scheduler.yield();
        return found;
      },
    };
    const changed: Uuid[] = [];
    const book = createBook({
      ...{ log, tenants: () => ['default'], journalOf: () => 'journal' },
      changeIn: ({ data }) => JSON.parse(data) as SubscriptionChange,
      onChange: (id) => changed.push(id),
    });
    await run(
      (async () => {
        const refreshes: Promise<void>[] = [];
        for (let n = 0; n < 200; n += 1) {
          add({ is: 'set', subscription: { id: ID, name: String(n) } as never });
          refreshes.push(
            book.refresh().then(() => {
              expect(Number(book.get(ID)?.subscription.name)).to.be.at.least(n);
            }),
          );
          await scheduler.yield();
        }
        await Promise.all(refreshes);
        expect(book.get(ID)?.createdAt).to.equal('0');
        add({ is: 'removed', id: ID });
        await book.refresh();
        expect(book.get(ID)).to.equal(undefined);
        expect(book.wasRemoved(ID)).to.equal(true);
      })(),
    );
    expect(changed).to.have.length(201);
  });
});
