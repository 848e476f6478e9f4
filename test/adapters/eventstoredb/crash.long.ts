import { expect } from 'chai';
import { openEventStoreDbHere } from '#src/adapters/eventstoredb/event-store-here.ts';
import { systemIds } from '#src/adapters/system.ts';
import { NONE, type Revision } from '#src/kernel/ids.ts';
import { Ambiguous, Unavailable } from '#src/ports/errors.ts';
import { START, type NewEvent } from '#src/ports/event-store.ts';
import { happened, newName, readOn } from '#test/contracts/samples.ts';
import { startEventStoreDouble } from '#test/doubles/eventstore/start.ts';
import { until } from '#test/support/server.ts';

const WRITERS = 32;
const KILLS = 3;

describe('EventStoreDB adapter: kill -9 of the double under load', () => {
  it('keeps what was acknowledged, once; of the rest, each append is there as a whole or not at all', async function () {
    this.timeout(240_000);
    const double = await startEventStoreDouble();
    const store = await openEventStoreDbHere(double.url, { ids: systemIds() });
    const acknowledged = new Set<string>();
    const attempted = new Map<string, NewEvent[]>();
    const faults: unknown[] = [];
    let stopped = false;

    const writer = async (): Promise<void> => {
      const stream = newName();
      let revision: Revision = NONE;
      while (!stopped) {
        const events = [happened(stream), happened(stream), happened(stream)];
        for (const { id } of events) attempted.set(id, events);
        try {
          ({ revision } = await store.append(stream, events, revision));
          for (const { id } of events) acknowledged.add(id);
        } catch (error) {
          faults.push(error);
          const reread = () =>
            store.last(stream).then(
              (last) => ((revision = last?.revision ?? NONE), true),
              () => false,
            );
          await until(reread, 30_000, 'the server back');
        }
      }
    };
    const writers = Array.from({ length: WRITERS }, writer);

    for (let kill = 1; kill <= KILLS; kill += 1) {
      const goal = acknowledged.size + 200;
      await until(() => acknowledged.size > goal, 30_000, 'work');
      await double.kill();
      await double.restart();
    }
    stopped = true;
    await Promise.all(writers);

    const stored = (await readOn(store, START, 500)).map(({ id }) => id as string);
    await store.close();
    await double.stop();
    const there = new Set(stored);
    expect(stored.length, 'written twice').to.equal(there.size);
    expect(
      [...acknowledged].filter((id) => !there.has(id)),
      'lost',
    ).to.deep.equal([]);
    const torn = [...there].filter(
      (id) => !attempted.get(id)?.every((event) => there.has(event.id)),
    );
    expect(torn, 'in part').to.deep.equal([]);
    expect(
      faults.filter((fault) => fault instanceof Ambiguous),
      'in doubt',
    ).not.to.have.length(0);
    const others = faults.filter((f) => !(f instanceof Ambiguous || f instanceof Unavailable));
    expect(others).to.deep.equal([]);
  });
});
