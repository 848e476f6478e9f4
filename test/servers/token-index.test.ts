import { expect } from 'chai';
import { openMongoSecretStore } from '#src/adapters/mongodb/secret-store.ts';
import { Unavailable } from '#src/ports/errors.ts';
import { openMongoTokenIndex } from '#src/adapters/mongodb/token-index.ts';
import { tokenIndexContract } from '#test/contracts/token-index.contract.ts';
import { newUuid } from '#test/contracts/samples.ts';
import { bytes } from '#test/contracts/secret-store.contract.ts';
import { describeOnMongo, newMongoPlace } from './mongo.ts';

describeOnMongo('token index: MongoDB', () => {
  let place: Awaited<ReturnType<typeof newMongoPlace>>;
  before(async () => {
    place = await newMongoPlace();
  });
  after(() => place.remove());

  tokenIndexContract(async () => ({
    index: await openMongoTokenIndex(place),
    secrets: openMongoSecretStore(place),
  }));

  it('lets one of several processes win that claim the same token at once', async () => {
    const organizationId = newUuid();
    const processes = await Promise.all([1, 2, 3].map(() => openMongoTokenIndex(place)));
    for (let round = 0; round < 5; round += 1) {
      const token = `unique ${organizationId} ${round}`;
      const results = await Promise.all(
        processes.map((index) =>
          // FerretDB may find a deadlock between two of them only after the time limit of a call.
          untilAvailable(async () => {
            const record = { organizationId, recordId: newUuid() };
            const taken = await index.add(record, bytes('-'), { tokens: [], claims: [{ token }] });
            return taken?.recordId ?? record.recordId;
          }),
        ),
      );
      expect(new Set(results)).to.have.property('size', 1);
      expect(await processes[0]!.holder(token)).to.equal(results[0]);
    }
  });
});

/** A claim may have landed though the call failed: it then belongs to a record that never came to be. */
async function untilAvailable<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempts = 5; ; attempts -= 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Unavailable) || attempts === 1) throw error;
    }
  }
}
