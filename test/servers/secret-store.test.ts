import { expect } from 'chai';
import { openMongoSecretStore } from '#src/adapters/mongodb/secret-store.ts';
import { bytes, secretStoreContract } from '#test/contracts/secret-store.contract.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('secret store: MongoDB', () => {
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  before(async () => {
    place = await newMongoPlace();
  });
  after(() => place.remove());

  secretStoreContract(async () => openMongoSecretStore(place));

  it('leaves nothing of what was destroyed but its name', async () => {
    const store = openMongoSecretStore(place);
    await store.put('key of a person', bytes('top secret'));
    await store.destroy('key of a person');
    expect(await place.db.collection('secrets').findOne({ version: 0 })).to.have.all.keys(
      '_id',
      'version',
      'destroyed',
    );
  });
});
