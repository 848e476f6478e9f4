import { openMongoLeases } from '#src/adapters/mongodb/leases.ts';
import { leasesContract } from '#test/contracts/leases.contract.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('leases: MongoDB', () => {
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  before(async () => {
    place = await newMongoPlace();
  });
  after(() => place.remove());

  leasesContract(async (scheduler) => openMongoLeases(place, scheduler));
});
