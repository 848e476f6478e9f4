import { expect } from 'chai';
import {
  createSecretKeeper,
  destroyUnusedSecrets,
} from '#commands/streaming/processes/signing-secrets.ts';
import { systemRandomBytes, systemScheduler } from '#src/adapters/system.ts';
import type { JournalFact } from '#src/kernel/decider.ts';
import { formatInstant, parseInstant, type Micros } from '#src/kernel/instant.ts';
import { parseSecrets, secretsAt, signingSecretName } from '#src/kernel/signing-secret.ts';
import { memorySecretStore } from '#test/doubles/memory/secret-store.ts';
import { NOW, nthId } from '#test/support/stamps.ts';

const HOUR = 3600 * 1_000_000;
const id = nthId(1);

describe('signing secrets', () => {
  let now: Micros;
  let store: ReturnType<typeof memorySecretStore>;
  const clock = { now: () => now };
  const keeper = createSecretKeeper({
    secrets: () => Promise.resolve(store),
    clock,
    randomBytes: systemRandomBytes,
  });
  beforeEach(() => {
    now = parseInstant(NOW);
    store = memorySecretStore(systemScheduler);
  });
  const signing = async (): Promise<string[]> => {
    const { value } = (await store.get(signingSecretName(id)))!;
    return secretsAt(parseSecrets(value), formatInstant(now));
  };

  it('are 32 random bytes after a prefix', async () => {
    const secret = await keeper.create('default', id);
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).to.have.length(32);
    expect(await keeper.create('default', nthId(2))).not.to.equal(secret);
    expect(await keeper.current(id)).to.equal(secret);
  });

  it('sign for 24 hours after they were replaced', async () => {
    const first = await keeper.create('default', id);
    const second = await keeper.replace('default', id);
    expect(await signing()).to.deep.equal([second, first]);
    now = (now + 24 * HOUR - 1) as Micros;
    expect(await signing()).to.deep.equal([second, first]);
    now = (now + 1) as Micros;
    expect(await signing()).to.deep.equal([second]);
  });

  it('all sign when they are replaced again within that time, and are then dropped', async () => {
    const first = await keeper.create('default', id);
    now = (now + HOUR) as Micros;
    const second = await keeper.replace('default', id);
    now = (now + HOUR) as Micros;
    const third = await keeper.replace('default', id);
    expect(await signing()).to.deep.equal([third, second, first]);
    now = (now + 23 * HOUR) as Micros;
    expect(await signing()).to.deep.equal([third, second]);
    await keeper.replace('default', id);
    expect(Buffer.from((await store.get(signingSecretName(id)))!.value).toString()).not.to.contain(
      first,
    );
  });

  it('are ten at most', async () => {
    await keeper.create('default', id);
    for (let n = 0; n < 20; n += 1) await keeper.replace('default', id);
    expect(await signing()).to.have.length(10);
  });

  it('are none lost when several are replaced at once', async () => {
    const first = await keeper.create('default', id);
    const replaced = await Promise.all(
      Array.from({ length: 5 }, () => keeper.replace('default', id)),
    );
    expect(await signing()).to.have.members([first, ...replaced]);
  });

  it('are made anew where a restored folder lacks them', async () => {
    const secret = await keeper.replace('default', id);
    expect(await signing()).to.deep.equal([secret]);
  });

  it('cannot be replaced once destroyed', async () => {
    await keeper.create('default', id);
    await keeper.destroy(id);
    expect([await keeper.replace('default', id), await keeper.current(id)]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('without a subscription in the journal of their tenant are destroyed after an hour', async () => {
    const [live, left, young] = [nthId(1), nthId(2), nthId(3)];
    await store.put('token', Buffer.from('another'));
    await keeper.create('acme', live);
    await keeper.create('acme', left);
    now = (now + HOUR + 1) as Micros;
    await keeper.create('acme', young);
    const asked = new Set<string>();
    const fact = (journal: string, tenantId: string) => {
      asked.add(`${journal} of ${tenantId}`);
      const known = { live: true, revision: 1, isSigned: (one: string) => one === live };
      return Promise.resolve<JournalFact>(known);
    };
    expect(await destroyUnusedSecrets(store, { fact }, clock)).to.equal(1);
    expect([...asked]).to.deep.equal(['streaming-acme of acme']);
    const names = [];
    for await (const { name } of store.list()) names.push(name);
    expect(names).to.have.members(['token', signingSecretName(live), signingSecretName(young)]);
  });

  it('of a tenant without a journal are destroyed, and none without a store', async () => {
    await keeper.create('acme', id);
    now = (now + 2 * HOUR) as Micros;
    const fact = () => Promise.resolve(undefined);
    expect(await destroyUnusedSecrets(store, { fact }, clock)).to.equal(1);
    expect(await destroyUnusedSecrets(undefined, { fact }, clock)).to.equal(0);
  });
});
