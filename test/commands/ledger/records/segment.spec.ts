import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { ledgerOpened } from '#test/support/ledger-samples.ts';
import { bulky } from '#test/support/metadata-samples.ts';
import {
  createSegment,
  deleteSegment,
  segmentCreated,
  segmentId,
  updateSegment,
} from '#test/support/record-samples.ts';
import { nthId } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;
const book = (...events: readonly LedgerEvent[]) => given(ledgerOpened(), ...events);

describe('segment', () => {
  it('is created in its ledger', () => {
    book()
      .when(createSegment({ metadata: { floor: 1 } }))
      .then(segmentCreated({ metadata: { floor: 1 }, id: nthId(1) }));
  });

  it('has a name of its own, compared with its letter case', () => {
    const { details } = book(segmentCreated())
      .when(createSegment())
      .thenRefused('SEGMENT_NAME_TAKEN');
    expect(details.findings?.[0]).to.include({ location: 'name', value: 'Retail' });
    book(segmentCreated())
      .when(createSegment({ name: 'RETAIL' }))
      .happened();
  });

  it('records what changed, metadata merged', () => {
    const before = segmentCreated({ metadata: { floor: 1, wing: 'B' } });
    const metadata = { wing: 'B', light: true };
    book(before)
      .when(updateSegment({ name: 'Homes', metadata: { floor: null, light: true } }), {}, LATER)
      .then({
        type: 'SegmentUpdated',
        data: {
          segment: { ...before.data.segment, name: 'Homes', metadata, updatedAt: LATER },
          changed: ['name', 'metadata'],
        },
      });
  });

  it('takes a patch without effect as nothing', () => {
    const { segment } = segmentCreated().data;
    for (const changes of [{}, { name: 'Retail' }, { metadata: {} }]) {
      book(segmentCreated())
        .when(updateSegment(changes))
        .thenUnchanged({ type: 'SegmentUpdated', data: { segment, changed: [] } });
    }
  });

  it('frees its old name with a new one, and takes no other’s', () => {
    const renamed = book(segmentCreated(), segmentCreated({ name: 'Farms' })).after(
      updateSegment({ name: 'Homes' }),
    );
    renamed.when(updateSegment({ name: 'Farms' })).thenRefused('SEGMENT_NAME_TAKEN');
    renamed.when(createSegment({ name: 'Homes' })).thenRefused('SEGMENT_NAME_TAKEN');
    renamed.when(createSegment()).happened();
  });

  it('ends, and frees its name', () => {
    const { segment } = segmentCreated().data;
    const ended = book(segmentCreated());
    ended.when(deleteSegment(), {}, LATER).then({
      type: 'SegmentDeleted',
      data: { segment: { ...segment, updatedAt: LATER, deletedAt: LATER } },
    });
    ended.when(createSegment()).happened();
  });

  for (const command of [updateSegment({ name: 'Ghost' }), deleteSegment()]) {
    it(`refuses ${command.type} where there is none, or no longer`, () => {
      book().when(command).thenRefused('NOT_FOUND');
      book(segmentCreated()).after(deleteSegment()).when(command).thenRefused('NOT_FOUND');
    });
  }

  it('must fit one append, however its metadata grow', () => {
    book(segmentCreated({ metadata: bulky() }))
      .when(updateSegment({ metadata: bulky(50) }))
      .thenRefused('TOO_LARGE');
  });

  it('is known again after the journal was put away', () => {
    const state = ledgerDecider.initialState();
    const events = [ledgerOpened(), segmentCreated(), segmentCreated({ name: 'Farms' })];
    for (const [revision, event] of events.entries()) ledgerDecider.evolve(state, event, revision);
    const { segments } = ledgerDecider.fromSnapshot(ledgerDecider.toSnapshot(state)).records;
    expect([...segments.all()]).to.deep.equal([
      { id: segmentId('Retail'), name: 'Retail', revision: 1 },
      { id: segmentId('Farms'), name: 'Farms', revision: 2 },
    ]);
    expect(segments.having('name', 'Farms')).to.include({ revision: 2 });
  });
});
