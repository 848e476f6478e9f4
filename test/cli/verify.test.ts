import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
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
      [changed(',"data":', ',"dada":'), `line ${at + 1} revision ${at}: it is not what`],
      [changed(`"revision":${at}`, '"revision":99'), `revision 99, event .*: revision ${at} was`],
      [lines.toSpliced(at, 1).join('\n'), `revision ${at + 1}, .*: revision ${at} was to follow`],
      [text.slice(0, -10), 'line \\d+ revision \\d+: it is not what'],
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
    expect(said.stdout).to.match(/^Different: .* it is number (\d+) of the log, number \d+ was/);
  });

  it('says what it cannot do', async () => {
    writeFileSync(join(folder, 'log.txt'), 'text');
    const strange = join(folder, 'strange');
    cpSync(server().dataDir, strange, { recursive: true });
    const db = new DatabaseSync(join(strange, 'log.db'));
    db.exec('UPDATE log SET format = 2');
    db.close();
    const torn = temporaryFolder();
    writeFileSync(
      join(torn, 'log.db'),
      'no database, and long enough to be read as one '.repeat(9),
    );

    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /A data folder, URL or file is missing\./],
      [['a', 'b'], /What is b\?/],
      [['--deep', 'a'], /--deep/],
      [[folder], /is no data folder: it has no log\.db\./],
      [[join(folder, 'none')], /none cannot be read: ENOENT/],
      [[strange], /has format 2, as a newer release of Quipu writes it; this one knows 1\./],
      [[torn], /is damaged, or no log at all: file is not a database\./],
      [[`http://127.0.0.1:${await freePort()}/`], /does not answer: .*ECONNREFUSED/],
      [[`${base()}/v1/organizations/${book.ledger}/ledgers/x/journal`], /answers 400: /],
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

  it('is told by the help, and what is no command is not', async () => {
    expect((await quipu(['--help'])).stdout).to.include('verify <data folder | URL | file | ->');
    expect(await quipu(['verify', '--help'])).to.include({ code: 0, stderr: '' });
    const said = await quipu(['varify', 'x']);
    expect(said).to.include({ code: 2, stdout: '' });
    expect(said.stderr).to.match(/^What is varify\?\n/);
  });
});
