import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { parseData } from '#src/kernel/event-data.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { follows, hashOf } from '#src/kernel/event-hash.ts';
import { GENESIS } from '#src/journal/chain.ts';
import { sealEvents } from '#src/journal/seal.ts';
import { assetCreated, idOf, ledgerOpened } from '#test/support/ledger-samples.ts';
import { nthId, stampAt } from '#test/support/stamps.ts';

type Entry = Readonly<{ id: Uuid; type: string; data: string; metadata: string }>;

/** A journal as it is written since metadata names the event; like all golden events, never edited. */
const golden = (
  JSON.parse(readFileSync(new URL('golden.json', import.meta.url), 'utf8')) as {
    identified: readonly Entry[];
  }
).identified;

describe('the id in an event’s metadata', () => {
  it('is the event’s own, and stands before the hash of the predecessor', () => {
    const { events } = sealEvents(
      [ledgerOpened(), assetCreated()],
      {
        context: {
          actor: { type: 'anonymous', id: 'anonymous' },
          tenantId: 'default',
          requestId: idOf('request'),
        },
      },
      stampAt(),
      { revision: -1, hash: GENESIS, recordedAt: 0 as Micros, tenantId: undefined },
    );
    expect(events.map(({ id }) => id)).to.deep.equal([nthId(1), nthId(2)]);
    for (const { id, metadata } of events) {
      const members = Object.entries(JSON.parse(metadata) as EventMetadata);
      expect(members.slice(-3).map(([name]) => name)).to.deep.equal([
        'eventId',
        'prevHash',
        'hash',
      ]);
      expect(members.at(-3)?.[1]).to.equal(id);
    }
  });

  it('is in the golden events, which are chained and fold as they did', () => {
    const state = ledgerDecider.initialState();
    let previous = GENESIS;
    for (const [revision, event] of golden.entries()) {
      expect(follows(event, previous), event.type).to.equal(true);
      expect((JSON.parse(event.metadata) as EventMetadata).eventId).to.equal(event.id);
      expect(JSON.stringify(JSON.parse(event.metadata))).to.equal(event.metadata);
      const folded = { type: event.type, data: parseData(event.data) } as LedgerEvent;
      ledgerDecider.evolve(state, folded, revision);
      previous = hashOf(event.metadata);
    }
    expect(state.book.account('@alice')?.balances[0]?.version).to.equal(1);
  });
});
