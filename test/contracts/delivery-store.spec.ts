import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedDeliveryStore } from '#src/adapters/embedded/delivery-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { memoryDeliveryStore, newDeliveries } from '#test/doubles/memory/delivery-store.ts';
import { deliveryStoreContract } from './delivery-store.contract.ts';

describe('delivery store: embedded', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'quipu-deliveries-'));
  });
  after(() => rm(dir, { recursive: true }));
  deliveryStoreContract(async () => openEmbeddedDeliveryStore(dir));
});

describe('delivery store: memory', () => {
  const data = newDeliveries();
  deliveryStoreContract(async () => memoryDeliveryStore(systemScheduler, data));
});
