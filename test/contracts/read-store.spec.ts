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
import { metadataIndexContract } from './metadata-index.contract.ts';
import { readStoreContract, type Place } from './read-store.contract.ts';
import { READ_WORKER } from '#src/bootstrap/stores.ts';

describe('read store: embedded', () => {
  const place = async (): Promise<Place> => {
    const dir = await mkdtemp(join(tmpdir(), 'quipu-read-'));
    return {
      writer: async () => openEmbeddedReadStoreWriter(dir),
      reader: async () => openEmbeddedReadStore(dir, READ_WORKER, { budgetMs: 30_000 }),
      remove: () => rm(dir, { recursive: true }),
    };
  };
  readStoreContract(place);
  metadataIndexContract(place);
});

describe('read store: memory', () => {
  const place = async (): Promise<Place> => {
    const memory = createReadMemory();
    return {
      writer: async () => memoryReadStoreWriter(memory, systemScheduler),
      reader: async () => memoryReadStore(memory, systemScheduler, renderers),
      remove: async () => {},
    };
  };
  readStoreContract(place);
  metadataIndexContract(place);
});
