import { expect } from 'chai';
import { Destroyed, type SecretStore } from '#src/ports/secret-store.ts';
import { newName } from './samples.ts';

/** What every secret store promises. */
export function secretStoreContract(open: () => Promise<SecretStore>): void {
  let store: SecretStore;
  let name: string;

  beforeEach(async () => {
    store = await open();
    name = newName();
  });
  afterEach(() => store.close());

  const text = async (of = name) => {
    const secret = await store.get(of);
    return secret && Buffer.from(secret.value).toString();
  };

  it('has nothing under a name that was never used', async () => {
    expect(await store.get(name)).to.equal(undefined);
  });

  it('gives back the very bytes, whatever they are', async () => {
    const value = Uint8Array.from({ length: 256 }, (_, n) => n);
    await store.put(name, value);
    expect(await store.get(name)).to.deep.equal({ value, version: 1 });
    await store.put(name, new Uint8Array());
    expect(await store.get(name)).to.deep.equal({ value: new Uint8Array(), version: 2 });
  });

  it('keeps what it was given, not what becomes of it later', async () => {
    const value = bytes('one');
    await store.put(name, value);
    value.fill(0);
    (await store.get(name))?.value.fill(0);
    expect(await text()).to.equal('one');
  });

  it('counts every change', async () => {
    expect(await store.put(name, bytes('one'))).to.equal(1);
    expect(await store.put(name, bytes('two'))).to.equal(2);
    expect(await store.compareAndSet(name, 2, bytes('three'))).to.equal(3);
    expect(await store.get(name)).to.deep.equal({ value: bytes('three'), version: 3 });
  });

  it('writes only over what was expected', async () => {
    expect(await store.compareAndSet(name, 1, bytes('one'))).to.equal(undefined);
    expect(await store.compareAndSet(name, undefined, bytes('one'))).to.equal(1);
    expect(await store.compareAndSet(name, undefined, bytes('two'))).to.equal(undefined);
    expect(await store.compareAndSet(name, 2, bytes('two'))).to.equal(undefined);
    expect(await text()).to.equal('one');
  });

  it('lets exactly one of two win that expect the same', async () => {
    for (const expected of [undefined, 1]) {
      const races = ['a', 'b'].map((what) => store.compareAndSet(name, expected, bytes(what)));
      const won = (await Promise.all(races)).filter((version) => version !== undefined);
      expect(won).to.deep.equal([(expected ?? 0) + 1]);
    }
  });

  it('takes every one of many puts at once', async () => {
    const puts = Array.from({ length: 8 }, (_, n) => store.put(name, bytes(String(n))));
    const versions = (await Promise.all(puts)).sort((a, b) => a - b);
    expect(versions).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('never gives back what was destroyed, nor its name', async () => {
    await store.put(name, bytes('one'));
    await store.destroy(name);
    await store.destroy(name);

    expect(await store.get(name)).to.equal(undefined);
    for (const expected of [undefined, 0, 1, 2]) {
      expect(await store.compareAndSet(name, expected, bytes('two'))).to.equal(undefined);
    }
    const refusal = await store.put(name, bytes('two')).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(Destroyed);
    expect(String(refusal)).to.include(name).and.not.include('two');
    expect(await store.get(name)).to.equal(undefined);
  });

  it('takes a name that was destroyed before it was used', async () => {
    await store.destroy(name);
    expect(await store.compareAndSet(name, undefined, bytes('late'))).to.equal(undefined);
  });

  it('lists all that live, in any number', async () => {
    const names = Array.from({ length: 250 }, (_, n) => `${name}-${String(n)}`);
    for (const one of names) await store.put(one, bytes(one));
    await store.destroy(names[7]!);

    const listed = new Map<string, string>();
    for await (const { name: found, secret } of store.list()) {
      if (!found.startsWith(name)) continue; // Another test's.
      listed.set(found, `${Buffer.from(secret.value).toString()} ${String(secret.version)}`);
    }
    const living = names.filter((_, n) => n !== 7);
    expect(Object.fromEntries(listed)).to.deep.equal(
      Object.fromEntries(living.map((one) => [one, `${one} 1`])),
    );
  });

  it('lists the names of all that were destroyed, and no others', async () => {
    const names = Array.from({ length: 250 }, (_, n) => `${name}-${String(n)}`);
    for (const [n, one] of names.entries()) {
      if (n % 2 === 0) await store.put(one, bytes(one));
      if (n % 5 !== 1) await store.destroy(one);
    }

    const listed: string[] = [];
    for await (const found of store.listDestroyed()) {
      if (found.startsWith(name)) listed.push(found);
    }
    expect(listed.sort()).to.deep.equal(names.filter((_, n) => n % 5 !== 1).sort());
  });
}

export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
