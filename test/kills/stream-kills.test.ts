import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { openEmbeddedLog } from '#src/adapters/embedded/log.ts';
import type { EmittedRecord } from '#src/events/streaming/emitted.ts';
import { producerJournal } from '#src/kernel/journal-name.ts';
import { consume } from '#test/servers/kafka.ts';
import { hasOwnKafka, startOwnKafka } from '#test/servers/own-kafka.ts';
import { until } from '#test/support/until.ts';

const EVENTS = Number(process.env['STREAM_EVENTS'] ?? 100_000);
const KILLS = Number(process.env['STREAM_KILLS'] ?? 100);
const BROKER_KILLS = Number(process.env['STREAM_BROKER_KILLS'] ?? 20);
const TOPIC = 'lending.payment.requested';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A process that is killed, as by a power cut, and started again. */
function mortal(script: string, ...args: string[]) {
  let child: ChildProcess | undefined;
  const start = (): void => {
    const path = join(import.meta.dirname, script);
    child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  };
  const kill = async (): Promise<void> => {
    const victim = child;
    child = undefined;
    if (victim?.exitCode !== null) return;
    const ended = once(victim, 'exit');
    victim.kill('SIGKILL');
    await ended;
  };
  return { start, kill };
}

describe('a stream whose relay, consumer and broker are killed', () => {
  const test = hasOwnKafka() || process.env['REQUIRE_ENGINES'] === '1' ? it : it.skip;

  test('loses no event, reorders none of a key, and repeats one only with its id', async function () {
    this.timeout((20 + BROKER_KILLS / 2) * 60_000);
    const dir = mkdtempSync(join(tmpdir(), 'stream-kills-'));
    const folder = join(dir, 'log');
    const file = join(dir, 'effects.db');
    const broker = await startOwnKafka();
    const brokers = broker.brokers.join(',');
    const relay = mortal('emitting.ts', folder, brokers, String(EVENTS));
    const consumer = mortal('consuming.ts', file, brokers, TOPIC);
    const startedMs = performance.now();
    try {
      relay.start();
      consumer.start();
      await Promise.all([
        repeatedly(KILLS, relay, 2000, 4000),
        repeatedly(KILLS, consumer, 2000, 4000),
        (async () => {
          for (let kills = 0; kills < BROKER_KILLS; kills += 1) {
            await pause(8000 + 4000 * Math.random());
            await broker.kill();
            await pause(1000 * Math.random());
            await broker.up();
          }
        })(),
      ]);
      await until(
        async () => {
          await pause(200);
          return numbersIn(file) >= EVENTS;
        },
        15 * 60_000,
        'every event is handled',
      );
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      await consumer.kill();
      await relay.kill();

      const logged = await loggedIn(folder);
      expect(logged).to.have.length(EVENTS);
      const arrived = await consume(
        [TOPIC],
        (all) => new Set(all.map(({ headers }) => headers['ce-id'])).size >= EVENTS,
        broker.brokers,
      );
      const first = new Map<string, Readonly<{ key: string; value: string }>>();
      for (const { headers, key, value } of arrived) {
        const id = headers['ce-id'] ?? '';
        const known = first.get(id);
        if (known === undefined) first.set(id, { key, value });
        else expect({ key, value }).to.deep.equal(known);
      }
      expect(first.size).to.equal(EVENTS); // An id more would be an event that was sent with two ids.
      const deliveries = [...first].map(([id, { key, value }]) => ({ id, key, value }));
      expect(byKey(deliveries)).to.deep.equal(byKey(logged));
      expect(byKey(effectsIn(file))).to.deep.equal(byKey(logged));
      console.log(
        `      ${EVENTS} events, ${KILLS} kills each of relay and consumer, ${BROKER_KILLS} of the broker: ` +
          `${arrived.length - EVENTS} delivered twice; ${seconds} s`,
      );
    } finally {
      await consumer.kill();
      await relay.kill();
      await broker.remove();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

async function repeatedly(
  kills: number,
  { start, kill }: ReturnType<typeof mortal>,
  minMs: number,
  maxMs: number,
): Promise<void> {
  for (let n = 0; n < kills; n += 1) {
    await pause(minMs + (maxMs - minMs) * Math.random());
    await kill();
    start();
  }
}

type Told = Readonly<{ id: string; key: string; value: string }>;

/** The ids of each key, in order. */
const byKey = (all: readonly Told[]): Record<string, string[]> =>
  Object.fromEntries(
    [...Map.groupBy(all, ({ key }) => key)]
      .map(([key, ofKey]) => [key, ofKey.map(({ id }) => id)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

async function loggedIn(folder: string): Promise<Told[]> {
  const log = openEmbeddedLog(folder);
  const told: Told[] = [];
  for (;;) {
    const events = await log.read(producerJournal('lending'), told.length, 5000);
    if (events.length === 0) break;
    for (const { data } of events) {
      const { key, headers, value } = JSON.parse(data) as EmittedRecord;
      told.push({ key, value, id: headers['ce-id'] ?? '' });
    }
  }
  await log.close();
  return told;
}

function inDatabase<Result>(file: string, work: (db: DatabaseSync) => Result): Result {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const numbersIn = (file: string): number =>
  inDatabase(file, (db) => Number(db.prepare('SELECT count(*) AS n FROM effects').get()?.['n']));

const effectsIn = (file: string): Told[] =>
  inDatabase(file, (db) =>
    db
      .prepare('SELECT id, key FROM effects ORDER BY place')
      .all()
      .map(({ id, key }) => ({ id: String(id), key: String(key), value: '' })),
  );
