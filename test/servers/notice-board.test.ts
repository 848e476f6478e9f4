import { openMongoNoticeBoard } from '#src/adapters/mongodb/notice-board.ts';
import { noticeBoardContract } from '#test/contracts/notice-board.contract.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('notice board: MongoDB', () => {
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  before(async () => {
    place = await newMongoPlace();
  });
  after(() => place.remove());

  noticeBoardContract(async () => openMongoNoticeBoard(place));
});
