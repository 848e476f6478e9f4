import { argon2Sync } from 'node:crypto';
import { expect } from 'chai';
import {
  systemClock,
  systemIds,
  systemRandomBytes,
  systemScheduler,
} from '#src/adapters/system.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { createCredentials } from '#src/runtime/access/credentials.ts';
import { hashPassword, isOutdated, isPassword } from '#src/runtime/access/password-hash.ts';
import { memorySecretStore, type MemorySecretData } from '#test/doubles/memory/secret-store.ts';

const userOf = (id: Uuid, tenantId = 'default') => ({ id, tenantId });
const clientOf = (clientId: string, tenantId = 'default') => ({ clientId, tenantId });

describe('credentials', function () {
  this.timeout(60_000);
  const ids = systemIds();
  const world = () => {
    const data: MemorySecretData = new Map();
    const secrets = memorySecretStore(systemScheduler, data);
    const sources = { clock: systemClock, randomBytes: systemRandomBytes };
    return {
      data,
      secrets,
      credentials: createCredentials({ ...sources, secrets: async () => secrets }),
    };
  };

  it('hash by argon2id, as its reference does', async () => {
    const phc = await hashPassword('correct horse', systemRandomBytes);
    expect(phc).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await isPassword('correct horse', phc)).to.equal(true);
    expect(await isPassword('correct horsf', phc)).to.equal(false);
    // From the command line tool of the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
    const reference =
      '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await isPassword('password', reference)).to.equal(true);
    expect([isOutdated(phc), isOutdated(reference)]).to.deep.equal([false, true]);
  });

  it('tell a right password from a wrong one and from that of nobody', async () => {
    const { credentials, data } = world();
    const id = ids.next();
    await credentials.setPassword(userOf(id), 'Correct-Horse-7', id);
    expect(await credentials.verifyPassword(id, 'Correct-Horse-7')).to.equal(true);
    expect(await credentials.verifyPassword(id, 'Correct-Horse-8')).to.equal(false);
    expect(await credentials.verifyPassword(undefined, 'Correct-Horse-7')).to.equal(false);
    expect(await credentials.verifyPassword(ids.next(), 'the password of nobody')).to.equal(false);
    await credentials.destroyPassword(id);
    expect(await credentials.verifyPassword(id, 'Correct-Horse-7')).to.equal(false);
    expect([...data.values()]).to.deep.equal(['destroyed']);
  });

  it('take equally long for a user who does not exist', async () => {
    const { credentials } = world();
    const id = ids.next();
    await credentials.setPassword(userOf(id), 'Correct-Horse-7', id);
    const cpuOf = async (userId: typeof id | undefined): Promise<number> => {
      const from = process.cpuUsage();
      for (let n = 0; n < 10; n += 1) await credentials.verifyPassword(userId, 'Wrong-Horse-77');
      const { user, system } = process.cpuUsage(from);
      return user + system;
    };
    await cpuOf(undefined);
    const [wrong, nobody] = [await cpuOf(id), await cpuOf(undefined)];
    expect(nobody / wrong).to.be.within(0.5, 2);
  });

  it('replace a hash of another cost at the next login, as the same change', async () => {
    const { credentials, secrets } = world();
    const id = ids.next();
    const salt = Buffer.from('0123456789abcdef');
    const cheap = { message: 'Correct-Horse-7', nonce: salt, tagLength: 32, memory: 64, passes: 1, parallelism: 1 }; // prettier-ignore
    const [saltText, hashText] = [salt, argon2Sync('argon2id', cheap)].map((bytes) =>
      bytes.toString('base64').replace(/=+$/, ''),
    );
    const hash = `$argon2id$v=19$m=64,t=1,p=1$${saltText!}$${hashText!}`;
    await secrets.put(`password/${id}`, Buffer.from(JSON.stringify({ hash, changeId: id })));
    expect(await credentials.verifyPassword(id, 'Wrong-Horse-77')).to.equal(false);
    expect(await credentials.password(id)).to.deep.equal({ changeId: id, version: 1 });
    expect(await credentials.verifyPassword(id, 'Correct-Horse-7')).to.equal(true);
    expect(await credentials.password(id)).to.deep.equal({ changeId: id, version: 2 });
    const text = Buffer.from((await secrets.get(`password/${id}`))!.value).toString();
    expect(text).to.contain('m=19456');
    expect(await credentials.verifyPassword(id, 'Correct-Horse-7')).to.equal(true);
  });

  it('replace a password only if nobody else has', async () => {
    const { credentials } = world();
    const [id, one, other] = [ids.next(), ids.next(), ids.next()];
    await credentials.setPassword(userOf(id), 'Correct-Horse-7', id);
    const { version } = (await credentials.password(id))!;
    expect(await credentials.setPassword(userOf(id), 'First-Horse-7', one, version)).to.equal(true);
    expect(await credentials.setPassword(userOf(id), 'Second-Horse-7', other, version)).to.equal(
      false,
    );
    expect(await credentials.verifyPassword(id, 'First-Horse-7')).to.equal(true);
    expect(await credentials.password(id)).to.include({ changeId: one });
  });

  it('check many passwords in turn, and refuse what waits in too long a line', async () => {
    const { credentials } = world();
    const results = await Promise.allSettled(
      Array.from({ length: 80 }, () => credentials.verifyPassword(undefined, 'Wrong-Horse-77')),
    );
    const done = results.filter(({ status }) => status === 'fulfilled').length;
    expect(done).to.be.within(50, 53);
    expect(await credentials.verifyPassword(undefined, 'Wrong-Horse-77')).to.equal(false);
  });

  it('know a client by its secret, of which they keep a hash', async () => {
    const { credentials, data } = world();
    const secret = (await credentials.createSecret(clientOf('client-1')))!;
    expect(secret).to.match(/^[0-9a-f]{64}$/);
    expect(await credentials.createSecret(clientOf('client-2'), 'chosen')).to.equal('chosen');
    expect(await credentials.verifySecret('client-1', secret)).to.equal('default');
    for (const wrong of ['', 'chosen', `${secret}0`, secret.slice(1)]) {
      expect(await credentials.verifySecret('client-1', wrong)).to.equal(undefined);
    }
    expect(await credentials.verifySecret('client-3', secret)).to.equal(undefined);
    const bytes = [...data.values()].map((one) =>
      one === 'destroyed' ? one : Buffer.from(one.value),
    );
    expect(bytes.join()).to.not.contain(secret).and.not.contain('chosen');
    await credentials.destroySecret('client-1');
    expect(await credentials.verifySecret('client-1', secret)).to.equal(undefined);
  });

  it('are of one tenant: a client id of another one is taken, for good once it was deleted', async () => {
    const { credentials, data } = world();
    const client = clientOf('client-1', 'acme');
    const secret = (await credentials.createSecret(client))!;
    expect(await credentials.createSecret(clientOf('client-1', 'beta'), 'theirs')).to.equal(
      undefined,
    );
    expect(await credentials.createSecret(clientOf('client-1'), 'theirs')).to.equal(undefined);
    expect(await credentials.verifySecret('client-1', 'theirs')).to.equal(undefined);
    expect(await credentials.verifySecret('client-1', secret)).to.equal('acme');
    expect(await credentials.createSecret(client, 'again')).to.equal('again');
    expect(await credentials.verifySecret('client-1', 'again')).to.equal('acme');
    const id = ids.next();
    await credentials.setPassword(userOf(id, 'beta'), 'Correct-Horse-7', id);
    const own = ids.next();
    await credentials.setPassword(userOf(own), 'Correct-Horse-7', own);
    const owners = await Array.fromAsync(credentials.list());
    expect(owners.map(({ of, tenantId }) => [of, tenantId])).to.have.deep.members([
      ...[['client', 'acme'], ['user', 'beta'], ['user', 'default']], // prettier-ignore
    ]);
    const stored = data.get(`password/${own}`);
    if (stored === undefined || stored === 'destroyed') throw new Error('It has a password');
    expect(Object.keys(JSON.parse(Buffer.from(stored.value).toString()) as object)).to.deep.equal([
      ...['hash', 'changeId'], // As in deployments of one tenant.
    ]);
    await credentials.destroySecret('client-1');
    expect(await credentials.createSecret(client)).to.equal(undefined);
  });
});
