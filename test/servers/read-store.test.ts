import { openMongoReadStore } from '#src/adapters/mongodb/read-store.ts';
import { openMongoReadStoreWriter } from '#src/adapters/mongodb/read-store-writer.ts';
import { readStoreContract } from '#test/contracts/read-store.contract.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('read store: MongoDB', () => {
  const pointerMs = 20;

  readStoreContract(async () => {
    const place = await newMongoPlace();
    return {
      writer: async () => openMongoReadStoreWriter(place, { pointerMs }),
      reader: async () => openMongoReadStore(place, { pointerMs, budgetMs: 10_000 }),
      remove: () => place.remove(),
    };
  });
});
