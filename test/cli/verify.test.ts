import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { openEmbeddedEventStore } from '#src/adapters/embedded/event-store.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { GENESIS, seal } from '#src/journal/chain.ts';
import { journalLine, readJournalLine } from '#src/resources/ledger/journal.ts';
import { systemIds } from '#src/adapters/system.ts';
import { clientOf } from '#test/support/client.ts';
import { quipu } from '#test/support/quipu.ts';
import { freePort, removeFolder, serverOfBlock, temporaryFolder } from '#test/support/server.ts';
import { openBook, posted, transfer, type Book } from '#test/e2e/books.ts';

describe('quipu verify', function () {
  this.timeout(120_000);
  const server = serverOfBlock();
  const client = clientOf(server);
  let book: Book;
  let other: Book;
  const folder = temporaryFolder();
  before(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '1000' } });
    other = await openBook(client, { funds: { '@alice': '5' } });
    const metadata = { '"metadata":{': '}},"metadata":{"$correlationId":"', a: 'é💶\\"' };
    for (let n = 1; n <= 20; n += 1) {
      await posted(client, book.at, transfer('@alice', '@bob', `1.${n}`, 'BRL', { metadata }));
    }
  });
  after(() => {
    client.close();
    removeFolder(folder);
  });

  const base = () => `http://127.0.0.1:${server().port}`;
  const journal = async () => (await client.get(`${book.at}/journal`)).text;
  const lastHash = (text: string) => /"hash":"([0-9a-f]{64})"\}\}\n$/.exec(text)?.[1] ?? 'none';

  it('finds a data folder sound while its server runs', async () => {
    const said = await quipu(['verify', server().dataDir]);
    expect(said).to.include({ code: 0, stderr: '' });
    const text = await journal();
    const count = text.split('\n').length - 1;
    expect(said.stdout).to.include(
      `ledger-${book.ledger}: ${count} events, 21 transactions, last hash ${lastHash(text)}\n`,
    );
    expect(said.stdout).to.match(/Sound: \d+ events in 4 journals\.\n$/);
  });

  it('prints one document with --json, sound or not', async () => {
    const said = await quipu(['verify', server().dataDir, '--json']);
    expect(said).to.include({ code: 0, stderr: '' });
    const found = JSON.parse(said.stdout) as {
      sound: boolean;
      keptHashes: number;
      events: number;
      journals: { journal: string; events: number }[];
    };
    expect(found).to.include({ sound: true, keptHashes: 0 });
    expect(found.journals).to.have.length(4);
    expect(found.journals.reduce((sum, { events }) => sum + events, 0)).to.equal(found.events);
    const text = await journal();
    expect(
      found.journals.find(({ journal: name }) => name === `ledger-${book.ledger}`),
    ).to.deep.equal({
      ...{ journal: `ledger-${book.ledger}`, events: text.split('\n').length - 1 },
      ...{ hash: lastHash(text), transactions: 21, forgottenKeys: 0, unknown: {} },
    });
    const forged = await quipu(['verify', '-', '--json'], text.replace('"type":"', '"type":"X'));
    expect(forged).to.include({ code: 1, stderr: '' });
    const { sound, difference } = JSON.parse(forged.stdout) as {
      sound: boolean;
      difference: Readonly<Record<string, unknown>>;
    };
    expect(sound).to.equal(false);
    expect(difference).to.include({ revision: 0 });
    expect(difference).to.have.keys('journal', 'revision', 'eventId', 'what');
  });

  it('finds one ledger sound by the URL of its journal', async () => {
    const said = await quipu(['verify', `${base()}${book.at}/journal`]);
    expect(said).to.include({ code: 0, stderr: '' });
    expect(said.stdout).to.include(`ledger-${book.ledger}: `);
    expect(said.stdout).to.match(/in 1 journal\.\n$/);
  });

  it('finds all ledgers sound by the URL of the server', async () => {
    for (const url of [base(), `${base()}/`, `${base()}/v1`]) {
      const said = await quipu(['verify', url]);
      expect(said).to.include({ code: 0, stderr: '' });
      expect(said.stdout).to.include(`ledger-${book.ledger}: `);
      expect(said.stdout).to.include(`ledger-${other.ledger}: `);
      expect(said.stdout).to.match(/in 2 journals\.\n$/);
    }
  });

  it('finds a downloaded journal sound, from a file or from stdin, without its server', async () => {
    const text = await journal();
    const file = join(folder, 'journal.ndjson');
    writeFileSync(file, text);
    const expected = `, last hash ${lastHash(text)}\n`;
    expect((await quipu(['verify', file])).stdout).to.include(expected);
    const said = await quipu(['verify', '-'], text);
    expect(said).to.include({ code: 0, stderr: '' });
    expect(said.stdout).to.include(expected);
  });

  it('names the first difference of a downloaded journal', async () => {
    const text = await journal();
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.includes('"amount":"1.1"'));
    const changed = (from: string | RegExp, to: string) => {
      expect(lines[at]).to.match(new RegExp(from));
      return lines.with(at, lines[at]!.replace(from, to)).join('\n');
    };
    const cases: readonly (readonly [text: string, says: string])[] = [
      [changed('"amount":"1.1"', '"amount":"1.2"'), `revision ${at}, event .*: its hash is`],
      [changed(/"hash":"./, '"hash":"x'), `revision ${at}, event .*: metadata does not end`],
      [changed('"id":"0', '"id":"1'), `revision ${at}, event 1.*: its id is 1.*, its metadata`],
      [changed(',"data":', ',"dada":'), `line ${at + 1} revision ${at}: this line is not`],
      [`text\n${text}`, 'Different: line 1: this line is not an event'],
      [changed(`"revision":${at}`, '"revision":99'), `revision 99, event .*: revision ${at} was`],
      [lines.toSpliced(at, 1).join('\n'), `revision ${at + 1}, .*: revision ${at} was to follow`],
      [text.slice(0, -10), 'line \\d+ revision \\d+: this line is not'],
      [text.slice(text.indexOf('\n') + 1), 'revision 1, event .*: revision 0 was to follow'],
    ];
    for (const [bad, says] of cases) {
      const said = await quipu(['verify', '-'], bad);
      expect(said).to.include({ code: 1, stderr: '' });
      expect(said.stdout)
        .to.match(/^Different: [^\n]*\n$/)
        .and.to.match(new RegExp(says));
    }
  });

  describe('compares with hashes that were kept', () => {
    const kept = join(folder, 'kept.txt');
    const verify = (source: string, stdin = '', file = kept) =>
      quipu(['verify', source, '--expect', file], stdin);
    /** What verify printed of the journal after some of its events. */
    async function keep(events: number): Promise<void> {
      const said = await quipu(['verify', '-'], await firstOf(events));
      expect(said.code).to.equal(0);
      writeFileSync(kept, said.stdout);
    }
    const firstOf = async (events: number) =>
      (await journal()).split('\n').slice(0, events).join('\n') + '\n';

    it('and finds them all, also in journals that have grown since', async () => {
      writeFileSync(kept, (await quipu(['verify', server().dataDir])).stdout);
      await posted(client, book.at, transfer('@alice', '@bob', '1'));
      const said = await verify(server().dataDir);
      expect(said).to.include({ code: 0, stderr: '' });
      expect(said.stdout).to.match(/Sound: \d+ events in 4 journals; 4 kept hashes found\.\n$/);
    });

    it('and names a journal that was truncated, though what is left is sound', async () => {
      await keep(20);
      const said = await verify('-', await firstOf(15));
      expect(said).to.include({ code: 1, stderr: '' });
      expect(said.stdout).to.match(
        new RegExp(
          `^Different: ledger-${book.ledger} revision 19: .* ends at revision 14: it was tru`,
        ),
      );
    });

    it('and names a journal that was rewritten, though it is sound again', async () => {
      await keep(20);
      const rewritten = resealed(await journal(), '💶', '💷');
      expect((await quipu(['verify', '-'], rewritten)).code, 'sound by itself').to.equal(0);
      const said = await verify('-', rewritten);
      expect(said).to.include({ code: 1, stderr: '' });
      expect(said.stdout).to.match(
        new RegExp(
          `^Different: ledger-${book.ledger} revision 19, event .*: its hash is .* rewritten\n$`,
        ),
      );
    });

    it('and names a journal that is gone, also when nothing is left at all', async () => {
      await keep(20);
      const gone = new RegExp(
        `^Different: ledger-${book.ledger} revision 19: .* journal is missing`,
      );
      for (const [source, stdin] of [
        ['-', ''],
        [`${base()}${other.at}/journal`, ''],
      ] as const) {
        const said = await verify(source, stdin);
        expect(said).to.include({ code: 1, stderr: '' });
        expect(said.stdout).to.match(gone);
      }
    });

    it('and takes several outputs, one after the other', async () => {
      const outputs = [];
      for (const events of [10, 15, 20]) {
        await keep(events);
        outputs.push(readFileSync(kept, 'utf8'));
      }
      writeFileSync(kept, outputs.join(''));
      const said = await verify('-', await journal());
      expect(said.stdout).to.match(/; 3 kept hashes found\.\n$/);
      expect((await verify('-', await firstOf(15))).stdout).to.include('revision 19: ');
    });

    it('but not with a file that is no output of it, or not a whole one', async () => {
      const { stdout } = await quipu(['verify', server().dataDir]);
      const hash = 'a'.repeat(64);
      const cases: readonly (readonly [string, RegExp])[] = [
        ['', /holds no hashes, so there is nothing to compare/],
        ['text\n', /Line 1 of .*kept.txt is not a line that verify prints/],
        [stdout.slice(stdout.indexOf('\n') + 1), /has 3 of the 4 journals/],
        [
          `${stdout}${stdout.replaceAll(/[0-9a-f]{64}/g, hash)}`,
          /has two different hashes for \S+@\d+/,
        ],
      ];
      for (const [text, says] of cases) {
        writeFileSync(kept, text);
        const said = await verify(server().dataDir);
        expect(said).to.include({ code: 2, stdout: '' });
        expect(said.stderr).to.match(says);
      }
      expect((await verify('-', '', join(folder, 'none'))).stderr).to.match(/none cannot be read/);
    });
  });

  it('names an event that is gone from a data folder, even the last of its journal', async () => {
    const cut = join(folder, 'cut');
    cpSync(server().dataDir, cut, { recursive: true });
    const db = new DatabaseSync(join(cut, 'log.db'));
    db.exec(`DELETE FROM events WHERE (stream, revision) IN (
      SELECT stream, max(revision) FROM events JOIN streams USING (stream)
      WHERE name = 'ledger-${other.ledger}')`);
    db.close();
    const said = await quipu(['verify', cut]);
    expect(said.code).to.equal(1);
    expect(said.stdout).to.match(
      /^Different: .* it is event number (\d+) of the log, where number \d+ was/,
    );
  });

  it('ends with 2 when nothing was verified, and says so', async () => {
    const empty = temporaryFolder();
    const store = await openEmbeddedEventStore(empty, { ids: systemIds(), onFatal: () => {} });
    await store.close();
    writeFileSync(join(empty, 'empty.ndjson'), '');
    for (const word of [empty, join(empty, 'empty.ndjson'), '-']) {
      const said = await quipu(['verify', word]);
      expect(said).to.include({ code: 2, stdout: '' });
      expect(said.stderr).to.match(/^quipu verify: .* holds no events: nothing was verified\.\n$/);
    }
    removeFolder(empty);
  });

  it('counts one as one', async () => {
    const one = (await journal()).split('\n').slice(0, 1).join('');
    const said = await quipu(['verify', '-'], one);
    expect(said.stdout).to.match(
      /^ledger-.*: 1 event, last hash \w{64}\nSound: 1 event in 1 journal\.\n$/,
    );
  });

  it('says what it cannot do', async () => {
    writeFileSync(join(folder, 'log.txt'), 'text');
    const strange = join(folder, 'strange');
    cpSync(server().dataDir, strange, { recursive: true });
    const db = new DatabaseSync(join(strange, 'log.db'));
    db.exec('UPDATE log SET format = 3');
    db.close();
    const torn = temporaryFolder();
    writeFileSync(
      join(torn, 'log.db'),
      'no database, and long enough to be read as one '.repeat(9),
    );

    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /A data folder, URL or file is missing\./],
      [['a', 'b'], /Unexpected argument "b"\./],
      [['--deep', 'a'], /--deep/],
      [[folder], /is not a data folder: it has no log\.db\./],
      [[join(folder, 'none')], /none cannot be read: ENOENT/],
      [
        [strange],
        /has format 3, written by a newer release of Quipu; this release reads format 2\./,
      ],
      [[torn], /is damaged or not a log: file is not a database\./],
      [['http://'], /http:\/\/ is not a URL\./],
      [[`${base()}/openapi.json?`], /did not respond with a list as Quipu does\./],
      [[`http://127.0.0.1:${await freePort()}/`], /cannot be reached: .*ECONNREFUSED/],
      [[`${base()}/v1/organizations/${book.ledger}/ledgers/x/journal`], /responded with 400: /],
    ];
    for (const [args, says] of cases) {
      const said = await quipu(['verify', ...args]);
      expect(said).to.include({ code: 2, stdout: '' });
      expect(said.stderr)
        .to.match(/^quipu verify: /)
        .and.to.match(says);
    }
    removeFolder(torn);
  });

  it('belongs to a program that says which one it is', async () => {
    for (const word of ['--version', 'version']) {
      const said = await quipu([word]);
      expect(said).to.include({ code: 0, stderr: '' });
      expect(said.stdout).to.match(
        /^quipu \d+\.\d+\.\d+( \(commit [0-9a-f]{12}(, with changes)?\))?, API v4\.0\.0\n$/,
      );
    }
  });

  it('is told by the help, and what is no command is not', async () => {
    expect((await quipu(['--help'])).stdout).to.include('verify <data folder | URL | file | ->');
    expect(await quipu(['verify', '--help'])).to.include({ code: 0, stderr: '' });
    const said = await quipu(['varify', 'x']);
    expect(said).to.include({ code: 2, stdout: '' });
    expect(said.stderr).to.match(/^Unknown command "varify"\.\n/);
  });
});

/** A journal with a text changed in one event's data, and all hashes computed again from there on. */
function resealed(text: string, from: string, to: string): string {
  let prevHash = GENESIS;
  let lines = '';
  for (const line of text.trimEnd().split('\n')) {
    const { event } = readJournalLine(line)!;
    const data = event.data.replace(from, to);
    const { hash: _, ...metadata } = JSON.parse(event.metadata) as EventMetadata;
    const sealed = seal(event.type, data, { ...metadata, prevHash });
    prevHash = sealed.hash;
    lines += journalLine({ ...event, data, metadata: sealed.metadata });
  }
  expect(lines.length, 'a text was changed').to.equal(text.length);
  expect(lines).not.to.equal(text);
  return lines;
}
