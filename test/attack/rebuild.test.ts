import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import { systemIds } from '#src/adapters/system.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { seal } from '#src/journal/chain.ts';
import { START } from '#src/ports/event-store.ts';
import { openBook } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import {
  launchServer,
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  until,
} from '#test/support/server.ts';

/** Enough for a rebuild of some seconds, so that its progress is seen on a fast machine as well. */
const EVENTS = 400_000;
const CHUNK = 5000;

describe('a rebuild of read models', function () {
  this.timeout(120_000);
  const dataDir = temporaryFolder();
  after(() => removeFolder(dataDir));

  it('is seen: not ready for reads, with events behind and a pace, in /readyz, metrics and the log', async () => {
    const server = await startServer({ dataDir });
    const client = clientOf(() => server);
    const book = await openBook(client);
    client.close();
    await stopServer(server);
    await lengthen(dataDir);
    for (const name of ['read.db', 'index.db']) rmSync(join(dataDir, name));

    const again = await launchServer({ dataDir });
    const base = `http://127.0.0.1:${String(again.port)}`;
    const isOpen = () =>
      fetch(`${base}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isOpen, 10_000, 'listens');
    let seen = '';
    await until(
      async () => {
        const metrics = await (await fetch(`${base}/metrics`)).text();
        if (!/^quipu_projection_behind_events [1-9]/m.test(metrics)) return false;
        const answer = await fetch(`${base}/readyz`);
        if (answer.status === 503) seen = await answer.text();
        return seen.includes('events/s');
      },
      30_000,
      'a rebuild that is seen',
    );
    expect(seen).to.match(/rebuilding: \d+ % done, \d+ events behind, \d+ events\/s, \d+ s to go/);
    const isReady = () => fetch(`${base}/readyz`).then(({ status }) => status === 200);
    await until(isReady, 60_000, 'ready again');
    expect((await fetch(`${base}${book.at}`)).status).to.equal(200);
    expect(await (await fetch(`${base}/metrics`)).text()).to.match(
      /^quipu_projection_behind_events 0$/m,
    );
    expect(again.output()).to.match(/"info",.*"message":"The read models are rebuilt: \d+ % done/);
    const isSaid = () => again.output().includes('The read models have caught up, after');
    await until(isSaid, 5000, 'the end of the rebuild'); // The log is written in batches.
    await stopServer(again);
  });
});

/** Asset after asset, as another ledger could have made them: each is a row of its own. */
async function lengthen(dir: string): Promise<void> {
  const ids = systemIds();
  const onFatal = (error: Error) => {
    throw error;
  };
  const store = await openEmbeddedEventStore(dir, { ids, onFatal });
  const model = (await store.readAll(START, 100)).find(({ type }) => type === 'AssetCreated');
  const { id } = (JSON.parse(model!.data) as { asset: { id: string } }).asset;
  const open = model!.metadata.replace(/,"hash":"[0-9a-f]+"\}$/, '}');
  for (let n = 0; n < EVENTS; n += CHUNK) {
    const events = Array.from({ length: CHUNK }, () => {
      const [own, another] = [ids.next(), ids.next()];
      const data = model!.data.replaceAll(id, another);
      const { metadata } = seal(model!.type, data, JSON.parse(open) as Omit<EventMetadata, 'hash'>);
      return { id: own, type: model!.type, data, metadata };
    });
    await store.append('ledger-01a20083-cc69-7001-ad92-6411fcc753b2', events, n - 1);
  }
  await store.close();
}
