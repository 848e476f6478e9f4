import { openEventStoreDb } from '#src/adapters/eventstoredb/event-store.ts';
import { openEventStoreDbHere } from '#src/adapters/eventstoredb/event-store-here.ts';
import { systemIds } from '#src/adapters/system.ts';
import { eventStoreContract } from '#test/contracts/event-store.contract.ts';

/** Whatever answers there: an EventStoreDB, a KurrentDB, or the double that infra/engines/up starts. */
const url = process.env['EVENTSTOREDB_URL'] ?? '';
/** Longer than the usual: a machine may stand still. */
const answerWithinMs = 30_000;
const required = process.env['REQUIRE_ENGINES'] === '1';

const suites = (): void => {
  describe('in the thread of its caller', () => {
    eventStoreContract(() => openEventStoreDbHere(url, { ids: systemIds(), answerWithinMs }));
  });
  describe('in a worker thread', () => {
    eventStoreContract(() => openEventStoreDb(url, { ids: systemIds(), answerWithinMs }));
  });
};

if (url === '' && required) {
  it('event store: EventStoreDB adapter', () => {
    throw new Error('EVENTSTOREDB_URL is not set');
  });
} else {
  (url === '' ? describe.skip : describe)('event store: EventStoreDB adapter on a server', suites);
}
