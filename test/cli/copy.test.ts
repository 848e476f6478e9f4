import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedCheckpointStore } from '#src/adapters/embedded/checkpoint-store.ts';
import { openEmbeddedSecretStore } from '#src/adapters/embedded/secret-store.ts';
import { openEventStoreDbHere, reach } from '#src/adapters/eventstoredb/event-store-here.ts';
import { systemIds } from '#src/adapters/system.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { START, type NewEvent } from '#src/ports/event-store.ts';
import { happened } from '#test/contracts/samples.ts';
import { bytes } from '#test/contracts/secret-store.contract.ts';
import { startEventStoreDouble, type EventStoreDouble } from '#test/doubles/eventstore/start.ts';
import { got, posted, standing, transfer, type Book } from '#test/e2e/books.ts';
import { clientOf, type Answer, type Client } from '#test/support/client.ts';
import {
  copied,
  eventsInFolder,
  eventsOnServer,
  inLog,
  logIdOf,
  writeBooks,
} from '#test/support/moved.ts';
import { launchQuipu, quipu } from '#test/support/quipu.ts';
import {
  removeFolder,
  startServer,
  stopServer,
  temporaryFolder,
  until,
  type Launch,
} from '#test/support/server.ts';

describe('quipu copy', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();
  const original = join(folder, 'original');
  let books: readonly Book[];
  let book: Book;
  let all: ReturnType<typeof eventsInFolder>;
  /** What the old server answered. */
  const old = {} as {
    keyed: Answer;
    cursor: string;
    page: string;
    journals: readonly string[];
    standing: string;
  };
  before(async () => {
    await onServer({ dataDir: original }, async (client) => {
      books = await writeBooks(client);
      book = books[0]!;
      old.keyed = await keyed(client);
      const list = await got<{ next_cursor: string }>(client, `${book.at}/transactions?limit=7`);
      old.cursor = list.next_cursor;
      old.page = await page(client);
      old.journals = await journals(client);
      old.standing = await standing(client, book.at, '@bob');
    });
    all = eventsInFolder(original);
  });

  let double: EventStoreDouble;
  beforeEach(async () => {
    double = await startEventStoreDouble();
  });
  afterEach(() => double.stop());
  after(() => {
    removeFolder(folder);
  });

  const from = (dir = original): string[] => ['--from', `embedded:${dir}`, '--to'];
  const copy = (dir = original) => copied([...from(dir), double.url]);
  const keyed = (client: Client) =>
    client.post(`${book.at}/transactions/json`, transfer('@alice', '@bob', '7'), {
      'X-Idempotency': 'kept',
    });
  const page = async (client: Client) =>
    (await client.get(`${book.at}/transactions?limit=7&cursor=${old.cursor}`)).text;
  const journals = (client: Client) =>
    Promise.all(
      books.map(async ({ at }) =>
        (await client.get(`${at}/journal`)).text.replaceAll(/^(.*?)"position":"\d+",/gm, '$1'),
      ),
    );
  const count = async () => (await eventsOnServer(double)).events.length;
  async function onServer(
    launch: Launch & { dataDir: string },
    work: (client: Client) => Promise<void>,
  ): Promise<void> {
    mkdirSync(launch.dataDir, { recursive: true });
    const server = await startServer(launch);
    const client = clientOf(() => server);
    try {
      await work(client);
    } finally {
      client.close();
      await stopServer(server);
    }
  }
  function changed(name: string): string {
    const dir = join(folder, name);
    cpSync(original, dir, { recursive: true });
    return dir;
  }
  async function expectWhole(dir = original): Promise<void> {
    expect(await eventsOnServer(double)).to.deep.equal({
      logId: logIdOf(dir),
      events: eventsInFolder(dir),
    });
  }
  /** A target under the id of the original, with what somebody else wrote there. */
  async function write(stream: string, events: readonly NewEvent[], expected: number) {
    const logId = logIdOf(original) as Uuid;
    const store = await openEventStoreDbHere(double.url, { ids: systemIds(), logId });
    await store.append(stream, events, expected);
    await store.close();
  }

  it('moves every journal, byte for byte and in the order of the log, and nothing twice', async () => {
    const said = await copy();
    const holds = `holds ${all.length} events in 6 journals of log ${logIdOf(original)}: sound. New events copied: `;
    expect(said).to.include({ code: 0, stderr: '' });
    expect(said.stdout).to.include(`${holds}${all.length}.\n`);
    await expectWhole();

    const again = await copy();
    expect(again).to.include({ code: 0, stderr: '' });
    expect(again.stdout).to.include(`${holds}0.\n`);
    await expectWhole();

    const asJson = await copied([...from(), double.url, '--json']);
    const { journals: listed, ...rest } = JSON.parse(asJson.stdout) as { journals: unknown[] };
    expect(listed).to.have.length(6);
    expect(rest).to.deep.equal({
      ...{ sound: true, logId: logIdOf(original), copied: 0, serverRuns: false },
      events: all.length,
    });
  });

  it('is served as the log it was: journals, tokens, cursors, keys and money', async () => {
    expect((await copy()).code).to.equal(0);
    const env = { EVENT_STORE_URL: double.url };
    await onServer({ dataDir: join(folder, 'new'), env }, async (client) => {
      const token = String(old.keyed.headers['x-consistency-token']);
      const { id } = old.keyed.json() as { id: string };
      await got(client, `${book.at}/transactions/${id}`, { 'X-Consistency-Token': token });
      expect(await journals(client)).to.deep.equal(old.journals);
      expect(await page(client)).to.equal(old.page);
      expect(await standing(client, book.at, '@bob')).to.equal(old.standing);

      const again = await keyed(client);
      expect(again.headers['x-idempotency-replayed']).to.equal('true');
      expect(again.text).to.equal(old.keyed.text);
      await posted(client, book.at, transfer('@bob', '@alice', '1'));
      const [first = ''] = await journals(client);
      expect(first.startsWith(old.journals[0]!)).to.equal(true);
      expect(first.trimEnd().split('\n')).to.have.length(
        old.journals[0]!.trimEnd().split('\n').length + 1,
      );
    });
    const late = await copy();
    expect(late.stdout, 'the new log went on, the old one did not').to.include(
      'New events copied: 0.',
    );
    expect(late.code).to.equal(0);
  });

  it('goes on where it stopped, wherever it was killed', async () => {
    for (const share of [0, 0.2, 0.5, 0.9]) {
      const enough = Math.max(1, Math.floor(all.length * share));
      // It cannot come to its end, however late it is killed.
      const room = Math.min(enough + 50, all.length - 1) - (await count());
      await double.fault({ delays: 100_000, delayMs: 4, room });
      const { child, said } = launchQuipu(['copy', ...from(), double.url]);
      await until(async () => (await count()) >= enough, 60_000, `${enough} events copied`);
      child.kill('SIGKILL');
      expect((await said).code).to.equal(null);
      const { events } = await eventsOnServer(double);
      expect(events.length).to.be.below(all.length);
      expect(events).to.deep.equal(all.slice(0, events.length));
    }
    await double.fault({ delays: 0, room: null });
    expect((await copy()).code).to.equal(0);
    await expectWhole();
  });

  it('outlives a target that is killed, drops connections and loses answers', async () => {
    await double.fault({ delays: 100_000, delayMs: 4 });
    const { said } = launchQuipu(['copy', ...from(), double.url]);
    await until(async () => (await count()) >= 30, 60_000, '30 events copied');
    await double.kill();
    await double.restart();
    await double.fault({ delays: 100_000, delayMs: 4, dropBefore: 3, dropAfter: 3 });
    await until(async () => (await count()) >= 90, 60_000, '90 events copied');
    await double.fault({ notLeader: 2 });
    await double.fault({ blow: 'drop connections' });
    await double.kill();
    await double.restart();
    expect(await said).to.include({ code: 0 });
    await expectWhole();
  });

  it('copies beside a running server, and completes the copy when it has stopped', async () => {
    const dir = changed('running');
    await onServer({ dataDir: dir }, async (client) => {
      const enough = new AbortController();
      const writing = (async () => {
        while (!enough.signal.aborted) {
          await posted(client, book.at, transfer('@alice', '@bob', '1'));
        }
      })();
      const said = await copy(dir);
      enough.abort();
      await writing;
      await posted(client, book.at, transfer('@alice', '@bob', '1'));
      expect(said.code).to.equal(0);
      expect(said.stderr).to.include(
        'A server is running on the folder. Stop it, then copy again.',
      );
    });
    expect(await count()).to.be.within(all.length, eventsInFolder(dir).length - 1);
    expect(await copy(dir)).to.include({ code: 0, stderr: '' });
    await expectWhole(dir);
  });

  it('ends with the first event that is not sound, names it, and copies nothing behind it', async () => {
    const dir = changed('tampered');
    const place = all.findIndex(({ type }, n) => n > 100 && type === 'TransactionPosted');
    const { stream, revision, id } = all[place]!;
    inLog(dir, (db) =>
      db.prepare(`UPDATE events SET data = replace(data, '.25', '.26') WHERE id = ?`).run(id),
    );
    for (const written of [place, 0]) {
      const said = await copy(dir);
      expect(said).to.include({ code: 1, stderr: '' });
      expect(said.stdout).to.match(
        new RegExp(`^Different: ${stream}\\b.* ${revision}\\b.*${id}.*its hash is`),
      );
      expect(said.stdout).to.include(`Events copied before it: ${written}.`);
      expect((await eventsOnServer(double)).events).to.deep.equal(all.slice(0, place));
    }
  });

  describe('leaves a target as it is', () => {
    const ledger = (): string => `ledger-${book.ledger}`;
    const ofLedger = () => all.filter(({ stream }) => stream === ledger());
    const cases: Readonly<Record<string, readonly [() => Promise<unknown>, RegExp]>> = {
      'that holds another log': [
        async () => {
          const other = await openEventStoreDbHere(double.url, { ids: systemIds() });
          await other.close();
        },
        /already holds the log [-0-9a-f]{36}, not [-0-9a-f]{36}\.$/,
      ],
      'that holds what is no log': [
        async () => {
          const foreign = reach(double.url, 5000);
          await foreign.append('invoices', [happened('a sale')], -1);
          await foreign.close();
        },
        /is not empty: it holds the stream invoices, which is not part of a copy/,
      ],
      'with another event at a revision': [
        () => write(ledger(), [...ofLedger().slice(0, 3), happened('another')], -1),
        /Event 3 of ledger-.* in the target differs/,
      ],
      'with other bytes of an event': [
        () => write(ledger(), [{ ...ofLedger()[0]!, data: '{"name":"Eve"}' }], -1),
        /Event 0 of ledger-.* in the target differs/,
      ],
      'that went on while the folder did': [
        async () => {
          await write(ledger(), ofLedger(), -1);
          await write(ledger(), [happened('later')], ofLedger().length - 1);
        },
        /new events since the last copy, the target in ledger-.*: only one/,
      ],
    };
    for (const [which, [prepare, says]] of Object.entries(cases)) {
      it(which, async () => {
        await prepare();
        const held = await eventsOnServer(double);
        const said = await copy();
        expect(said).to.include({ code: 2, stdout: '' });
        expect(said.stderr.trimEnd()).to.match(says);
        expect(await eventsOnServer(double)).to.deep.equal(held);
      });
    }

    it('when the folder has secrets, or a relay that has published, and no place for them', async () => {
      const dir = changed('with belongings');
      const secrets = openEmbeddedSecretStore(dir);
      expect((await copy(dir)).code, 'none are kept yet').to.equal(0);
      await double.stop();
      double = await startEventStoreDouble();
      await secrets.put('key of a person', bytes('top secret'));
      await secrets.close();
      expect((await copy(dir)).stderr).to.match(
        /^quipu copy: The folder holds secrets: name .* --with mongodb:\/\/…\. Nothing was copied\.$/m,
      );

      const places = openEmbeddedCheckpointStore(dir);
      await places.save('topic', { position: START, done: 0 }, 1);
      await places.close();
      const said = await copy(dir);
      expect(said).to.include({ code: 2, stdout: '' });
      expect(said.stderr).to.include('holds secrets and positions up to which events were');

      const nowhere = 'mongodb://eve:pass@127.0.0.1:9/quipu';
      const away = await copied([...from(dir), double.url, '--with', nowhere]);
      expect(away).to.include({ code: 2, stdout: '' });
      expect(away.stderr)
        .to.match(/^quipu copy: mongodb:\/\/127\.0\.0\.1:9\/quipu: .*cannot be reached/)
        .and.not.include('pass');
      expect(await eventsOnServer(double)).to.deep.equal({ logId: undefined, events: [] });
    });
  });

  it('says within bounds that nobody is there', async () => {
    const fromMs = performance.now();
    const said = await copied([...from(), 'esdb://eve:pass@127.0.0.1:9?tls=false']);
    expect(said).to.include({ code: 2, stdout: '' });
    expect(said.stderr)
      .to.match(/^quipu copy: esdb:\/\/127\.0\.0\.1:9\?tls=false: The event store cannot be/)
      .and.not.include('pass');
    expect(performance.now() - fromMs).to.be.below(60_000); // It looks for 10 s.
  });

  it('says what it cannot do, and what it can', async () => {
    const to = ['--to', double.url];
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [to, /--from must be embedded: or embedded:<data folder>\./],
      [['--from', original, ...to], /--from must be embedded:/],
      [['--from', `embedded:${folder}/none`, ...to], /There is no folder .*none\./],
      [['--from', `embedded:${folder}`, ...to], /is not a data folder: it has no log\.db/],
      [['--from', `embedded:${original}`], /--to must be the URL of an event store, such as esdb:/],
      [['--from', `embedded:${original}`, '--to', 'http://x'], /--to must be the URL of an event/],
      [['--from', `embedded:${original}`, '--to', 'esdb://:::'], /esdb:\/\/:::: /],
      [['--from', `embedded:${original}`, ...to, '--with', 'x'], /--with must be the URL of a Mo/],
      [['--from', `embedded:${original}`, ...to, 'now'], /Unexpected argument "now"\./],
      [['--from', `embedded:${original}`, ...to, '--fast'], /--fast/],
    ];
    for (const [args, says] of cases) {
      const said = await copied(args);
      expect(said, args.join(' ')).to.include({ code: 2, stdout: '' });
      expect(said.stderr)
        .to.match(/^quipu copy: .*\n$/)
        .and.to.match(says);
    }
    const help = await quipu(['copy', '--help']);
    expect(help).to.include({ code: 0, stderr: '' });
    expect(help.stdout).to.match(/^quipu copy --from embedded:.* --to esdb:.* \[--with mongodb:/);
    expect((await quipu(['--help'])).stdout).to.include(help.stdout.split('\n')[0]!.slice(6));
  });
});
