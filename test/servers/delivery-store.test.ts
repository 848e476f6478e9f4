import { openMongoDeliveryStore } from '#src/adapters/mongodb/delivery-store.ts';
import { deliveryStoreContract } from '#test/contracts/delivery-store.contract.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('delivery store: MongoDB', () => {
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  before(async () => {
    place = await newMongoPlace();
  });
  after(() => place.remove());

  deliveryStoreContract(() => openMongoDeliveryStore(place));
});
