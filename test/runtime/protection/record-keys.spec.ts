import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { environmentKeyWrapping } from '#src/adapters/environment-key/key-wrapping.ts';
import { systemRandomBytes } from '#src/adapters/system.ts';
import { ACCESS_SCOPE } from '#src/kernel/access-scope.ts';
import { recordSecretName } from '#src/kernel/record-secret.ts';
import { Damaged, Unavailable } from '#src/ports/errors.ts';
import { KeyServiceUnavailable, type KeyWrapping } from '#src/ports/key-wrapping.ts';
import type { ProtectedRecord, RecordKeys } from '#src/ports/record-keys.ts';
import { Destroyed } from '#src/ports/secret-store.ts';
import { newUuid } from '#test/contracts/samples.ts';
import { newEnvironmentKey, protectionWorld } from '#test/support/protection.ts';

describe('record keys', () => {
  const newRecord = (): ProtectedRecord => ({
    tenantId: 'default',
    organizationId: newUuid(),
    recordId: newUuid(),
  });
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing',
      (error: unknown) => error,
    );
  const create = async (keys: RecordKeys, record: ProtectedRecord) => {
    const created = await keys.create(record, { tokens: [], claims: [] });
    if (created.taken !== undefined) throw new Error('taken');
    return created.key;
  };

  it('seals in one process what another opens', async () => {
    const { process } = protectionWorld();
    const record = newRecord();
    const sealed = (await create(process(), record)).seal('name', 'Ada');
    const key = await process().open(record);
    expect(key?.open('name', sealed)).to.equal('Ada');
  });

  it('stores the key wrapped before it hands it out', async () => {
    const { process, data } = protectionWorld();
    const record = newRecord();
    await create(process(), record);
    const stored = data.get(recordSecretName(record.organizationId, record.recordId));
    if (stored === undefined || stored === 'destroyed') throw new Error('nothing is stored');
    const secret = JSON.parse(Buffer.from(stored.value).toString()) as object;
    expect(secret).to.have.all.keys('tenantId', 'since', 'wrapped');
  });

  it('gives every record a key of its own', async () => {
    const keys = protectionWorld().process();
    const one = await create(keys, newRecord());
    const two = await create(keys, newRecord());
    expect(one.fingerprint('a')).to.not.equal(two.fingerprint('a'));
  });

  it('finds nothing for a record that never had a key', async () => {
    expect(await protectionWorld().process().open(newRecord())).to.equal(undefined);
  });

  it('destroys a key and its tokens for good', async () => {
    const { process, index } = protectionWorld();
    const keys = process();
    const record = newRecord();
    const [token] = await keys.tokens(record, [{ field: 'document', value: '1' }]);
    const claims = [{ token: token! }];
    await keys.create(record, { tokens: [token!], claims });
    await keys.destroy(record);
    await keys.destroy(record);

    for (const any of [keys, process()]) expect(await any.open(record)).to.equal(undefined);
    expect(await index.find(record.organizationId, token!, { limit: 1 })).to.deep.equal([]);
    expect(await index.holder(token!)).to.equal(undefined);
    const again = keys.create(record, { tokens: [token!], claims });
    expect(await failure(again)).to.be.instanceOf(Destroyed);
  });

  it('does not restore a key that is destroyed while it is being opened', async () => {
    const inner = newEnvironmentKey();
    let proceed = (): void => {};
    const wrapping: KeyWrapping = {
      ...inner,
      async unwrap(scope, wrapped) {
        await new Promise<void>((resolve) => (proceed = resolve));
        return inner.unwrap(scope, wrapped);
      },
    };
    const { process } = protectionWorld({ wrapping });
    const record = newRecord();
    await create(process(), record);
    const keys = process();
    const opening = keys.open(record);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await keys.destroy(record);
    proceed();
    await opening;
    expect(await keys.open(record)).to.equal(undefined);
  });

  it('says who holds a claimed token, and keeps nothing of the new record', async () => {
    const { process, secrets } = protectionWorld();
    const keys = process();
    const organizationId = newUuid();
    const [first, second] = [newRecord(), newRecord()].map((one) => ({ ...one, organizationId }));
    const [token] = await keys.tokens(first!, [{ field: 'document', value: '1' }]);
    await keys.create(first!, { tokens: [], claims: [{ token: token! }] });
    const created = await keys.create(second!, { tokens: [], claims: [{ token: token! }] });
    expect(created).to.deep.equal({ taken: { token, recordId: first!.recordId } });
    expect(await secrets.get(recordSecretName(organizationId, second!.recordId))).to.equal(
      undefined,
    );
    expect(await keys.open(second!)).to.equal(undefined);
  });

  it('makes equal tokens of equal values of a field in an organization, and only of those', async () => {
    const { process } = protectionWorld();
    const scope = newRecord();
    const values = [
      { field: 'document', value: '91315026015' },
      { field: 'document', value: '91315026015 ' },
      { field: 'iban', value: '91315026015' },
    ];
    const tokens = await process().tokens(scope, values);
    expect(await process().tokens(scope, values)).to.deep.equal(tokens);
    const others = [
      ...(await process().tokens({ ...scope, organizationId: newUuid() }, values)),
      ...(await process().tokens({ ...scope, tenantId: 'another' }, values)),
      ...(await protectionWorld().process().tokens(scope, values)),
    ];
    expect(new Set([...tokens, ...others]).size).to.equal(12);
    for (const token of tokens) expect(token).to.match(/^[\w-]{43}$/);
  });

  it('computes tokens as the contract says', async () => {
    const hashKey = new Uint8Array(32).fill(7);
    const organizationId = '0190a1c0-0000-7000-8000-000000000001' as ProtectedRecord['recordId'];
    const scope = { tenantId: 'default', organizationId };
    const [token] = await protectionWorld({ hashKey })
      .process()
      .tokens(scope, [{ field: 'document', value: '1' }]);
    // printf %s tenant:default:org:…:field:document:1 | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…
    expect(Buffer.from(token!, 'base64url').toString('hex')).to.equal(TOKEN_BY_OPENSSL);
  });

  it('refuses to work with another search key than the one of the stored tokens', async () => {
    const { process } = protectionWorld();
    await process().tokens(newRecord(), []);
    const error = await failure(process({ hashKey: randomBytes(32) }).tokens(newRecord(), []));
    expect(error).to.be.instanceOf(Damaged);
    expect(String(error)).to.include('CRM_HASH_SECRET_KEY');
  });

  it('makes a search key for each organization where the settings have none', async () => {
    const { process } = protectionWorld({ hashKey: undefined });
    const scope = newRecord();
    const values = [{ field: 'document', value: '1' }];
    const [[one], [two]] = await Promise.all([
      process().tokens(scope, values),
      process().tokens(scope, values),
    ]);
    expect(one).to.equal(two);
    expect(await process().tokens(scope, values)).to.deep.equal([one]);
    const keys = await process().provision(scope);
    expect(keys.prfPrimaryKeyId).to.not.equal(
      (await process().provision(newRecord())).prfPrimaryKeyId,
    );
  });

  it('provisions an organization with the same answer every time', async () => {
    const { process } = protectionWorld();
    const scope = newRecord();
    const keys = await process().provision(scope);
    expect(keys).to.have.all.keys('kekPath', 'aeadPrimaryKeyId', 'prfPrimaryKeyId');
    expect(keys.kekPath).to.equal('environment');
    expect(await process().provision(scope)).to.deep.equal(keys);
  });

  it('serves keys from memory for five minutes, and then asks again', async () => {
    let nowMs = 0;
    let unwrapped = 0;
    const inner = newEnvironmentKey();
    const wrapping: KeyWrapping = {
      ...inner,
      async unwrap(scope, wrapped) {
        unwrapped += 1;
        return inner.unwrap(scope, wrapped);
      },
    };
    const { process } = protectionWorld({ wrapping, scheduler: { elapsedMs: () => nowMs } });
    const record = newRecord();
    await create(process(), record);
    const keys = process();
    await Promise.all([keys.open(record), keys.open(record)]);
    nowMs = 5 * 60_000 - 1;
    await keys.open(record);
    expect(unwrapped).to.equal(1);
    nowMs = 5 * 60_000;
    await keys.open(record);
    expect(unwrapped).to.equal(2);
  });

  it('fails, and stores nothing, while the key service is down, and recovers', async () => {
    const inner = newEnvironmentKey();
    let isDown = true;
    const down = new KeyServiceUnavailable('sealed', {
      upstream: { code: '503', message: 'sealed' },
    });
    const wrapping: KeyWrapping = {
      ...inner,
      wrap: async (...args) => (isDown ? Promise.reject(down) : inner.wrap(...args)),
      unwrap: async (...args) => (isDown ? Promise.reject(down) : inner.unwrap(...args)),
    };
    const { process, data } = protectionWorld({ wrapping });
    const keys = process();
    const record = newRecord();
    expect(await failure(keys.create(record, { tokens: [], claims: [] }))).to.equal(down);
    expect([...data.keys()].filter((name) => name.startsWith('record/'))).to.deep.equal([]);
    expect(down).to.be.instanceOf(Unavailable);
    isDown = false;
    await create(keys, record);
    isDown = true;
    const other = process();
    expect(await failure(other.open(record))).to.equal(down);
    isDown = false;
    expect(await other.open(record)).to.not.equal(undefined);
  });

  it('wraps every key with the newest version, after which the replaced one is not needed', async () => {
    const [old, current] = [randomBytes(32), randomBytes(32)];
    const over = (newest: Uint8Array, previous: Uint8Array[] = []) =>
      environmentKeyWrapping({ current: newest, previous, randomBytes: systemRandomBytes });
    const { process, secrets } = protectionWorld({ wrapping: over(old) });
    await secrets.put('subscription/x', randomBytes(3));
    const records = [newRecord(), newRecord(), newRecord()];
    const sealed = [];
    for (const record of records) {
      sealed.push((await create(process(), record)).seal('name', record.recordId));
    }
    await process().destroy(records[2]!);

    const rotated = process({ wrapping: over(current, [old]) });
    const stop = new AbortController();
    expect(await rotated.rewrap(stop.signal)).to.equal(2);
    expect(await rotated.rewrap(stop.signal)).to.equal(0);
    const newest = process({ wrapping: over(current) });
    for (const n of [0, 1]) {
      const key = await newest.open(records[n]!);
      expect(key?.open('name', sealed[n]!)).to.equal(records[n]!.recordId);
    }
    expect(await newest.open(records[2]!)).to.equal(undefined);
    stop.abort();
    expect(await process({ wrapping: over(old, [current]) }).rewrap(stop.signal)).to.equal(0);
  });

  it('wraps search keys too, and continues past a key that it cannot read', async () => {
    const [old, current] = [randomBytes(32), randomBytes(32)];
    const over = (newest: Uint8Array, previous: Uint8Array[] = []) =>
      environmentKeyWrapping({ current: newest, previous, randomBytes: systemRandomBytes });
    const { process, secrets } = protectionWorld({ wrapping: over(old), hashKey: undefined });
    const [lost, record] = [newRecord(), newRecord()];
    const values = [{ field: 'document', value: '1' }];
    await create(process(), lost);
    await create(process(), record);
    const tokens = await process().tokens(record, values);
    const name = recordSecretName(lost.organizationId, lost.recordId);
    const { version, value } = (await secrets.get(name))!;
    const damaged = Buffer.from(value)
      .toString()
      .replace(/.{6}"}$/, 'AAAAAA"}');
    await secrets.compareAndSet(name, version, Buffer.from(damaged));

    const rotated = process({ wrapping: over(current, [old]), hashKey: undefined });
    const error = await failure(rotated.rewrap(new AbortController().signal));
    expect(error).to.be.instanceOf(Damaged).with.property('message').that.includes(name);
    const newest = process({ wrapping: over(current), hashKey: undefined });
    expect(await newest.tokens(record, values)).to.deep.equal(tokens);
    expect(await newest.open(record)).to.not.equal(undefined);
  });

  it('has a search key for the users of each tenant, whose scope has the same name', async () => {
    const [old, current] = [randomBytes(32), randomBytes(32)];
    const over = (newest: Uint8Array, previous: Uint8Array[] = []) =>
      environmentKeyWrapping({ current: newest, previous, randomBytes: systemRandomBytes });
    const { process, data } = protectionWorld({ wrapping: over(old), hashKey: undefined });
    const tenants = ['default', 'acme', 'beta'];
    const values = [{ field: 'username', value: 'ana' }];
    const tokensWith = (keys: RecordKeys) =>
      Promise.all(
        tenants.map((tenantId) => keys.tokens({ tenantId, organizationId: ACCESS_SCOPE }, values)),
      );
    const tokens = await tokensWith(process());
    expect(new Set(tokens.flat()).size).to.equal(3);
    for (const tenantId of tenants) {
      await create(process(), { ...newRecord(), tenantId, organizationId: ACCESS_SCOPE });
    }
    expect([...data.keys()].filter((name) => name.startsWith('search-key/'))).to.have.members([
      ...[`search-key/${ACCESS_SCOPE}`, `search-key/${ACCESS_SCOPE}/acme`],
      `search-key/${ACCESS_SCOPE}/beta`,
    ]);
    const rotated = process({ wrapping: over(current, [old]), hashKey: undefined });
    expect(await rotated.rewrap(new AbortController().signal)).to.equal(6);
    const newest = process({ wrapping: over(current), hashKey: undefined });
    expect(await tokensWith(newest)).to.deep.equal(tokens);
  });

  it('lists the records that have a key', async () => {
    const { process, secrets } = protectionWorld();
    const keys = process();
    const records = [newRecord(), newRecord(), newRecord()];
    await secrets.put('subscription/x', randomBytes(3));
    for (const record of records) await create(keys, record);
    await keys.destroy(records[1]!);
    const listed = [];
    for await (const { since, ...record } of keys.list()) {
      expect(since).to.match(/^2\d{3}-.*Z$/);
      listed.push(record);
    }
    expect(listed).to.have.deep.members([records[0], records[2]]);
  });
});

const TOKEN_BY_OPENSSL = '405d780b8a0ae158274a4b044a1c4d060e0e6894f448d45257d3fad908b224f4';
