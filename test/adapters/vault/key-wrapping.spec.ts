import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { VaultLogin } from '#src/adapters/vault/session.ts';
import { vaultKeyWrapping } from '#src/adapters/vault/key-wrapping.ts';
import { systemScheduler } from '#src/adapters/system.ts';
import { KeyServiceUnavailable, type KeyScope } from '#src/ports/key-wrapping.ts';
import { keyWrappingContract } from '#test/contracts/key-wrapping.contract.ts';
import { newUuid } from '#test/contracts/samples.ts';
import { startVaultDouble, type VaultDouble } from '#test/doubles/vault/start.ts';

describe('key wrapping: Vault (a double of its transit engine)', () => {
  let vault: VaultDouble;
  beforeEach(async () => {
    vault = await startVaultDouble();
  });
  afterEach(() => vault.stop());

  const role = (): VaultLogin => ({
    method: 'approle',
    roleId: vault.roleId,
    secretId: vault.secretId,
  });
  const open = (login = role(), scheduler: { elapsedMs(): number } = systemScheduler) =>
    vaultKeyWrapping({ url: vault.url, login, scheduler });
  const newScope = (tenantId = 'default'): KeyScope => ({ tenantId, organizationId: newUuid() });
  const keyOf = (scope: KeyScope) => ['transit-st', `org-${scope.organizationId}`] as const;
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing',
      (error: unknown) => error,
    );
  const count = (part: string) => vault.calls.filter((call) => call.includes(part)).length;

  keyWrappingContract(async () => ({
    wrapping: open(),
    async rotate(scope) {
      vault.rotate(...keyOf(scope));
      return open();
    },
    async forget(scope) {
      vault.forget(...keyOf(scope));
      return open();
    },
  }));

  it('names the mount and the key by tenant and organization', async () => {
    const [single, multiple] = [newScope(), newScope('bank')];
    expect((await open().provision(single)).path).to.equal(
      `transit-st/keys/org-${single.organizationId}`,
    );
    expect((await open().provision(multiple)).path).to.equal(
      `transit-mt/keys/bank_org-${multiple.organizationId}`,
    );
  });

  it('creates the key of an organization on first use, once', async () => {
    const wrapping = open();
    const scope = newScope();
    await Promise.all([1, 2, 3].map(() => wrapping.wrap(scope, randomBytes(32))));
    expect(count('POST transit-st/keys/')).to.equal(1);
    expect(count('POST transit-st/encrypt/')).to.equal(3);
  });

  it('works with a given token and never logs in', async () => {
    const wrapping = open({ method: 'token', token: vault.rootToken });
    await wrapping.wrap(newScope(), randomBytes(32));
    expect(count('auth/')).to.equal(0);
  });

  it('logs in once for many calls', async () => {
    const wrapping = open();
    await Promise.all([1, 2, 3].map(() => wrapping.wrap(newScope(), randomBytes(32))));
    expect(count('auth/approle/login')).to.equal(1);
  });

  it('renews its token before it ends', async () => {
    let nowMs = 0;
    vault.lease(900);
    const wrapping = open(role(), { elapsedMs: () => nowMs });
    const scope = newScope();
    await wrapping.provision(scope);
    nowMs = 599_000;
    await wrapping.provision(scope);
    expect(count('renew-self')).to.equal(0);
    nowMs = 601_000;
    await Promise.all([1, 2, 3].map(() => wrapping.provision(scope)));
    expect(count('renew-self')).to.equal(1);
    expect(count('approle/login')).to.equal(1);
  });

  for (const [what, change] of Object.entries({
    'cannot be renewed': () => vault.lease(900, false),
    'was revoked': () => vault.revokeTokens(),
  })) {
    it(`logs in again when its token ${what}`, async () => {
      let nowMs = 0;
      vault.lease(900);
      const wrapping = open(role(), { elapsedMs: () => nowMs });
      await wrapping.provision(newScope());
      change();
      nowMs = 601_000;
      const key = new Uint8Array(randomBytes(32));
      const scope = newScope();
      expect(await wrapping.unwrap(scope, await wrapping.wrap(scope, key))).to.deep.equal(key);
      expect(count('approle/login')).to.equal(2);
    });
  }

  it('logs in again at once when a call shows that its token is gone', async () => {
    const wrapping = open();
    await wrapping.provision(newScope());
    vault.revokeTokens();
    await Promise.all([1, 2, 3].map(() => wrapping.provision(newScope())));
    expect(count('approle/login')).to.equal(2);
  });

  it('passes on what Vault reports, and recovers', async () => {
    const wrapping = open();
    const scope = newScope();
    const wrapped = await wrapping.wrap(scope, randomBytes(32));
    vault.fail({ status: 503, body: '{"errors":["Vault is sealed"]}' });
    for (const work of [
      wrapping.wrap(scope, randomBytes(32)),
      wrapping.unwrap(scope, wrapped),
      wrapping.provision(newScope()),
    ]) {
      const error = await failure(work);
      expect(error).to.be.instanceOf(KeyServiceUnavailable);
      expect(error).to.have.deep.property('upstream', { code: '503', message: 'Vault is sealed' });
    }
    vault.fail(undefined);
    expect(await wrapping.unwrap(scope, wrapped)).to.have.length(32);
    await wrapping.provision(newScope());
  });

  for (const [what, reply] of Object.entries({
    'an HTML page': { status: 502, body: '<html>Bad gateway</html>' },
    'JSON of another shape': { status: 200, body: '{"data":{"ciphertext":7,"plaintext":7}}' },
    'a list': { status: 200, body: '[]' },
    'the text null': { status: 200, body: 'null' },
    nothing: { status: 500, body: '' },
    'a long message': { status: 429, body: JSON.stringify({ errors: ['x'.repeat(5000)] }) },
  })) {
    it(`counts ${what} as unavailable`, async () => {
      const wrapping = open();
      const scope = newScope();
      const wrapped = await wrapping.wrap(scope, randomBytes(32));
      vault.fail(reply);
      for (const work of [
        wrapping.wrap(scope, randomBytes(32)),
        wrapping.unwrap(scope, wrapped),
        wrapping.rewrap(scope, wrapped),
        wrapping.provision(scope),
      ]) {
        const error = await failure(work);
        expect(error).to.be.instanceOf(KeyServiceUnavailable);
        const { upstream } = error as KeyServiceUnavailable;
        expect((upstream?.message ?? '').length).to.be.at.most(256);
        expect(String(error)).to.not.include('<html>');
      }
    });
  }

  it('has no upstream where nobody responds', async () => {
    const wrapping = open();
    await vault.stop();
    const error = await failure(wrapping.wrap(newScope(), randomBytes(32)));
    expect(error).to.be.instanceOf(KeyServiceUnavailable);
    expect(error).to.have.property('upstream', undefined);
    vault = await startVaultDouble();
  });

  it('is refused with wrong credentials, which no error repeats', async () => {
    const login: VaultLogin = { method: 'approle', roleId: vault.roleId, secretId: 'hunter2' };
    const error = await failure(open(login).wrap(newScope(), randomBytes(32)));
    expect(error).to.be.instanceOf(KeyServiceUnavailable);
    expect(error).to.have.deep.property('upstream', {
      code: '400',
      message: 'invalid role or secret ID',
    });
    expect(String((error as Error).stack)).to.not.include('hunter2');
    const byToken = open({ method: 'token', token: 'hvs.wrong' });
    expect(await failure(byToken.provision(newScope()))).to.have.nested.property(
      'upstream.code',
      '403',
    );
  });

  it('carries its token nowhere else', async () => {
    const seen: unknown[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers['x-vault-token']);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const redirecting = createServer((request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${port}${request.url ?? ''}` }).end();
    }).listen(0, '127.0.0.1');
    await once(redirecting, 'listening');
    const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    const login: VaultLogin = { method: 'token', token: 'hvs.x' };
    const wrapping = vaultKeyWrapping({ url, login, scheduler: systemScheduler });
    expect(await failure(wrapping.provision(newScope()))).to.be.instanceOf(KeyServiceUnavailable);
    expect(seen).to.deep.equal([]);
    for (const server of [other, redirecting]) {
      server.closeAllConnections();
      server.close();
    }
  });
});
