import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { systemScheduler } from '#src/adapters/system.ts';
import { openDeliveryTargets } from '#src/bootstrap/delivery-targets.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { formatSecrets, signingSecretName } from '#src/kernel/signing-secret.ts';
import type { DeliveryOutcome, DeliveryTarget } from '#src/ports/delivery-target.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import { memorySecretStore } from '#test/doubles/memory/secret-store.ts';
import { messageTo, recordsOf, SUBSCRIPTION, subscriptionTo } from '#test/support/deliveries.ts';
import { freePort } from '#test/support/free-port.ts';
import { until } from '#test/support/until.ts';

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
const OTHER = 'whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=';
const page = readFileSync(resolve(import.meta.dirname, '..', '..', 'docs', 'webhooks.md'), 'utf8');

describe('the receiver of docs/webhooks.md', function () {
  this.timeout(20_000);
  const folder = mkdtempSync(join(tmpdir(), 'quipu-webhooks-'));
  let receiver: ChildProcess;
  let port: number;
  let printed = '';
  let target: DeliveryTarget;
  let secrets: SecretStore;

  const sent = (n: number, atMs?: number): Promise<DeliveryOutcome> => {
    const subscription = subscriptionTo({
      ...{ kind: 'webhook', url: `http://127.0.0.1:${port}/`, timeoutMs: 5000 },
    });
    const message = messageTo(subscription, recordsOf(n)[0], atMs);
    return target.send(message, new AbortController().signal);
  };
  const sign = async (current: string, previous?: string): Promise<void> => {
    const stored = {
      tenantId: 'default',
      current: { secret: current, since: '2026-01-01T00:00:00.000000Z' as Instant },
      ...(previous !== undefined && {
        previous: { secret: previous, until: '2999-01-01T00:00:00.000000Z' as Instant },
      }),
    };
    await secrets.put(signingSecretName(SUBSCRIPTION), formatSecrets(stored));
  };

  beforeEach(async () => {
    const [, code = ''] = /^```js\n([^]*?)^```$/m.exec(page) ?? [];
    writeFileSync(join(folder, 'receiver.mjs'), code);
    port = await freePort();
    printed = '';
    receiver = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
      env: { WEBHOOK_SECRET: SECRET, PORT: String(port) },
    });
    receiver.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    receiver.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until(() => isListening(port), 10_000, 'the receiver listens');
    secrets = memorySecretStore(systemScheduler);
    target = openDeliveryTargets({
      ...{ allowedCidrs: ['127.0.0.0/8'], credentials: {}, clientId: 'quipu-test' },
      ...{ secrets: async () => secrets, scheduler: systemScheduler },
    });
  });
  afterEach(async () => {
    await target.close();
    receiver.kill();
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('takes each event once', async () => {
    await sign(SECRET);
    for (const n of [1, 2, 1, 1]) {
      expect(await sent(n)).to.deep.equal({ is: 'delivered', statusCode: 204 });
    }
    await until(() => printed.split('\n').length === 3, 5000, 'two events are printed');
    const events = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string });
    expect(events.map(({ id }) => id)).to.deep.equal(
      [1, 2].map((n) => recordsOf(n)[0]?.headers['ce-id']),
    );
  });

  it('accepts the old secret while both sign', async () => {
    await sign(OTHER, SECRET);
    expect(await sent(1)).to.include({ is: 'delivered' });
  });

  it('refuses other signatures, and old requests', async () => {
    await sign(OTHER);
    expect(await sent(1)).to.include({ is: 'failed', statusCode: 401 });
    const unsigned = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });
    expect(unsigned.status).to.equal(401);
  });

  it('refuses requests that are too old', async () => {
    await sign(SECRET);
    expect(await sent(1, Date.now() - 301_000)).to.include({ is: 'failed', statusCode: 401 });
    expect(await sent(1, Date.now() - 290_000)).to.include({ is: 'delivered' });
  });

  it('has about 20 lines', () => {
    const [, code = ''] = /^```js\n([^]*?)^```$/m.exec(page) ?? [];
    expect(code.split('\n').filter((line) => line.trim() !== '')).to.have.length.within(15, 21);
  });
});

const isListening = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.on('error', () => {
      done(false);
    });
  });
