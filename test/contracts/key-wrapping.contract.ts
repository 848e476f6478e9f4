import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Damaged } from '#src/ports/errors.ts';
import type { KeyScope, KeyWrapping } from '#src/ports/key-wrapping.ts';
import { newUuid } from './samples.ts';

export type OpenWrapping = Readonly<{
  wrapping: KeyWrapping;
  /** Makes a new version primary; returns a client of it. Earlier versions stay readable. */
  rotate(scope: KeyScope): Promise<KeyWrapping>;
  /** Ends earlier versions; returns a client that has only the newest. */
  forget(scope: KeyScope): Promise<KeyWrapping>;
}>;

/** Every adapter that wraps data keys keeps these promises. */
export function keyWrappingContract(open: () => Promise<OpenWrapping>): void {
  let opened: OpenWrapping;
  let wrapping: KeyWrapping;
  let scope: KeyScope;

  beforeEach(async () => {
    opened = await open();
    ({ wrapping } = opened);
    scope = newScope();
  });
  afterEach(() => wrapping.close());

  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing',
      (error: unknown) => error,
    );

  it('unwraps the very bytes that it wrapped', async () => {
    for (const length of [1, 16, 32, 64]) {
      const key = new Uint8Array(randomBytes(length));
      expect(await wrapping.unwrap(scope, await wrapping.wrap(scope, key))).to.deep.equal(key);
    }
  });

  it('shows nothing of a key in its wrapping, and wraps it differently each time', async () => {
    const key = randomBytes(32);
    const [one, two] = [await wrapping.wrap(scope, key), await wrapping.wrap(scope, key)];
    expect(one).to.not.equal(two);
    for (const form of ['hex', 'base64', 'base64url', 'latin1'] as const) {
      expect(one).to.not.include(key.toString(form));
    }
  });

  it('provisions an organization once and names its key', async () => {
    const first = await wrapping.provision(scope);
    expect(first.path).to.be.a('string').and.not.equal('');
    expect(first.keyId).to.be.a('string').and.not.equal('');
    await wrapping.wrap(scope, randomBytes(32));
    expect(await wrapping.provision(scope)).to.deep.equal(first);
  });

  it('provisions by many calls at once what one call would', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => wrapping.provision(scope)));
    expect(new Set(all.map((one) => JSON.stringify(one)))).to.have.property('size', 1);
  });

  it('opens nothing for another organization or tenant', async () => {
    const wrapped = await wrapping.wrap(scope, randomBytes(32));
    for (const other of [newScope(), { ...scope, tenantId: 'another' }]) {
      await wrapping.provision(other);
      expect(await failure(wrapping.unwrap(other, wrapped))).to.be.instanceOf(Damaged);
      expect(await failure(wrapping.rewrap(other, wrapped))).to.be.instanceOf(Damaged);
    }
  });

  it('opens nothing in which a byte has changed', async () => {
    const wrapped = await wrapping.wrap(scope, randomBytes(32));
    for (let at = 0; at < wrapped.length; at += 1) {
      const other = wrapped[at] === 'A' ? 'B' : 'A';
      const altered = wrapped.slice(0, at) + other + wrapped.slice(at + 1);
      expect(await failure(wrapping.unwrap(scope, altered)), altered).to.be.instanceOf(Damaged);
    }
    for (const broken of ['', ':', 'environment', 'vault:v1:', `${wrapped}A`, `${wrapped}:`]) {
      expect(await failure(wrapping.unwrap(scope, broken)), broken).to.be.instanceOf(Damaged);
    }
  });

  it('reads earlier versions after a rotation, and wraps with the newest', async () => {
    const key = new Uint8Array(randomBytes(32));
    const before = await wrapping.provision(scope);
    const old = await wrapping.wrap(scope, key);
    expect(await wrapping.rewrap(scope, old)).to.equal(undefined);

    const rotated = await opened.rotate(scope);
    const after = await rotated.provision(scope);
    expect(after.path).to.equal(before.path);
    expect(after.keyId).to.not.equal(before.keyId);
    expect(await rotated.unwrap(scope, old)).to.deep.equal(key);

    const rewrapped = (await rotated.rewrap(scope, old))!;
    expect(await rotated.unwrap(scope, rewrapped)).to.deep.equal(key);
    expect(await rotated.rewrap(scope, rewrapped)).to.equal(undefined);
    expect(await rotated.rewrap(scope, await rotated.wrap(scope, key))).to.equal(undefined);

    const newest = await opened.forget(scope);
    expect(await newest.unwrap(scope, rewrapped)).to.deep.equal(key);
    expect(await failure(newest.unwrap(scope, old))).to.be.instanceOf(Damaged);
    await Promise.all([rotated.close(), newest.close()]);
  });

  it('tells nothing of a key in its errors', async () => {
    const key = randomBytes(32);
    const wrapped = await wrapping.wrap(scope, key);
    const error = (await failure(wrapping.unwrap(newScope(), wrapped))) as Error;
    expect(`${error.message} ${String(error.stack)}`).to.not.include(key.toString('base64'));
  });
}

const newScope = (): KeyScope => ({ tenantId: 'default', organizationId: newUuid() });
