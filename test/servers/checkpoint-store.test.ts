import { openMongoCheckpointStore } from '#src/adapters/mongodb/checkpoint-store.ts';
import { checkpointStoreContract } from '#test/contracts/checkpoint-store.contract.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('checkpoint store: MongoDB', () => {
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  before(async () => {
    place = await newMongoPlace();
  });
  after(() => place.remove());

  checkpointStoreContract(async () => openMongoCheckpointStore(place));
});
