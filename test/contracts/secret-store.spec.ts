import { expect } from 'chai';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedSecretStore } from '#src/adapters/embedded/secret-store.ts';
import { memorySecretStore } from '#test/doubles/memory/secret-store.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { dataFolders } from './samples.ts';
import { bytes, secretStoreContract } from './secret-store.contract.ts';

describe('secret store: memory', () => {
  secretStoreContract(async () => memorySecretStore(systemScheduler));
});

describe('secret store: embedded', () => {
  const newFolder = dataFolders();
  const held = (dir: string) =>
    readdirSync(dir).filter((file) => readFileSync(join(dir, file)).includes('top secret'));

  secretStoreContract(async () => openEmbeddedSecretStore(newFolder()));

  it('keeps them, and what was destroyed, when it is closed and opened again', async () => {
    const dir = newFolder();
    const before = openEmbeddedSecretStore(dir);
    await before.put('kept', bytes('one'));
    await before.put('gone', bytes('two'));
    await before.destroy('gone');
    await before.close();

    const store = openEmbeddedSecretStore(dir);
    expect(await store.get('kept')).to.deep.equal({ value: bytes('one'), version: 1 });
    expect(await store.get('gone')).to.equal(undefined);
    expect(await store.compareAndSet('gone', undefined, bytes('two'))).to.equal(undefined);
    await store.close();
  });

  for (const [how, end] of Object.entries({
    destroyed: (store: ReturnType<typeof openEmbeddedSecretStore>) => store.destroy('key'),
    replaced: (store: ReturnType<typeof openEmbeddedSecretStore>) => store.put('key', bytes('-')),
  })) {
    it(`leaves no byte of one that was ${how} in any file, also while it is open`, async () => {
      const dir = newFolder();
      const store = openEmbeddedSecretStore(dir);
      for (let n = 0; n < 40; n += 1) await store.put(`other ${String(n)}`, bytes('x'.repeat(900)));
      await store.put('key', bytes('top secret '.repeat(3000)));
      expect(held(dir)).to.not.deep.equal([]);

      await end(store);
      expect(held(dir)).to.deep.equal([]);
      await store.close();
    });
  }
});
