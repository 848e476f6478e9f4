import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import type { LoggedBodies } from '#src/adapters/embedded/logged-bodies.ts';
import { READ_FILE } from '#src/adapters/embedded/read-layout.ts';
import { openEmbeddedReadStoreWriter } from '#src/adapters/embedded/read-store-writer.ts';
import { ReadView, type Walking } from '#src/adapters/embedded/read-view.ts';
import { dataFolders } from '#test/contracts/samples.ts';
import { explained } from '#test/support/explained.ts';
import { COLLECTIONS, datesOf, LISTS, rowsOf, stretches } from '#test/support/list-samples.ts';
import { nthId } from '#test/support/stamps.ts';

/** Stands in for a log: only the plans of statements matter here. */
const bodies: LoggedBodies = {
  data: (positions) => positions.map(() => '{}'),
  bodyOf: () => (data) => data,
  search: () => '{}',
  release: () => undefined,
  close: () => undefined,
};

/** A page must not cost more the longer its list is: SQLite's own plan of every statement is held to that. */
for (const [where, options] of [
  ['with bodies beside their keys', {}],
  ['with bodies in the log', { bodies }],
] as const) {
  describe(`the plan of every embedded list ${where}`, () => {
    const newFolder = dataFolders();
    let db: DatabaseSync;
    let view: ReadView;
    let plans: readonly string[];

    before(async () => {
      const dir = newFolder();
      const writer = openEmbeddedReadStoreWriter(dir, options);
      await writer.open(nthId(1), COLLECTIONS);
      await writer.apply(COLLECTIONS.map((spec) => rowsOf(spec, ROWS)));
      await writer.close();
      db = new DatabaseSync(join(dir, READ_FILE), { readOnly: true });
    });
    beforeEach(() => {
      view = new ReadView(db, bodies);
      view.refresh();
      plans = explained(db, view);
    });
    after(() => {
      db.close();
    });

    const ended = (walk: Walking<unknown>): number => {
      for (;;) {
        const step = walk.next();
        if (step.done === true) return step.value.found.length;
      }
    };
    const hold = (steps: RegExp) => {
      expect(plans).to.not.deep.equal([]);
      for (const plan of plans) {
        expect(plan).to.match(steps);
        expect(plan).to.not.match(/TEMP B-TREE|SCAN r|SCAN e|AUTOMATIC/);
      }
    };

    for (const { name, spec, where, index } of LISTS) {
      it(`walks the index of ${name}`, () => {
        for (const filters of [[], datesOf(spec)]) {
          for (const stretch of stretches(MIDDLE)) {
            const listing = { where, filters, ...stretch };
            const walk = ReadView.list(() => view, spec.name, listing, { take: (row) => row });
            expect(ended(walk)).to.equal(10);
          }
        }
        hold(new RegExp(`^SEARCH r USING (COVERING )?INDEX rows_\\d+_index_${String(index)} `));
      });
    }

    for (const spec of COLLECTIONS.filter(({ entries }) => entries !== undefined)) {
      it(`walks the entries of ${spec.name}, segment by segment`, () => {
        for (const filters of [[], [{ key: 'createdAt', from: 'a', to: 'c' }]]) {
          for (const stretch of stretches(MIDDLE)) {
            const listing = { at: 'a', filters, ...stretch };
            const walk = ReadView.listEntries(() => view, spec.name, listing, {
              take: (row) => row,
            });
            expect(ended(walk)).to.equal(10);
          }
        }
        hold(/^SCAN s; SEARCH e USING PRIMARY KEY \(segment=\? AND at=\?/);
      });
    }
  });
}

const ROWS = 100;
const MIDDLE = 50 * 65_536;
