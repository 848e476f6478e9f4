import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import {
  NO_LOG,
  openLoggedBodies,
  type LoggedBodies,
} from '#src/adapters/embedded/logged-bodies.ts';
import { openEmbeddedReadStore } from '#src/adapters/embedded/read-store.ts';
import { Damaged, Unavailable } from '#src/ports/errors.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type { CollectionSpec } from '#src/ports/read-store.ts';
import { dataFolders, newUuid } from '#test/contracts/samples.ts';
import { openTestLog, logBackedWriter } from '#test/support/log-backed.ts';

const EVENTS = 50;
const at = (n: number): Position => String(n).padStart(16, '0') as Position;
const body = (n: number): string => JSON.stringify({ n, text: 'é'.repeat(n) });

describe('bodies in the log', () => {
  const newFolder = dataFolders();
  let dir: string;
  let bodies: LoggedBodies;
  beforeEach(() => {
    dir = newFolder();
    const log = openTestLog(dir);
    for (let n = 1; n <= EVENTS; n += 1) log.append(at(n), body(n));
    log.close();
    bodies = openLoggedBodies(dir, { note: (data) => data, other: () => 'other' });
  });
  afterEach(() => {
    bodies.close();
  });

  const damage = (sql: string): void => {
    const db = new DatabaseSync(join(dir, 'log.db'));
    db.exec(sql);
    db.close();
  };

  for (const [how, positions] of [
    ['that follow each other', [7, 8, 9, 10]],
    ['in descending order', [10, 9, 8, 7]],
    ['with gaps', [11, 13, 14, 17]],
    ['far apart', [1, 50, 25]],
    ['that repeat', [5, 5]],
    ['that are none', []],
  ] as const) {
    it(`are those of the positions ${how}`, () => {
      expect(bodies.data(positions)).to.deep.equal(positions.map(body));
      expect(bodies.data(positions)).to.deep.equal(positions.map(body));
    });
  }

  it('are what their collection makes of the data', () => {
    expect(bodies.bodyOf('other')(body(3))).to.equal('other');
    expect(() => bodies.bodyOf('nobody')).to.throw('nobody has no bodies in the log');
    expect(bodies.search('note', 3)).to.equal(body(3));
  });

  for (const [what, sql] of [
    ['another text', `UPDATE events SET data = replace(data, '"n":8', '"n":9') WHERE position = 8`],
    ['another type', `UPDATE events SET type = 'Pot' WHERE position = 8`],
    ['no event', 'DELETE FROM events WHERE position = 8'],
  ] as const) {
    it(`are refused where the log has ${what}`, () => {
      damage(sql);
      expect(() => bodies.data([7, 8])).to.throw(Damaged, 'position 8');
      expect(() => bodies.data([8])).to.throw(Damaged);
      expect(() => bodies.search('note', 8)).to.throw(Damaged, 'position 8');
      expect(bodies.data([7, 9])).to.deep.equal([body(7), body(9)]);
    });
  }

  it('are unavailable while the log cannot be opened, and there when it can', () => {
    const none = openLoggedBodies(newFolder(), { note: (data) => data });
    expect(() => none.data([1])).to.throw(Unavailable);
    none.close();
  });

  it('are refused by a store that opened no log', () => {
    expect(() => NO_LOG.data([1])).to.throw('a log that is not open');
    expect(() => NO_LOG.search('note', 1)).to.throw('a log that is not open');
  });

  it('fail a read of their rows when they are damaged, and no other', async () => {
    const note: CollectionSpec = {
      ...{ name: 'note', version: 1, keys: { tenantId: 'text' }, indexes: [['tenantId']] },
    };
    const writer = logBackedWriter(dir);
    await writer.open(newUuid(), [note]);
    const changes = [1, 2].map((n) => ({
      position: at(n),
      put: { id: String(n), born: n, keys: { tenantId: 'n1' }, body: body(n) },
    }));
    await writer.apply([{ collection: 'note', changes, checkpoint: START }]);
    await writer.close();
    damage(`UPDATE events SET data = replace(data, '"n":2', '"n":3') WHERE position = 2`);

    const reader = openEmbeddedReadStore(dir, WORKER, { budgetMs: 30_000 });
    const failed = await reader.get(note, { id: '2' }).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Damaged);
    const page = { where: { tenantId: 'n1' }, order: 'asc', limit: 1 } as const;
    expect((await reader.list(note, page)).map((row) => row.body)).to.deep.equal([body(1)]);
    expect(await reader.get(note, { id: '1' })).to.include({ id: '1', body: body(1) });

    // Whether the damaged one had the text is unknown, so the list is not shown without it.
    const sought = {
      where: { tenantId: 'n1' },
      filters: [{ mentions: 'é' }],
      order: 'asc',
    } as const;
    const searched = await reader
      .page(note, { ...sought, limit: 5 })
      .catch((error: unknown) => error);
    expect(searched).to.be.instanceOf(Damaged);
    await reader.close();
  });
});

const WORKER = new URL('../../support/log-backed-worker.ts', import.meta.url);
