import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import {
  openBook,
  posted,
  standing,
  transfer,
  type Book,
  type List,
  type Transaction,
} from '#test/e2e/books.ts';
import { expectProblem } from '#test/e2e/problems.ts';
import { clientOf, type Client } from '#test/support/client.ts';
import { quipu } from '#test/support/quipu.ts';
import {
  removeFolder,
  serverOfBlock,
  startServer,
  stopServer,
  temporaryFolder,
} from '#test/support/server.ts';

describe('quipu backup, restore, export and import', function () {
  this.timeout(120_000);
  const server = serverOfBlock();
  const client = clientOf(server);
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  const backup = at('backup');
  let book: Book;
  let keyed: string;
  let cursor: string;
  before(async () => {
    book = await openBook(client, { accounts: ['@bob'], funds: { '@alice': '1000' } });
    for (let n = 1; n <= 30; n += 1) await pay(client, '1');
    const key = { 'X-Idempotency': 'kept' };
    keyed = (
      await client.post(`${book.at}/transactions/json`, transfer('@alice', '@bob', '7'), key)
    ).text;
    const page = await client.get(`${book.at}/transactions?limit=3`);
    cursor = (page.json() as List<Transaction>).next_cursor ?? '';
  });
  after(() => {
    client.close();
    removeFolder(folder);
  });

  const pay = (through: Client, value: string) =>
    posted(through, book.at, transfer('@alice', '@bob', value));

  /** What a server on a folder answers. */
  async function served<Found>(dir: string, look: (through: Client) => Promise<Found>) {
    const other = await startServer({ dataDir: dir });
    const through = clientOf(() => other);
    try {
      return await look(through);
    } finally {
      through.close();
      await stopServer(other);
    }
  }
  const rows = (dir: string) => {
    const db = new DatabaseSync(join(dir, 'log.db'), { readOnly: true, timeout: 30_000 });
    const found = db.prepare('SELECT * FROM events JOIN streams USING (stream)').all();
    const { id } = db.prepare('SELECT id FROM log').get() as { id: string };
    db.close();
    return { id, events: found };
  };

  it('copy the log while it is written to, as it was at one moment', async () => {
    let writing = true;
    let acknowledged = 0;
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) {
        await posted(client, book.at, transfer('@external/BRL', '@bob', '1'));
        acknowledged += 1;
      }
    });
    const before = rows(server().dataDir).events.length;
    const said = await quipu(['backup', server().dataDir, backup]);
    writing = false;
    await Promise.all(writers);
    expect(acknowledged).to.be.above(0);

    expect(said).to.include({ code: 0, stderr: '' });
    const copied = rows(backup);
    const original = rows(server().dataDir);
    expect(copied.events.length).to.be.at.least(before);
    expect(copied.events).to.deep.equal(original.events.slice(0, copied.events.length));
    expect(copied.id).to.equal(original.id);
    expect(said.stdout).to.equal(
      `Backed up ${copied.events.length} events of log ${copied.id}: sound.\n`,
    );
    expect(existsSync(join(backup, 'partial'))).to.equal(false);
  });

  it('bring a whole backup back as the log it is', async () => {
    const said = await quipu(['restore', backup, at('whole')]);
    expect(said).to.include({ code: 0, stderr: '' });
    expect(rows(at('whole'))).to.deep.equal(rows(backup));
    await served(at('whole'), async (through) => {
      const body = transfer('@alice', '@bob', '7');
      const again = await through.post(`${book.at}/transactions/json`, body, {
        'X-Idempotency': 'kept',
      });
      expect(again.text).to.equal(keyed);
      expect(again.headers['x-idempotency-replayed']).to.equal('true');
      const next = await through.get(`${book.at}/transactions?limit=3&cursor=${cursor}`);
      expect(next.status).to.equal(200);
      await pay(through, '1');
    });
  });

  it('bring back what there was at an event of one journal, as another log', async () => {
    const name = `ledger-${book.ledger}`;
    const all = rows(backup).events;
    const last = all.findIndex(({ name: of, revision }) => of === name && revision === 20);
    const said = await quipu(['restore', backup, at('cut'), '--to-revision', `${name}@20`]);
    expect(said).to.include({ code: 0, stderr: '' });
    const { id, events } = rows(at('cut'));
    expect(events).to.deep.equal(all.slice(0, last + 1));
    expect(id).not.to.equal(rows(backup).id);
    expect(said.stdout).to.equal(
      `Restored ${last + 1} events of ${all.length}, as the new log ${id}: sound.\n`,
    );
    await served(at('cut'), async (through) => {
      const paid = all.slice(0, last + 1).filter(({ type }) => type === 'TransactionPosted');
      const bob = String(paid.length - 1);
      expect(await standing(through, book.at, '@bob')).to.equal(`${bob}/0 v${bob}`);
      const next = await through.get(`${book.at}/transactions?limit=3&cursor=${cursor}`);
      expectProblem(next, 400, 'LDG-0082');
      const key = { 'X-Idempotency': 'kept' };
      await posted(through, book.at, transfer('@alice', '@bob', '7'), key); // It never happened here.
    });
    expect((await quipu(['verify', at('cut')])).code).to.equal(0);
  });

  it('bring back so many events of the whole log', async () => {
    for (const [count, dir] of [
      [1, 'first'],
      [9, 'ninth'],
    ] as const) {
      const said = await quipu(['restore', backup, at(dir), '--to-revision', String(count)]);
      expect(said).to.include({ code: 0, stderr: '' });
      expect(rows(at(dir)).events).to.deep.equal(rows(backup).events.slice(0, count));
    }
    await served(at('first'), async (through) => {
      expect((await through.get('/v1/organizations')).text).to.include(book.org);
    });
  });

  it('carry every byte through lines of text, in the order of the log', async () => {
    const out = await quipu(['export', backup, '--out', at('all.ndjson')]);
    const { events } = rows(backup);
    const stderr = `Exported ${events.length} events.\n`;
    expect(out).to.deep.equal({ code: 0, stdout: '', stderr });
    expect((await quipu(['verify', at('all.ndjson')])).code).to.equal(0);

    const said = await quipu(['import', at('all.ndjson'), at('imported')]);
    expect(said).to.include({ code: 0, stderr: '' });
    const imported = rows(at('imported'));
    const bare = ({ stream: _, ...row }: Record<string, unknown>) => row;
    expect(imported.events.map(bare)).to.deep.equal(events.map(bare));
    expect(imported.id).not.to.equal(rows(backup).id);

    const again = await quipu(['export', at('imported')]);
    expect(again.stdout).to.equal(readFileSync(at('all.ndjson'), 'utf8'));
    await served(at('imported'), (through) => pay(through, '1'));
  });

  it('take one journal, from a folder or from a server', async () => {
    const name = `ledger-${book.ledger}`;
    const one = await quipu(['export', server().dataDir, '--journal', name]);
    const url = `http://127.0.0.1:${server().port}`;
    const lines = one.stdout.trimEnd().split('\n');
    expect(lines[0]).to.match(new RegExp(`^{"stream":"${name}","revision":0,`));
    const served = (await client.get(`${book.at}/journal`)).text.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(`"stream":"${name}",`, ''))).to.deep.equal(served);
    expect((await quipu(['export', url])).stdout).to.equal(one.stdout);
    expect((await quipu(['export', `${url}${book.at}/journal`])).stdout).to.equal(one.stdout);

    const said = await quipu(['import', '-', at('one')], served.join('\n'));
    expect(said.stdout).to.match(new RegExp(`^Imported ${served.length} events in 1 journal`));
    expect(
      (await quipu(['export', at('one')])).stdout.replaceAll(/"position":"\d+"/g, ''),
    ).to.equal(one.stdout.replaceAll(/"position":"\d+"/g, ''));
  });

  it('leave nothing where something is not sound, and name it', async () => {
    const torn = at('torn');
    await quipu(['restore', backup, torn]);
    const db = new DatabaseSync(join(torn, 'log.db'));
    db.exec(`UPDATE events SET data = replace(data, ',"7",', ',"8",')`);
    db.close();
    const lines = (await quipu(['export', torn])).stdout;
    for (const [args, so] of [
      [['backup', torn, at('no-backup')], 'No backup was kept.'],
      [['restore', torn, at('no-restore')], 'Nothing was restored.'],
      [['import', '-', at('no-import')], 'Nothing was imported.'],
    ] as const) {
      const said = await quipu(args, lines);
      expect(said).to.include({ code: 1, stderr: '' });
      expect(said.stdout).to.match(new RegExp(`^Different: ledger-.* its hash is .*\n${so}\n$`));
      expect(existsSync(join(args[2], 'log.db'))).to.equal(false);
      expect(existsSync(join(args[2], 'partial'))).to.equal(false);
    }
  });

  it('say what they cannot do', async () => {
    mkdirSync(join(at('half'), 'partial'), { recursive: true });
    writeFileSync(at('file'), 'text');
    writeFileSync(at('stopped.partial'), '');
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['backup', backup], /The empty folder is missing\./],
      [['backup', at('none'), at('x')], /There is no folder .*none\./],
      [['backup', backup, at('whole')], /is not empty: it holds .*log\.db/],
      [['backup', backup, at('half')], /partial was left by an interrupted command/],
      [['backup', backup, ''], /The empty folder is missing\./],
      [['restore', backup, server().dataDir], /is in use by process \d+/],
      [['restore', backup, at('x'), '--to-revision', '0'], /has events 1 to \d+, not 0\./],
      [['restore', backup, at('x'), '--to-revision', '99999'], /has events 1 to \d+, not 99999/],
      [['restore', backup, at('x'), '--to-revision', 'ledger-1@1'], /has no ledger-1@1\./],
      [['restore', backup, at('x'), '--to-revision', '-1'], /to-revision/],
      [['restore', backup, at('x'), '--to-revision', 'soon'], /must be N or JOURNAL@N, not soon/],
      [['export', at('file')], /is neither a data folder nor a URL/],
      [['export', backup, '--journal', 'ledger-1'], /There is no journal ledger-1\./],
      [['export', backup, '--out', at('file')], /file already exists\./],
      [['export', backup, '--out', join(at('none'), 'x')], /cannot be written: ENOENT/],
      [['export', backup, '--out', ''], /--out needs the name of a file\./],
      [
        ['export', backup, '--out', at('stopped')],
        /stopped\.partial was left by an interrupted command/,
      ],
      [['import', '-', at('x')], /- holds no events: nothing was imported\./],
      [['import', at('nowhere'), at('x')], /nowhere cannot be read: ENOENT/],
    ];
    for (const [args, says] of cases) {
      const said = await quipu(args);
      expect(said, args.join(' ')).to.include({ code: 2, stdout: '' });
      expect(said.stderr)
        .to.match(new RegExp(`^quipu ${args[0]!}: `))
        .and.to.match(says);
      expect(existsSync(join(at('x'), 'log.db'))).to.equal(false);
    }
  });

  it('touch no folder without a reason', async () => {
    mkdirSync(at('foreign'));
    writeFileSync(join(at('foreign'), 'notes'), '');
    for (const args of [
      ['backup', backup, at('foreign')],
      ['backup', at('none'), at('new')],
      ['restore', at('none'), at('new')],
      ['import', at('nowhere'), at('new')],
    ]) {
      expect((await quipu(args)).code, args.join(' ')).to.equal(2);
    }
    expect(readdirSync(at('foreign'))).to.deep.equal(['notes']);
    expect(existsSync(at('new'))).to.equal(false);
  });

  it('name what a backup lacks, with which a restored folder has everything', async () => {
    const dir = at('bank');
    mkdirSync(dir);
    await served(dir, async (through) => {
      const { org } = await openBook(through, {});
      const holder = { type: 'NATURAL_PERSON', name: 'Ana', document: '91315026015' };
      const headers = { 'X-Organization-Id': org };
      expect((await through.post('/v1/holders', holder, headers)).status).to.equal(201);
      const said = await quipu(['backup', dir, at('bank-backup')]);
      expect(said.code).to.equal(0);
      expect(said.stderr).to.match(/^Not in the backup: .*secrets\.db and .*keys\. /);
    });
    expect((await quipu(['restore', at('bank-backup'), at('bank-back')])).code).to.equal(0);
    for (const name of ['secrets.db', 'keys']) cpSync(join(dir, name), join(at('bank-back'), name));
    await served(at('bank-back'), async (through) => {
      const organizations = await through.get('/v1/organizations');
      const org = (organizations.json() as List<{ id: string }>).items[0]!.id;
      const holders = await through.get('/v1/holders', { 'X-Organization-Id': org });
      expect(holders.text).to.contain('"name":"Ana"');
    });
    expect((await quipu(['backup', backup, at('plain')])).stderr).to.equal('');
  });
});
