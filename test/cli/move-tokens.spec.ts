import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { openEmbeddedSecretStore } from '#src/adapters/embedded/secret-store.ts';
import { openEmbeddedTokenIndex } from '#src/adapters/embedded/token-index.ts';
import { CliError } from '#src/cli/command.ts';
import { moveSecrets, moveTokens } from '#src/cli/move-secrets.ts';
import { dataFolders, newUuid } from '#test/contracts/samples.ts';
import { newEnvironmentKey, protectionWorld } from '#test/support/protection.ts';

describe('moving secrets', () => {
  const newFolder = dataFolders();
  const keys = { wrapping: newEnvironmentKey(), hashKey: randomBytes(32) };
  const scope = { tenantId: 'default', organizationId: newUuid() };
  const newRecord = () => ({ ...scope, recordId: newUuid() });
  const world = () => {
    const dir = newFolder();
    const [secrets, index] = [openEmbeddedSecretStore(dir), openEmbeddedTokenIndex(dir)];
    const close = () => Promise.all([secrets.close(), index.close()]);
    return { secrets, index, close, keys: protectionWorld({ ...keys, secrets, index }).process() };
  };

  it('moves keys with the tokens that find their records, as often as it is done', async () => {
    const [from, to] = [world(), world()];
    const [record, erased, erasedThere] = [newRecord(), newRecord(), newRecord()];
    const [token, unique] = await from.keys.tokens(scope, [
      { field: 'document', value: '1' },
      { field: 'holder.document', value: '1' },
    ]);
    const tokens = [token!];
    const created = await from.keys.create(record, { tokens, claims: [{ token: unique! }] });
    if (created.taken !== undefined) throw new Error('taken');
    for (const one of [erased, erasedThere]) await from.keys.create(one, { tokens, claims: [] });
    await from.keys.destroy(erased);
    await to.index.erase(erasedThere);

    for (let time = 0; time < 2; time += 1) {
      await moveSecrets(from.secrets, to.secrets);
      await moveTokens(from.index, to.index);
      const found = await to.index.find(scope.organizationId, token!, { limit: 10 });
      expect(found).to.deep.equal([record.recordId]);
      expect(await to.index.holder(unique!)).to.equal(record.recordId);
    }
    const sealed = created.key.seal('name', 'Ada');
    expect((await to.keys.open(record))?.open('name', sealed)).to.equal('Ada');
    for (const one of [erased, erasedThere]) expect(await to.keys.open(one)).to.equal(undefined);
    await Promise.all([from.close(), to.close()]);
  });

  it('stops at a unique value that the new deployment gave to another record', async () => {
    const [from, to] = [world(), world()];
    const [token] = await from.keys.tokens(scope, [{ field: 'holder.document', value: '1' }]);
    for (const { keys: some } of [from, to]) {
      await some.create(newRecord(), { tokens: [], claims: [{ token: token! }] });
    }
    await moveSecrets(from.secrets, to.secrets);
    const error = await moveTokens(from.index, to.index).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(CliError);
    await Promise.all([from.close(), to.close()]);
  });
});
