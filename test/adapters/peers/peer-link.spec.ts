import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { connect as connectTcp, createServer, type AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { frameOf, FrameReader, framesOf } from '#src/adapters/peers/frames.ts';
import { PeerLink } from '#src/adapters/peers/peer-link.ts';
import { listenForPeers, type PeerListener } from '#src/adapters/peers/peer-listener.ts';
import { PSK_TLS, sharedPeerKey } from '#src/adapters/peers/psk.ts';
import { systemRandomBytes, systemScheduler } from '#src/adapters/system.ts';
import type { AnswerPeer } from '#src/ports/peers.ts';
import { memorySecretStore, type MemorySecretData } from '#test/doubles/memory/secret-store.ts';
import { until } from '#test/support/until.ts';

const KEY = new Uint8Array(randomBytes(32));
const nameOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'answered',
    (error: unknown) => (error as Error).name,
  );

describe('a link between peers', () => {
  const open: { close: () => unknown }[] = [];
  const closed = <One extends { close: () => unknown }>(one: One): One => {
    open.push(one);
    return one;
  };
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  const listen = async (answer: AnswerPeer, key = KEY): Promise<PeerListener> =>
    closed(await listenForPeers({ host: '127.0.0.1', port: 0, id: 'them', key, answer }));
  const link = (port: number, more: Partial<ConstructorParameters<typeof PeerLink>[0]> = {}) =>
    closed(
      new PeerLink({
        ...{ address: { host: '127.0.0.1', port }, id: 'them', key: KEY },
        onChange: () => undefined,
        ...more,
      }),
    );
  const ready = async (one: PeerLink): Promise<PeerLink> => {
    await until(() => one.isReady, 5000, 'the link is ready');
    return one;
  };
  const echo: AnswerPeer = async (question) => ({ question });

  it('carries questions and answers of any size, in any order', async () => {
    const { port } = await listen(async (question) => {
      const { waits } = question as { waits?: boolean };
      if (waits === true) await systemScheduler.sleep(50);
      return { question };
    });
    const to = await ready(link(port));
    const questions = [
      { waits: true },
      { text: 'é 🦙 " \\ \u2028' },
      { large: 'x'.repeat(3_000_000) },
      ...Array.from({ length: 500 }, (_, n) => ({ n })),
    ];
    const answers = await Promise.all(questions.map((question) => to.ask(question)));
    expect(answers).to.deep.equal(questions.map((question) => ({ question })));
  });

  it('carries what JSON lacks', async () => {
    let got: unknown;
    const { port } = await listen(async (question) => {
      got = question;
      return {};
    });
    const question = { amount: 10n ** 34n, names: new Map([['a', { b: undefined }]]) };
    await (await ready(link(port))).ask(question);
    expect(got).to.deep.equal(question);
  });

  it('admits nobody without the key, and trusts no listener without it', async () => {
    let asked = 0;
    const { port } = await listen(async () => ({ asked: (asked += 1) }));
    const stranger = link(port, { key: new Uint8Array(32) });
    await until(() => stranger.isLost, 5000, 'the stranger is turned away');
    expect(await nameOf(stranger.ask({}))).to.equal('NotSent');

    const other = await listen(echo, new Uint8Array(32));
    const mistaken = link(other.port);
    await until(() => mistaken.isLost, 5000, 'the other is not trusted');

    const plain = connectTcp(port, '127.0.0.1');
    plain.write(frameOf('[[1,{}]]'));
    await until(() => plain.destroyed || plain.closed, 5000, 'plain text is turned away');
    const tls = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    const end = new Promise<Error>((resolve) => tls.once('error', resolve));
    expect((await end).message).to.match(/handshake|alert|version/i);
    expect(asked).to.equal(0);
    await (await ready(link(port))).ask({});
    expect(asked).to.equal(1);
  });

  it('asks nobody but the process it was meant for', async () => {
    const { port } = await listen(echo);
    const to = link(port, { id: 'somebody else' });
    await until(() => to.isLost, 5000, 'the link is given up');
  });

  it('loses what was asked when the peer goes, and sends nothing after that', async () => {
    const never = await listen(() => new Promise(() => {}));
    const to = await ready(link(never.port));
    const asked = nameOf(to.ask({}));
    await systemScheduler.sleep(50);
    const closing = never.close();
    expect(await asked).to.equal('PeerLost');
    expect(await nameOf(to.ask({}))).to.equal('NotSent');
    await closing;
  });

  it('gives up a peer that is silent, though its connection stands', async () => {
    const { port } = await listen(echo);
    let isDeaf = false;
    const proxy = closed(
      createServer((near) => {
        const far = connectTcp(port, '127.0.0.1');
        near.on('data', (chunk) => isDeaf || far.write(chunk)).on('error', () => far.destroy());
        far.on('data', (chunk) => isDeaf || near.write(chunk)).on('error', () => near.destroy());
        near.on('close', () => far.destroy());
      }),
    );
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const to = await ready(link((proxy.address() as AddressInfo).port, { silenceMs: 600 }));
    await systemScheduler.sleep(1000);
    expect(to.isReady).to.equal(true); // Beats keep it.
    isDeaf = true;
    expect(await nameOf(to.ask({}))).to.equal('PeerLost');
  });

  it('asks a peer that leaves nothing more, and gets what it asked before', async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    const listener = await listen(() => promise);
    const to = await ready(link(listener.port));
    const asked = to.ask({});
    await systemScheduler.sleep(50);
    listener.leave();
    await until(() => !to.isReady, 5000, 'it leaves');
    expect(await nameOf(to.ask({}))).to.equal('NotSent');
    const closing = listener.close();
    resolve({ at: 'last' });
    expect(await asked).to.deep.equal({ at: 'last' });
    await closing;
  });

  it('does not wait for an answer for ever, and sends no question that is too long', async () => {
    const { port } = await listen(() => new Promise(() => {}));
    const to = await ready(link(port, { answerWithinMs: 100 }));
    expect(await nameOf(to.ask({}))).to.equal('Ambiguous');
    expect(await nameOf(to.ask({ text: 'x'.repeat(9_000_000) }))).to.equal('NotSent');
  });

  it('refuses more questions than a peer may have', async () => {
    const { port } = await listen(() => new Promise(() => {}));
    const to = await ready(link(port, { answerWithinMs: 60_000 }));
    for (let n = 0; n < 16_384; n += 1) to.ask({}).catch(() => undefined);
    const error = await to.ask({}).catch((caught: unknown) => caught);
    expect(error).to.deep.include({ name: 'NotSent', isBusy: true });
  });
});

describe('frames', () => {
  it('are read from chunks of any size', () => {
    const messages = [[1, 'é'], [], { id: 'x' }, ['y'.repeat(300)]];
    const bytes = Buffer.concat(messages.map((one) => frameOf(JSON.stringify(one))));
    for (const size of [1, 2, 3, 7, 100, bytes.length]) {
      const reader = new FrameReader();
      const read: unknown[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        read.push(...reader.take(bytes.subarray(at, at + size)));
      }
      expect(read).to.deep.equal(messages);
    }
  });

  it('are not read beyond their limit', () => {
    const reader = new FrameReader();
    expect(() => [...reader.take(Buffer.from([0xff, 0xff, 0xff, 0xff]))]).to.throw('too long');
  });

  it('hold many short messages, and few long ones', () => {
    const short = Array.from({ length: 100 }, (_, n) => String(n));
    expect([...framesOf(short)]).to.have.length(1);
    const long = Array.from({ length: 3 }, () => JSON.stringify('z'.repeat(1_500_000)));
    expect([...framesOf(long)]).to.have.length(3);
  });
});

describe('the key of peers', () => {
  it('is made once for all processes of a store, and differs by log', async () => {
    const data: MemorySecretData = new Map();
    const secrets = () => memorySecretStore(systemScheduler, data);
    const keys = await Promise.all(
      [1, 2, 3].map(() => sharedPeerKey(secrets(), 'log', systemRandomBytes)),
    );
    expect(keys[1]).to.deep.equal(keys[0]);
    expect(keys[2]).to.deep.equal(keys[0]);
    expect(await sharedPeerKey(secrets(), 'other', systemRandomBytes)).to.not.deep.equal(keys[0]);
    expect(PSK_TLS.ciphers).to.match(/^ECDHE-PSK/);
  });
});
