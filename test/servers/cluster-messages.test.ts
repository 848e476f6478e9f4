import { openMongoClusterMessages } from '#src/adapters/mongodb/cluster-messages.ts';
import { noticeBoardContract } from '#test/contracts/cluster-messages.contract.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('notice board: MongoDB', () => {
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  before(async () => {
    place = await newMongoPlace();
  });
  after(() => place.remove());

  noticeBoardContract(async () => openMongoClusterMessages(place));
});
