import { expect } from 'chai';
import type { Replay } from '#src/kernel/replay.ts';
import { createAccount, got, openBook, type Book } from '#test/e2e/books.ts';
import { clientOf } from '#test/support/client.ts';
import {
  killServer,
  removeFolder,
  startServer,
  stopServer,
  type Server,
} from '#test/support/server.ts';
import { until } from '#test/support/until.ts';
import { BROKERS, consume, describeOnKafka, newPlatform, type Consumed } from './kafka.ts';

const ACCOUNTS = 120;
const REPLAYS = '/v1/streaming/replays';

/** A server that publishes to Kafka, killed while it replays. */
describeOnKafka('replays to Kafka', () => {
  const platform = newPlatform();
  const topic = `${platform}.streaming.ledger_account.created`;
  const env = {
    STREAMING_ENABLED: 'true',
    STREAMING_CLOUDEVENTS_SOURCE: `${platform}.ledger`,
    STREAMING_BROKERS: BROKERS.join(','),
    STREAMING_TOPICS_AUTOCREATE: 'true',
    STREAMING_START_AT: 'beginning',
    STREAMING_MAX_BUFFERED_RECORDS: '10',
    PLATFORM: platform,
  };
  let server: Server;
  const client = clientOf(() => server);
  let book: Book;
  before(async () => {
    server = await startServer({ env });
    book = await openBook(client, {});
  });
  after(async () => {
    client.close();
    await stopServer(server);
    removeFolder(server.dataDir);
  });

  it('bring every event of the window again with its ce-id, across kills of the process', async () => {
    for (let n = 1; n <= ACCOUNTS; n += 1)
      await createAccount(client, book.at, { alias: `@a${n}` });
    const live = await consume([topic], ACCOUNTS);

    const from = '2026-01-01T00:00:00Z';
    const to = '2999-01-01T00:00:00Z';
    const answer = await client.post(REPLAYS, { from, to, keys: ['account.created'] });
    expect(answer.status, answer.text).to.equal(202);
    const { id } = answer.json() as Replay;
    for (let kills = 0; kills < 3; kills += 1) {
      await killServer(server);
      server = await startServer({ env, dataDir: server.dataDir });
      await createAccount(client, book.at, { alias: `@after${kills}` });
    }
    const isCompleted = async () =>
      (await got<Replay>(client, `${REPLAYS}/${id}`)).status === 'completed';
    await until(isCompleted, 60_000, 'the replay is completed');

    const counted = (all: readonly Consumed[]) => Map.groupBy(all, idOf);
    const isThere = (all: readonly Consumed[]) =>
      live.every((record) => (counted(all).get(idOf(record))?.length ?? 0) >= 2) &&
      counted(all).size === ACCOUNTS + 3;
    const consumed = await consume([topic], isThere);
    expect(isThere(consumed)).to.equal(true);
    for (const ofId of counted(consumed).values()) {
      const texts = ofId.map(({ key, headers, value }) => JSON.stringify([key, headers, value]));
      expect(new Set(texts)).to.have.length(1);
    }
  });
});

const idOf = ({ headers }: Consumed): string => headers['ce-id'] ?? '';
