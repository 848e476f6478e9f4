import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { ledgerOpened } from '#test/support/ledger-samples.ts';
import { bulky } from '#test/support/metadata-samples.ts';
import {
  createPortfolio,
  deletePortfolio,
  portfolioCreated,
  portfolioId,
  updatePortfolio,
} from '#test/support/record-samples.ts';
import { nthId } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;
const book = (...events: readonly LedgerEvent[]) => given(ledgerOpened(), ...events);

describe('portfolio', () => {
  it('is created in its ledger', () => {
    book()
      .when(createPortfolio({ metadata: { floor: 1 } }))
      .then(portfolioCreated({ metadata: { floor: 1 }, id: nthId(1) }));
  });

  it('may be called like another, and belong to the same owner', () => {
    book(portfolioCreated({ entityId: 'C-17' }))
      .when(createPortfolio({ entityId: 'C-17' }))
      .then(portfolioCreated({ entityId: 'C-17', id: nthId(1) }));
  });

  it('records what changed, metadata merged', () => {
    const before = portfolioCreated({ metadata: { floor: 1, wing: 'B' } });
    const metadata = { wing: 'B', light: true };
    book(before)
      .when(updatePortfolio({ name: 'Homes', metadata: { floor: null, light: true } }), {}, LATER)
      .then({
        type: 'PortfolioUpdated',
        data: {
          portfolio: { ...before.data.portfolio, name: 'Homes', metadata, updatedAt: LATER },
          changed: ['name', 'metadata'],
        },
      });
  });

  it('takes a patch without effect as nothing', () => {
    const { portfolio } = portfolioCreated().data;
    for (const changes of [{}, { name: 'Anna' }, { metadata: {} }]) {
      book(portfolioCreated())
        .when(updatePortfolio(changes))
        .thenUnchanged({ type: 'PortfolioUpdated', data: { portfolio, changed: [] } });
    }
  });

  it('goes from one owner to another', () => {
    const before = portfolioCreated({ entityId: 'C-17' });
    book(before)
      .when(updatePortfolio({ entityId: 'C-18' }), {}, LATER)
      .then({
        type: 'PortfolioUpdated',
        data: {
          portfolio: { ...before.data.portfolio, entityId: 'C-18', updatedAt: LATER },
          changed: ['entityId'],
        },
      });
  });

  it('ends', () => {
    const { portfolio } = portfolioCreated().data;
    const ended = book(portfolioCreated());
    ended.when(deletePortfolio(), {}, LATER).then({
      type: 'PortfolioDeleted',
      data: { portfolio: { ...portfolio, updatedAt: LATER, deletedAt: LATER } },
    });
  });

  for (const command of [updatePortfolio({ name: 'Ghost' }), deletePortfolio()]) {
    it(`refuses ${command.type} where there is none, or no longer`, () => {
      book().when(command).thenRefused('NOT_FOUND');
      book(portfolioCreated()).after(deletePortfolio()).when(command).thenRefused('NOT_FOUND');
    });
  }

  it('must fit one append, however its metadata grow', () => {
    book(portfolioCreated({ metadata: bulky() }))
      .when(updatePortfolio({ metadata: bulky(50) }))
      .thenRefused('TOO_LARGE');
  });

  it('is known again after the journal was put away', () => {
    const state = ledgerDecider.initialState();
    const events = [
      ledgerOpened(),
      portfolioCreated(),
      portfolioCreated({ name: 'Ben', entityId: 'C-17' }),
    ];
    for (const [revision, event] of events.entries()) ledgerDecider.evolve(state, event, revision);
    const { portfolios } = ledgerDecider.fromSnapshot(ledgerDecider.toSnapshot(state)).records;
    expect([...portfolios.all()]).to.deep.equal([
      { id: portfolioId('Anna'), revision: 1 },
      { id: portfolioId('Ben'), entityId: 'C-17', revision: 2 },
    ]);
  });
});
