import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { organizationDecider } from '#commands/ledger/organization.ts';
import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Instant } from '#src/kernel/instant.ts';
import { ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import type { OperationRouteRule, OperationType } from '#src/events/ledger/route-rules.ts';
import type { RoutePlace } from '#src/events/ledger/routes.ts';
import { NO_FACTS, specFor } from '#test/support/decider-spec.ts';
import {
  LEDGER,
  ledgerOpened,
  ORGANIZATION,
  organizationCreated,
} from '#test/support/ledger-samples.ts';
import {
  createTransactionRoute,
  deleteTransactionRoute,
  operationRouteCreated,
  organizationWith,
  routeId,
  transactionRoute,
  transactionRouteCreated,
  updateTransactionRoute,
} from '#test/support/route-samples.ts';
import { nthId } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);
const LATER = '2026-01-06T00:00:00.000000Z' as Instant;

const shared = (name: string, operationType: OperationType): OperationRouteRule => ({
  id: routeId(name),
  operationType,
  revision: 5,
});
const organization = organizationWith({
  operationRoutes: new Map([[routeId('shared'), shared('shared', 'destination')]]),
});
const place = (name: string, revision: number): RoutePlace => ({
  id: routeId(name),
  journal: ledgerJournal(LEDGER),
  revision,
});
const book = () =>
  given(
    ledgerOpened(),
    operationRouteCreated('payer'),
    operationRouteCreated('payee', { operationType: 'destination' }),
    operationRouteCreated('both', { operationType: 'bidirectional' }),
  );

describe('transaction route', () => {
  it('names operation routes, each once, and where they stand', () => {
    book()
      .when(createTransactionRoute(['payer', 'payee', 'payer'], { metadata: { a: 1 } }))
      .then({
        type: 'TransactionRouteCreated',
        data: {
          transactionRoute: {
            ...transactionRoute('', ['payer', 'payee'], { metadata: { a: 1 } }),
            id: nthId(1),
          },
          places: [place('payer', 1), place('payee', 2)],
        },
      });
  });

  const templates: readonly [readonly string[], LedgerRefusalName | 'taken'][] = [
    [['both'], 'taken'],
    [['payer', 'both'], 'taken'],
    [['payer'], 'NO_DESTINATION_ROUTE'],
    [['payee'], 'NO_SOURCE_ROUTE'],
    [['payer', 'nobody'], 'OPERATION_ROUTE_NOT_FOUND'], // Before a side is missed.
  ];
  for (const [names, outcome] of templates) {
    it(`of ${names.join(' and ')}: ${outcome}`, () => {
      const when = book().when(createTransactionRoute(names), organization);
      if (outcome === 'taken') when.happened();
      else when.thenRefused(outcome);
    });
  }

  it('may name operation routes of the organization, by where they stand there', () => {
    const [event] = book()
      .when(createTransactionRoute(['payer', 'shared']), organization)
      .happened();
    const at = { id: routeId('shared'), journal: organizationJournal(ORGANIZATION), revision: 5 };
    expect(event?.data).to.have.deep.property('places', [place('payer', 1), at]);
  });

  it('asks the organization only about those that are not the ledger’s', () => {
    const state = ledgerDecider.initialState();
    const events = [
      ledgerOpened(),
      operationRouteCreated('both', { operationType: 'bidirectional' }),
    ];
    for (const [n, event] of events.entries()) ledgerDecider.evolve(state, event, n);
    const needs = (...names: string[]) =>
      ledgerDecider.needs(state, createTransactionRoute(names), NO_FACTS);
    expect(needs('both')).to.equal(undefined);
    expect(needs('both', 'shared')).to.deep.equal({
      journals: [organizationJournal(ORGANIZATION)],
    });
  });
});

describe('transaction route update', () => {
  const before = transactionRoute('payment', ['payer', 'payee'], { metadata: { a: 1 } });
  const existing = () =>
    given(
      ledgerOpened(),
      operationRouteCreated('payer'),
      operationRouteCreated('payee', { operationType: 'destination' }),
      operationRouteCreated('both', { operationType: 'bidirectional' }),
      transactionRouteCreated('payment', ['payer', 'payee'], { metadata: { a: 1 } }),
    );

  it('replaces the operation routes and keeps the rest', () => {
    const operationRoutes = [routeId('both'), routeId('payee')];
    existing()
      .when(updateTransactionRoute('payment', { operationRoutes }), {}, LATER)
      .then({
        type: 'TransactionRouteUpdated',
        data: {
          transactionRoute: { ...before, operationRoutes, updatedAt: LATER },
          places: [place('both', 3), place('payee', 2)],
          changed: ['operationRoutes'],
        },
      });
  });

  it('is refused with one that is not there, or without a side', () => {
    const change = (...names: string[]) =>
      updateTransactionRoute('payment', { operationRoutes: names.map(routeId) });
    existing().when(change('payer', 'nobody')).thenRefused('OPERATION_ROUTE_NOT_FOUND');
    existing().when(change('payer')).thenRefused('NO_DESTINATION_ROUTE');
  });

  it('without effect shows the operation routes as they are now', () => {
    const changed = operationRouteCreated('payee', { operationType: 'destination', title: 'New' });
    const { operationRoute } = changed.data as { operationRoute: never };
    given(
      ledgerOpened(),
      operationRouteCreated('payer'),
      operationRouteCreated('payee', { operationType: 'destination' }),
      transactionRouteCreated('payment', ['payer', 'payee'], { metadata: { a: 1 } }),
      { type: 'OperationRouteUpdated', data: { operationRoute, changed: ['title'] } },
    )
      .when(updateTransactionRoute('payment', { title: 'Payment' }))
      .thenUnchanged({
        type: 'TransactionRouteUpdated',
        data: {
          transactionRoute: before,
          places: [place('payer', 1), place('payee', 4)],
          changed: [],
        },
      });
  });

  it('keeps what it names when that is gone from the organization', () => {
    const [event] = given(
      ledgerOpened(),
      operationRouteCreated('payer'),
      transactionRouteCreated('payment', ['payer', 'gone']),
    )
      .when(updateTransactionRoute('payment', { title: 'New' }), organization)
      .happened();
    expect(event?.data).to.have.deep.property('places', [place('payer', 1)]);
  });

  it('is refused for what is not there', () => {
    existing().when(updateTransactionRoute('other', {})).thenRefused('TRANSACTION_ROUTE_NOT_FOUND');
  });
});

describe('transaction route deletion', () => {
  it('leaves the operation routes', () => {
    const routed = given(
      ledgerOpened(),
      operationRouteCreated('both', { operationType: 'bidirectional' }),
      transactionRouteCreated('payment', ['both']),
    );
    const gone = { ...transactionRoute('payment', ['both']), updatedAt: LATER, deletedAt: LATER };
    routed
      .when(deleteTransactionRoute('payment'), {}, LATER)
      .then({ type: 'TransactionRouteDeleted', data: { transactionRoute: gone } });
    routed.when(deleteTransactionRoute('payment')).thenRefused('TRANSACTION_ROUTE_NOT_FOUND');
    routed.when(createTransactionRoute(['both'])).happened();
  });
});

describe('transaction route of an organization', () => {
  it('names operation routes of the organization alone', () => {
    const { ledgerId: _, ...own } = (
      operationRouteCreated('own', { operationType: 'bidirectional' }).data as {
        operationRoute: never;
      }
    ).operationRoute as Record<string, never>;
    const { given: givenOrganization } = specFor(organizationDecider);
    const existing = () =>
      givenOrganization(organizationCreated(), {
        type: 'OperationRouteCreated',
        data: { operationRoute: own as never },
      });
    const journal = organizationJournal(ORGANIZATION);
    const [event] = existing()
      .when(createTransactionRoute(['own']))
      .happened();
    expect(event?.data).to.have.deep.property('places', [
      { id: routeId('own'), journal, revision: 1 },
    ]);
    existing()
      .when(createTransactionRoute(['own', 'payer']))
      .thenRefused('OPERATION_ROUTE_NOT_FOUND');
  });
});
