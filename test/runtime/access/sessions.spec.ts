import { expect } from 'chai';
import { systemRandomBytes, systemScheduler, createIds } from '#src/adapters/system.ts';
import { randomFillSync } from 'node:crypto';
import type { Micros } from '#src/kernel/instant.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import { Sessions, type Session } from '#src/runtime/access/sessions.ts';
import { Revocations } from '#src/runtime/access/revocations.ts';
import { memorySecretStore, type MemorySecretData } from '#test/doubles/memory/secret-store.ts';

const SECOND = 1e6;
const HOUR = 3600 * SECOND;
const HOME = '203.0.113.7';

describe('sessions and their refresh tokens', () => {
  let data: MemorySecretData;
  let now: number;
  const clock = { now: () => now as Micros };
  const ids = createIds(clock, randomFillSync);
  beforeEach(() => {
    data = new Map();
    now = Date.parse('2026-11-24T00:00:00Z') * 1000;
  });
  const newProcess = (wrapped: (store: SecretStore) => SecretStore = (store) => store) => {
    const store = wrapped(memorySecretStore(systemScheduler, data));
    return new Sessions({
      secrets: async () => store,
      ...{ clock, randomBytes: systemRandomBytes, refreshSeconds: 86_400 },
    });
  };
  const newSession = (subject = 'ana', tenantId = 'default'): Session => ({
    ...{ id: ids.next(), subject, tenantId, scope: 'openid profile', startedAt: clock.now() },
  });
  let count = 0;
  /** What it says when a token is refreshed: the next token, and a number that no other response has. */
  const refresh = async (sessions: Sessions, token: string, address = HOME) => {
    const made = await sessions.refresh(token, address, {
      admit: async () => true,
      respond: async ({ scope }, next) => ({
        response: JSON.stringify({ next, n: (count += 1) }),
        scope,
      }),
    });
    if (made === undefined) return 'refused';
    return 'reused' in made ? 'reused' : made.response;
  };
  const nextOf = (response: string) => (JSON.parse(response) as { next: string }).next;

  it('go on with a new token each time; only hashes are stored', async () => {
    const sessions = newProcess();
    const first = await sessions.start(newSession());
    let token = first;
    for (let n = 0; n < 5; n += 1) {
      now += HOUR;
      token = nextOf(await refresh(newProcess(), token));
      const stored = JSON.stringify([...data], (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString() : value,
      );
      for (const secret of [token, ...token.split('.').slice(2)])
        expect(stored).to.not.contain(secret);
      expect(stored).to.not.contain(HOME);
    }
  });

  it('give the same response to the same address for ten seconds, from any process', async () => {
    const token = await newProcess().start(newSession());
    const response = await refresh(newProcess(), token);
    now += 9 * SECOND;
    expect(await refresh(newProcess(), token)).to.equal(response);
    expect(await refresh(newProcess(), token, '198.51.100.1')).to.equal('reused');
    now += 2 * SECOND;
    expect(await refresh(newProcess(), token)).to.equal('reused');
  });

  it('report a token that was spent several refreshes ago, but not one that is made up', async () => {
    const sessions = newProcess();
    const first = await sessions.start(newSession());
    const second = nextOf(await refresh(sessions, first));
    const third = nextOf(await refresh(sessions, second));
    expect(await refresh(sessions, first)).to.equal('reused');
    const [subject, session, family, secret] = third.split('.') as [string, string, string, string];
    const madeUp = 'A'.repeat(22);
    for (const text of [
      '',
      'abc',
      [subject, session, madeUp, secret].join('.'),
      [subject, ids.next(), family, secret].join('.'),
      [Buffer.from('bob').toString('base64url'), session, family, secret].join('.'),
      `${third}A`,
      'a'.repeat(10_000),
    ]) {
      expect(await refresh(sessions, text), text.slice(0, 99)).to.equal('refused');
    }
    expect(await refresh(sessions, third), 'it is still good').to.contain('next');
  });

  it('are not begun by a subject that is destroyed meanwhile', async () => {
    const sessions = newProcess();
    await sessions.start(newSession());
    await sessions.destroy('ana');
    const token = await sessions.start(newSession());
    expect(await refresh(sessions, token)).to.equal('refused');
  });

  it('end for all their tokens', async () => {
    const sessions = newProcess();
    const [session, other] = [newSession(), newSession()];
    const tokens = [await sessions.start(session), await sessions.start(other)];
    await newProcess().end(session);
    expect(await refresh(sessions, tokens[0]!)).to.equal('refused');
    const next = nextOf(await refresh(sessions, tokens[1]!));
    await sessions.endBefore('ana', clock.now(), other.id);
    const last = nextOf(await refresh(sessions, next));
    now += 1;
    const later = await sessions.start(newSession());
    await sessions.endBefore('ana', (now - 1) as Micros);
    expect(await refresh(sessions, last)).to.equal('refused');
    expect(await refresh(sessions, later)).to.contain('next');
    await sessions.destroy('ana');
    await sessions.end(session);
  });

  it('last a day from the last refresh and thirty days from the login', async () => {
    const sessions = newProcess();
    const idle = await sessions.start(newSession());
    let token = await sessions.start(newSession('bob'));
    now += 24 * HOUR;
    expect(await refresh(sessions, idle)).to.equal('refused');
    expect(await refresh(sessions, token)).to.equal('refused');
    token = await sessions.start(newSession('bob'));
    for (let n = 0; n < 31; n += 1) {
      now += 23 * HOUR;
      token = nextOf(await refresh(sessions, token));
    }
    now += 7 * HOUR; // 31 × 23 + 7 = 30 × 24
    expect(await refresh(sessions, token)).to.equal('refused');
  });

  it('are spent once by many refreshes at the same time', async () => {
    const token = await newProcess().start(newSession());
    const all = await Promise.all(Array.from({ length: 20 }, () => refresh(newProcess(), token)));
    expect(new Set(all).size).to.equal(1);
    expect(all[0]).to.contain('next');
    expect(await refresh(newProcess(), nextOf(all[0]!))).to.contain('next');
  });

  it('are spent or not spent, wherever a crash interrupts a refresh', async () => {
    for (const where of ['before the write', 'after the write'] as const) {
      const token = await newProcess().start(newSession());
      const crash = new Error('crash');
      const dying = newProcess((store) => ({
        ...store,
        async compareAndSet(...write) {
          if (where === 'after the write') await store.compareAndSet(...write);
          throw crash;
        },
      }));
      const died = await refresh(dying, token).catch((error: unknown) => error);
      expect(died).to.equal(crash);
      const response = await refresh(newProcess(), token);
      expect(response, where).to.contain('next');
      expect(await refresh(newProcess(), token), 'the same again').to.equal(response);
      now += 11 * SECOND;
      const next = await refresh(newProcess(), nextOf(response));
      expect(next).to.contain('next');
      expect(await refresh(newProcess(), token), 'it is usable once').to.equal('reused');
    }
  });

  it('leave the token unspent if no response can be made', async () => {
    const sessions = newProcess();
    const token = await sessions.start(newSession());
    const admit = async () => true;
    const nothing = { admit, respond: async () => undefined };
    expect(await sessions.refresh(token, HOME, nothing)).to.equal(undefined);
    const respond = () => Promise.reject(new Error('no key'));
    const failed = sessions.refresh(token, HOME, { admit, respond });
    expect(String(await failed.catch((error: unknown) => error))).to.contain('no key');
    expect(await refresh(sessions, token)).to.contain('next');
  });

  it('leave the token as it is if the session may not go on, which also ends its repetition', async () => {
    const sessions = newProcess();
    const token = await sessions.start(newSession('ana', 'acme'));
    const asked: unknown[] = [];
    const steps = {
      async admit({ subject, tenantId }: Session) {
        asked.push([subject, tenantId]);
        return false;
      },
      respond: () => Promise.reject(new Error('asked too early')),
    };
    expect(await sessions.refresh(token, HOME, steps)).to.equal(undefined);
    const response = await refresh(sessions, token);
    expect(response).to.contain('next');
    expect(await sessions.refresh(token, HOME, steps)).to.equal(undefined);
    expect(await refresh(sessions, token), 'the same again').to.equal(response);
    expect(asked).to.deep.equal([['ana', 'acme'], ['ana', 'acme']]); // prettier-ignore
  });

  it('are at most a hundred of one subject, of which the one idle longest makes room', async () => {
    const sessions = newProcess();
    const tokens: string[] = [];
    for (let n = 0; n < 100; n += 1) tokens.push(await sessions.start(newSession()));
    const [first, second] = tokens as [string, string];
    const kept = nextOf(await refresh(sessions, first));
    await sessions.start(newSession());
    expect(await refresh(sessions, second)).to.equal('refused');
    expect(await refresh(sessions, kept)).to.contain('next');
  });

  it('are known as ended at once, elsewhere after a reload, until their access tokens have expired', async () => {
    const newRevocations = () => {
      const store = memorySecretStore(systemScheduler, data);
      return new Revocations({ secrets: async () => store, clock, tokenSeconds: 3600 });
    };
    const [here, there] = [newRevocations(), newRevocations()];
    await there.loaded();
    const ended = Array.from({ length: 40 }, () => ids.next());
    await Promise.all(ended.map((one) => here.end(one)));
    expect(ended.filter((one) => here.hasEnded(one))).to.have.length(40);
    expect(here.hasEnded(ids.next())).to.equal(false);
    expect(there.hasEnded(ended[0]!)).to.equal(false);
    await there.reload();
    expect(ended.filter((one) => there.hasEnded(one))).to.have.length(40);
    now += HOUR;
    const late = newRevocations();
    await late.loaded();
    expect(
      ended.filter((one) => late.hasEnded(one)),
      'leeway',
    ).to.have.length(40);
    now += 31 * SECOND;
    expect(late.hasEnded(ended[0]!)).to.equal(false);
    await Promise.all(Array.from({ length: 40 }, () => late.end(ids.next())));
    const stored = [...data.values()].map((secret) =>
      secret === 'destroyed' ? '' : Buffer.from(secret.value).toString(),
    );
    expect(ended.filter((one) => stored.join('').includes(one)).length, 'forgotten').to.be.below(
      10,
    );
  });
});
