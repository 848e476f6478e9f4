import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderers } from '#src/bootstrap/renderers.ts';
import { openEmbeddedReadStore } from '#src/adapters/embedded/read-store.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import {
  createReadMemory,
  memoryReadStore,
  memoryReadStoreWriter,
} from '#test/doubles/memory/read-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { logBackedWriter } from '#test/support/log-backed.ts';
import { metadataIndexContract } from './metadata-index.contract.ts';
import { readStoreContract, type Place } from './read-store.contract.ts';
import { READ_WORKER } from '#src/bootstrap/stores.ts';
import type { ReadStore } from '#src/ports/read-store.ts';
import { newUuid } from './samples.ts';

const embedded = {
  embedded: { openWriter: openEmbeddedReadStoreWriter, worker: READ_WORKER },
  'embedded, with bodies in the log': {
    openWriter: logBackedWriter,
    worker: new URL('../support/log-backed-worker.ts', import.meta.url),
  },
};

for (const [name, { openWriter, worker }] of Object.entries(embedded)) {
  describe(`read store: ${name}`, () => {
    // One file and one reader thread for all tests: a thread takes longer to start than most of them take.
    let dir: string;
    let reader: ReadStore;
    before(async () => {
      dir = await mkdtemp(join(tmpdir(), 'quipu-read-'));
      reader = openEmbeddedReadStore(dir, worker, { budgetMs: 30_000 });
    });
    after(async () => {
      await reader.close();
      await rm(dir, { recursive: true });
    });

    const emptied = async (): Promise<void> => {
      const writer = openWriter(dir);
      await writer.open(newUuid(), []); // Rows of another log are forgotten.
      await writer.close();
    };
    const place = async (): Promise<Place> => ({
      writer: async () => openWriter(dir),
      reader: async () => reader,
      remove: emptied,
    });
    readStoreContract(place);
    metadataIndexContract(place);
  });
}

describe('read store: memory', () => {
  const place = async (): Promise<Place> => {
    const memory = createReadMemory();
    return {
      writer: async () => memoryReadStoreWriter(memory, systemScheduler),
      reader: async () => memoryReadStore(memory, systemScheduler, renderers),
      remove: (reader) => reader.close(),
    };
  };
  readStoreContract(place);
  metadataIndexContract(place);
});
