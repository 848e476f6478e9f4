import type { OrganizationFact } from '#commands/ledger/state/journal-facts.ts';
import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { organizationDecider } from '#commands/ledger/organization.ts';
import {
  needsOperationRoute,
  type DeleteOperationRoute,
} from '#commands/ledger/routing/operation-route.ts';
import { RouteBook } from '#commands/ledger/state/route-book.ts';
import type { Facts, JournalFact } from '#src/kernel/decider.ts';
import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { AccountingEntries, OperationType } from '#src/events/ledger/route-rules.ts';
import { NO_FACTS, specFor } from '#test/support/decider-spec.ts';
import {
  LEDGER,
  ledgerNameReserved,
  ledgerOpened,
  ORGANIZATION,
  organizationCreated,
} from '#test/support/ledger-samples.ts';
import {
  both,
  createOperationRoute,
  credit,
  debit,
  deleteOperationRoute,
  deleteTransactionRoute,
  entries,
  operationRoute,
  operationRouteCreated,
  routeId,
  transactionRouteCreated,
  updateOperationRoute,
} from '#test/support/route-samples.ts';
import { nthId } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;

describe('operation route', () => {
  it('is created with its rule and its entries', () => {
    const fields = {
      title: 'Payer',
      description: 'Who pays',
      code: 'P',
      operationType: 'source',
      account: { ruleType: 'account_type', validIf: ['deposit'] },
      accountingEntries: { direct: debit },
      metadata: { desk: 7 },
    } as const;
    given(ledgerOpened())
      .when(createOperationRoute(fields))
      .then({
        type: 'OperationRouteCreated',
        data: { operationRoute: { ...operationRoute('', fields), id: nthId(1) } },
      });
  });

  it('may have the title of another', () => {
    given(ledgerOpened(), operationRouteCreated('one')).when(createOperationRoute()).happened();
  });

  /** Contract ledger §6.1, the matrix: what a type takes, and which rule refuses the rest. */
  const matrix: readonly [OperationType, AccountingEntries, LedgerRefusalName | 'taken'][] = [
    ['source', {}, 'taken'],
    ['source', { direct: debit }, 'taken'],
    ['source', { direct: both }, 'taken'],
    ['source', { direct: credit }, 'ENTRY_SIDE_REQUIRED'],
    ['source', { direct: debit, commit: debit }, 'HOLD_GROUP_INCOMPLETE'],
    ['source', { direct: debit, hold: both, commit: debit }, 'HOLD_GROUP_INCOMPLETE'],
    ['source', { direct: debit, hold: both, commit: debit, cancel: both }, 'taken'],
    ['source', { direct: debit, hold: debit, commit: debit, cancel: both }, 'ENTRY_SIDE_REQUIRED'],
    ['source', { direct: debit, hold: both, commit: debit, cancel: credit }, 'ENTRY_SIDE_REQUIRED'],
    ['source', { direct: debit, hold: both, commit: credit, cancel: both }, 'ENTRY_SIDE_REQUIRED'],
    ['source', { hold: both, commit: debit, cancel: both }, 'DIRECT_ENTRY_REQUIRED'],
    ['source', { hold: both, commit: debit }, 'HOLD_GROUP_INCOMPLETE'], // Before the one above.
    ['source', { hold: debit, commit: debit }, 'ENTRY_SIDE_REQUIRED'], // Before both.
    ['source', { direct: debit, revert: both }, 'REVERT_NOT_BIDIRECTIONAL'],
    ['source', { revert: debit, hold: debit }, 'REVERT_NOT_BIDIRECTIONAL'], // Before all others.
    ['source', { block: debit, unblock: debit }, 'taken'],
    ['source', { block: credit }, 'ENTRY_SIDE_REQUIRED'],
    ['source', { overdraft: both }, 'DIRECT_ENTRY_REQUIRED'],
    ['source', { direct: debit, overdraft: both }, 'taken'],
    ['source', { direct: debit, overdraft: debit }, 'ENTRY_SIDE_REQUIRED'],
    ['source', { direct: debit, crossLedger: credit }, 'taken'],
    ['source', { crossLedger: debit }, 'DIRECT_ENTRY_REQUIRED'],
    ['destination', { direct: credit, commit: credit }, 'taken'],
    ['destination', { direct: debit }, 'ENTRY_SIDE_REQUIRED'],
    ['destination', { commit: credit }, 'DIRECT_ENTRY_REQUIRED'],
    ['destination', { direct: credit, commit: debit }, 'ENTRY_SIDE_REQUIRED'],
    ['destination', { direct: credit, hold: both }, 'ENTRY_NOT_ALLOWED'],
    ['destination', { cancel: debit }, 'ENTRY_NOT_ALLOWED'], // Before sides and direct.
    ['destination', { direct: credit, revert: both }, 'REVERT_NOT_BIDIRECTIONAL'],
    ['destination', { block: credit, unblock: credit }, 'taken'],
    ['destination', { unblock: debit }, 'ENTRY_SIDE_REQUIRED'],
    ['destination', { direct: credit, overdraft: credit }, 'ENTRY_SIDE_REQUIRED'],
    ['bidirectional', entries(both, 'direct', 'hold', 'commit', 'cancel', 'revert'), 'taken'],
    ['bidirectional', entries(both, 'direct', 'overdraft', 'block', 'crossLedger'), 'taken'],
    ['bidirectional', { direct: debit }, 'ENTRY_SIDE_REQUIRED'],
    ['bidirectional', { direct: both, revert: credit }, 'ENTRY_SIDE_REQUIRED'],
    ['bidirectional', { direct: both, crossLedger: credit }, 'ENTRY_SIDE_REQUIRED'],
    ['bidirectional', entries(both, 'direct', 'cancel'), 'HOLD_GROUP_INCOMPLETE'],
    ['bidirectional', entries(both, 'revert'), 'DIRECT_ENTRY_REQUIRED'],
  ];
  for (const [operationType, accountingEntries, outcome] of matrix) {
    const shown = Object.entries(accountingEntries).map(
      ([name, entry]) => `${name}${entry.debit ? ' D' : ''}${entry.credit ? ' C' : ''}`,
    );
    it(`for a ${operationType} with [${shown.join(', ')}]: ${outcome}`, () => {
      const when = given(ledgerOpened()).when(
        createOperationRoute({ operationType, accountingEntries }),
      );
      if (outcome === 'taken') when.happened();
      else when.thenRefused(outcome);
    });
  }
});

describe('operation route update', () => {
  const fields = {
    account: { ruleType: 'alias', validIf: '@alice' },
    accountingEntries: { direct: debit, block: debit },
    metadata: { a: 1, b: 2 },
  } as const;
  const before = operationRoute('payer', fields);
  const book = () => given(ledgerOpened(), operationRouteCreated('payer', fields));
  const updated = (changes: object, ...changed: string[]) =>
    ({
      type: 'OperationRouteUpdated',
      data: { operationRoute: { ...before, ...changes, updatedAt: LATER }, changed },
    }) as const;

  it('merges entries one by one, and removes those that are null', () => {
    book()
      .when(
        updateOperationRoute('payer', { accountingEntries: { overdraft: both, block: null } }),
        {},
        LATER,
      )
      .then(
        updated({ accountingEntries: { direct: debit, overdraft: both } }, 'accountingEntries'),
      );
  });

  it('replaces an entry that is sent, whole', () => {
    book()
      .when(updateOperationRoute('payer', { accountingEntries: { block: both } }), {}, LATER)
      .then(updated({ accountingEntries: { direct: debit, block: both } }, 'accountingEntries'));
  });

  it('clears all entries by null, and leaves none when each is null', () => {
    const { accountingEntries: _, ...bare } = before;
    book()
      .when(updateOperationRoute('payer', { accountingEntries: null }), {}, LATER)
      .then({
        type: 'OperationRouteUpdated',
        data: { operationRoute: { ...bare, updatedAt: LATER }, changed: ['accountingEntries'] },
      });
    book()
      .when(
        updateOperationRoute('payer', { accountingEntries: { direct: null, block: null } }),
        {},
        LATER,
      )
      .then(updated({ accountingEntries: {} }, 'accountingEntries'));
  });

  it('is refused when the merged entries break a rule', () => {
    book()
      .when(updateOperationRoute('payer', { accountingEntries: { hold: both } }))
      .thenRefused('HOLD_GROUP_INCOMPLETE');
    book()
      .when(updateOperationRoute('payer', { accountingEntries: { overdraft: both, direct: null } }))
      .thenRefused('DIRECT_ENTRY_REQUIRED');
  });

  it('replaces the account rule and merges metadata', () => {
    const account = { ruleType: 'account_type', validIf: [] } as const;
    const metadata = { a: null, c: 3 };
    book()
      .when(updateOperationRoute('payer', { title: 'New', account, metadata }), {}, LATER)
      .then(
        updated(
          { title: 'New', account, metadata: { b: 2, c: 3 } },
          'title',
          'account',
          'metadata',
        ),
      );
  });

  it('without effect changes nothing', () => {
    book()
      .when(updateOperationRoute('payer', { title: 'Route', accountingEntries: {} }))
      .thenUnchanged({
        type: 'OperationRouteUpdated',
        data: { operationRoute: before, changed: [] },
      });
  });

  it('is refused for what is not there', () => {
    book().when(updateOperationRoute('other', {})).thenRefused('OPERATION_ROUTE_NOT_FOUND');
  });
});

describe('operation route deletion', () => {
  const book = () =>
    given(
      ledgerOpened(),
      operationRouteCreated('payer'),
      operationRouteCreated('payee', { operationType: 'destination' }),
      transactionRouteCreated('payment', ['payer', 'payee']),
    );

  it('is refused while a transaction route of the ledger uses it', () => {
    book().when(deleteOperationRoute('payer')).thenRefused('OPERATION_ROUTE_IN_USE');
    const [event] = book()
      .after(deleteTransactionRoute('payment'))
      .when(deleteOperationRoute('payer'), {}, LATER)
      .happened();
    const gone = { ...operationRoute('payer'), updatedAt: LATER, deletedAt: LATER };
    expect(event?.data).to.deep.equal({ operationRoute: gone });
  });

  it('leaves nothing to delete again', () => {
    book()
      .after(deleteTransactionRoute('payment'), deleteOperationRoute('payer'))
      .when(deleteOperationRoute('payer'))
      .thenRefused('OPERATION_ROUTE_NOT_FOUND');
  });
});

describe('operation route of an organization', () => {
  const { given: givenOrganization } = specFor(organizationDecider);
  const created = operationRouteCreated('shared');
  const { operationRoute: record } = created.data as { operationRoute: object };
  const { ledgerId: _, ...shared } = record as ReturnType<typeof operationRoute>;
  const organization = () =>
    givenOrganization(organizationCreated(), ledgerNameReserved(), {
      type: 'OperationRouteCreated',
      data: { operationRoute: shared },
    });
  const ledgerThat = (uses: readonly string[]) => ({
    [ledgerJournal(LEDGER)]: {
      live: true,
      revision: 3,
      routes: {
        operationRoutes: new Map(),
        transactionRoutes: new Map([
          [routeId('x'), { id: routeId('x'), operationRoutes: uses.map(routeId), revision: 2 }],
        ]),
      },
    },
  });

  it('belongs to no ledger', () => {
    organization()
      .when(createOperationRoute())
      .then({
        type: 'OperationRouteCreated',
        data: { operationRoute: { ...shared, id: nthId(1) } },
      });
  });

  it('is not deleted while a ledger of the organization uses it', () => {
    organization()
      .when(deleteOperationRoute('shared'), ledgerThat(['shared']))
      .thenRefused('OPERATION_ROUTE_IN_USE');
    organization()
      .when(deleteOperationRoute('shared'), ledgerThat(['other']))
      .happened();
    organization().when(deleteOperationRoute('shared')).happened();
  });

  it('asks every ledger of the organization before it is deleted', () => {
    const state = organizationDecider.initialState();
    const happened = [organizationCreated(), ledgerNameReserved()];
    for (const [n, event] of happened.entries()) organizationDecider.evolve(state, event, n);
    const route = { type: 'OperationRouteCreated', data: { operationRoute: shared } } as const;
    organizationDecider.evolve(state, route, 2);
    const facts = {
      journal: () => undefined,
      settings: () => undefined,
      revisionOf: () => undefined,
      event: () => undefined,
    };
    expect(organizationDecider.needs(state, deleteOperationRoute('shared'), facts)).to.deep.equal({
      events: [2],
      journals: [ledgerJournal(LEDGER)],
    });
  });

  it('asks a few of many ledgers first, and no more once one of them uses it', () => {
    const ledgers = Array.from({ length: 10 }, (_, n) => nthId(100 + n));
    const rules = (uses: readonly string[]) => ledgerThat(uses)[ledgerJournal(LEDGER)]!.routes;
    const book = new RouteBook();
    book.evolve({ type: 'OperationRouteCreated', data: { operationRoute: shared } }, 2);
    const owner = { organizationId: ORGANIZATION, routes: book, ledgers: () => ledgers };
    const asked = new Map<string, JournalFact & OrganizationFact>();
    const image = { type: 'OperationRouteCreated', data: { operationRoute: shared } };
    const facts: Facts = { ...NO_FACTS, journal: (name) => asked.get(name), event: () => image };
    const command = deleteOperationRoute('shared') as DeleteOperationRoute;
    const needed = (users?: readonly Uuid[]) =>
      needsOperationRoute(owner, { ...command, users }, facts)?.journals ?? [];
    const answer = (uses: readonly string[]) => {
      for (const name of needed()) {
        asked.set(name, { live: true, revision: 1, routes: rules(uses) });
      }
    };

    expect(needed(ledgers.slice(3, 5))).to.deep.equal(ledgers.slice(3, 5).map(ledgerJournal));
    expect(needed([nthId(999)])).to.deep.equal([]);
    expect(needed()).to.deep.equal(ledgers.slice(0, 4).map(ledgerJournal));
    answer(['other']);
    expect(needed()).to.deep.equal(ledgers.slice(4, 8).map(ledgerJournal));
    answer(['shared']);
    expect(needed()).to.deep.equal([]);
  });

  it('ends with the organization', () => {
    organization()
      .after({ type: 'DeleteOrganization', inProduction: false })
      .when(createOperationRoute())
      .thenRefused('ORGANIZATION_NOT_FOUND');
  });
});
