import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shown } from '#queries/shown.ts';
import { openEmbeddedReadStore } from '#src/adapters/embedded/read-store.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import {
  createReadMemory,
  memoryReadStore,
  memoryReadStoreWriter,
} from '#src/adapters/memory/read-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { readStoreContract } from './read-store.contract.ts';

describe('read store: embedded', () => {
  readStoreContract(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'quipu-read-'));
    return {
      writer: async () => openEmbeddedReadStoreWriter(dir),
      reader: async () => openEmbeddedReadStore(dir),
      remove: () => rm(dir, { recursive: true }),
    };
  });
});

describe('read store: memory', () => {
  readStoreContract(async () => {
    const memory = createReadMemory();
    return {
      writer: async () => memoryReadStoreWriter(memory, systemScheduler),
      reader: async () => memoryReadStore(memory, systemScheduler, shown),
      remove: async () => {},
    };
  });
});
