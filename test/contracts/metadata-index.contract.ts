import { expect } from 'chai';
import type { Uuid } from '#src/kernel/ids.ts';
import { START, type Position } from '#src/ports/event-store.ts';
import type {
  Change,
  CollectionSpec,
  Condition,
  Listing,
  MetadataWish,
  ReadStore,
  ReadStoreWriter,
} from '#src/ports/read-store.ts';
import type { Place } from './read-store.contract.ts';

/** What every read store promises about indexes on metadata: nobody can tell from what is found that there are any. */
export function metadataIndexContract(newPlace: () => Promise<Place>): void {
  describe('indexes on metadata', () => {
    let place: Place;
    let writer: ReadStoreWriter;
    let reader: ReadStore;

    beforeEach(async () => {
      place = await newPlace();
      writer = await place.writer();
      reader = await place.reader();
      await writer.open(LOG, [notes, wishes]);
      await apply([...CAST.entries()].map(([n, one]) => note(n + 1, one)));
    });
    afterEach(async () => {
      await writer.close();
      await place.remove(reader);
    });

    const apply = (changes: readonly Change[]) =>
      writer.apply([{ collection: 'note', changes, checkpoint: START }]);
    const wish = (n: number, key: string, wanted = true, tenantId = 'n1') => {
      const one: MetadataWish = { collection: 'note', key, tenantId, wanted };
      const batch = { collection: 'wish', changes: [], checkpoint: START };
      return writer.apply([{ ...batch, wishes: [{ ...one, position: at(n) }] }]);
    };
    const settled = async (): Promise<void> => {
      for (let step = 0; await writer.indexMetadata(); step += 1) {
        if (step === STEPS_MAX) throw new Error('It never ends');
      }
    };
    const found = async (filters: Condition[], listing: Partial<Listing> = {}) => {
      const where = { tenantId: 'n1', ledgerId: 'l1' };
      const all = { where, filters, order: 'asc', limit: 100, ...listing } as const;
      return (await reader.list(notes, all)).map(({ id }) => id);
    };
    const gold = { metadata: 'tier', is: 'gold' };

    const expectTheSame = async (): Promise<void> => {
      expect(await found([gold])).to.deep.equal(['1', '3', '6']);
      expect(await found([gold], { order: 'desc', limit: 2 })).to.deep.equal(['6', '3']);
      expect(await found([gold], { after: 1, limit: 1 })).to.deep.equal(['3']);
      expect(await found([gold], { after: 3, order: 'desc' })).to.deep.equal(['1']);
      expect(await found([gold], { skip: 1 })).to.deep.equal(['3', '6']);
      expect(await found([gold, { metadata: 'late', is: 'true' }])).to.deep.equal(['3']);
      expect(await found([{ metadata: 'late', is: 'true' }, gold])).to.deep.equal(['3']);
      expect(await found([gold, { key: 'kind', is: 'b' }])).to.deep.equal(['6']);
      expect(await found([gold, { key: 'kind', prefix: 'a' }])).to.deep.equal(['1', '3']);
      const kind = { where: { tenantId: 'n1', ledgerId: 'l1', kind: 'a' } };
      expect(await found([gold], kind)).to.deep.equal(['1', '3']);
      const other = { where: { tenantId: 'n1', ledgerId: 'l2' } };
      expect(await found([gold], other)).to.deep.equal(['5']);
      const none = { where: { tenantId: 'n1', ledgerId: null } };
      expect(await found([gold], none)).to.deep.equal(['7']);
      const tenant = { where: { tenantId: 'n2', ledgerId: 'l1' } };
      expect(await found([gold], tenant)).to.deep.equal(['8']);
      expect(await found([{ metadata: 'tier', is: 'bronze' }])).to.deep.equal([]);
      expect(await found([{ metadata: 'tier', is: '7' }])).to.deep.equal(['2', '9']);
    };

    it('find what was found without them, while they are made and when they are there', async () => {
      await expectTheSame();
      await wish(100, 'tier');
      await expectTheSame();
      await writer.indexMetadata();
      await expectTheSame();
      await settled();
      await expectTheSame();
      await wish(101, 'late');
      await settled();
      await expectTheSame();
      await wish(102, 'tier', false);
      await expectTheSame();
      await settled();
      await expectTheSame();
    });

    it('have nothing to do before anybody asks, nor when they are there', async () => {
      await settled();
      expect(await writer.indexMetadata()).to.equal(false);
      await wish(100, 'tier');
      await settled();
      expect(await writer.indexMetadata()).to.equal(false);
    });

    it('follow what becomes of rows', async () => {
      await wish(100, 'tier');
      await settled();
      await apply([
        note(101, { id: '10', metadata: { tier: 'gold' } }),
        note(102, { id: '1', metadata: { tier: 'silver' } }),
        note(103, { id: '4', metadata: { tier: 'gold' } }),
        note(104, { id: '6' }),
        { position: at(105), remove: { id: '3' } },
      ]);
      expect(await found([gold])).to.deep.equal(['4', '10']);
      expect(await found([{ metadata: 'tier', is: 'silver' }])).to.deep.equal(['1']);
      await apply([note(50, { id: '4', metadata: { tier: 'old' } })]);
      expect(await found([gold])).to.deep.equal(['4', '10']);
    });

    it('follow what becomes of rows while they are made', async () => {
      await apply(
        Array.from({ length: 1500 }, (_, n) =>
          note(200 + n, { id: String(200 + n), metadata: { tier: n % 500 === 0 ? 'rare' : 'x' } }),
        ),
      );
      await wish(2000, 'tier');
      const rare = { metadata: 'tier', is: 'rare' };
      await writer.indexMetadata();
      await apply([
        note(2001, { id: '200', metadata: { tier: 'x' } }),
        note(2002, { id: '1699', metadata: { tier: 'rare' } }),
        { position: at(2003), remove: { id: '700' } },
      ]);
      expect(await found([rare])).to.deep.equal(['1200', '1699']);
      await settled();
      expect(await found([rare])).to.deep.equal(['1200', '1699']);
      await apply([note(2004, { id: '1698', metadata: { tier: 'rare' } })]);
      expect(await found([rare])).to.deep.equal(['1200', '1698', '1699']);
    });

    it('are remembered by the next writer, and go on where the last one ended', async () => {
      await wish(100, 'tier');
      await writer.indexMetadata();
      await writer.close();
      writer = await place.writer();
      await writer.open(LOG, [notes, wishes]);
      await settled();
      await expectTheSame();
    });

    it('are there after the collection was rebuilt', async () => {
      await wish(100, 'tier');
      await settled();
      await writer.close();
      writer = await place.writer();
      await writer.open(LOG, [{ ...notes, version: 2 }, wishes]);
      await writer.indexMetadata();
      await apply([...CAST.entries()].map(([n, one]) => note(n + 1, one)));
      await expectTheSame();
      await settled();
      await writer.swap('note');
      await settled();
      await expectTheSame();
    });

    it('stay while another tenant wants them, and do not mind a wish that comes again', async () => {
      await wish(100, 'tier');
      await wish(101, 'tier', true, 'n2');
      await wish(102, 'tier', false);
      await wish(100, 'tier');
      await settled();
      await wish(103, 'tier', false, 'n2');
      await settled();
      await expectTheSame();
    });

    it('take texts that no language should see', async () => {
      await wish(100, 'x');
      await settled();
      const texts = [`'`, '"', '\\', '$a', '%', '', ' ', '🔑', 'ü'.repeat(2000)];
      await apply(texts.map((x, n) => note(300 + n, { id: String(300 + n), metadata: { x } })));
      for (const [n, is] of texts.entries()) {
        expect(await found([{ metadata: 'x', is }]), is).to.deep.equal([String(300 + n)]);
      }
    });
  });
}

const LOG = '0190a000-0000-7000-8000-000000000001' as Uuid;

const notes: CollectionSpec = {
  name: 'note',
  version: 1,
  keys: { tenantId: 'text', ledgerId: 'text', kind: 'text' },
  indexes: [
    ['tenantId', 'ledgerId'],
    ['tenantId', 'ledgerId', 'kind'],
  ],
};
/** Where wishes come from. */
const wishes: CollectionSpec = {
  name: 'wish',
  version: 1,
  keys: { tenantId: 'text' },
  indexes: [['tenantId']],
};

type Note = Readonly<{
  id: string;
  kind?: string;
  ledgerId?: string | null;
  tenantId?: string;
  metadata?: object;
}>;

const CAST: readonly Note[] = [
  { id: '1', metadata: { tier: 'gold' } },
  { id: '2', metadata: { tier: 7 } },
  { id: '3', metadata: { tier: 'gold', late: true } },
  { id: '4', metadata: { late: true } },
  { id: '5', ledgerId: 'l2', metadata: { tier: 'gold' } },
  { id: '6', kind: 'b', metadata: { tier: 'gold' } },
  { id: '7', ledgerId: null, metadata: { tier: 'gold' } },
  { id: '8', tenantId: 'n2', metadata: { tier: 'gold' } },
  { id: '9', metadata: { tier: '7' } },
];

const at = (n: number) => String(n).padStart(8, '0') as Position;
const note = (n: number, { id, metadata, ...keys }: Note): Change => ({
  position: at(n),
  put: {
    id,
    born: Number(id),
    keys: { tenantId: 'n1', ledgerId: 'l1', kind: 'a', ...keys },
    body: JSON.stringify({ id, ...(metadata && { metadata }) }),
  },
});

const STEPS_MAX = 1000;
