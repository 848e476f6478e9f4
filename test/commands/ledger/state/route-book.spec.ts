import { routesIn } from '#commands/ledger/state/journal-facts.ts';
import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { organizationDecider } from '#commands/ledger/organization.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { ledgerOpened, ORGANIZATION, organizationCreated } from '#test/support/ledger-samples.ts';
import {
  both,
  operationRouteCreated,
  routeId,
  transactionRouteCreated,
} from '#test/support/route-samples.ts';

const laid: readonly LedgerEvent[] = [
  operationRouteCreated('both', {
    operationType: 'bidirectional',
    account: { ruleType: 'alias', validIf: '@alice' },
    accountingEntries: { direct: both },
    metadata: { kept: 'out of the state' },
  }),
  transactionRouteCreated('payment', ['both']),
];
const rules = {
  operationRoutes: new Map([
    [
      routeId('both'),
      {
        id: routeId('both'),
        operationType: 'bidirectional',
        account: { ruleType: 'alias', validIf: '@alice' },
        accountingEntries: { direct: both },
        revision: 1,
      },
    ],
  ]),
  transactionRoutes: new Map([
    [
      routeId('payment'),
      { id: routeId('payment'), operationRoutes: [routeId('both')], revision: 2 },
    ],
  ]),
};

describe('routes of a journal', () => {
  const ledger = () => {
    const state = ledgerDecider.initialState();
    for (const [n, event] of [ledgerOpened(), ...laid].entries()) {
      ledgerDecider.evolve(state, event, n);
    }
    return state;
  };

  it('are told to other journals as their rules', () => {
    const fact = ledgerDecider.fact(ledger());
    expect(fact).to.deep.include({ live: true, organizationId: ORGANIZATION, routes: rules });
    const organization = organizationDecider.initialState();
    organizationDecider.evolve(organization, organizationCreated(), 0);
    for (const [n, event] of laid.entries()) {
      organizationDecider.evolve(organization, event as never, n + 1);
    }
    expect(organizationDecider.fact(organization)).to.deep.equal({ live: true, routes: rules });
  });

  it('stay as they were told, whatever happens afterwards', () => {
    const state = ledger();
    const told = routesIn(ledgerDecider.fact(state));
    ledgerDecider.evolve(state, operationRouteCreated('more'), 3);
    expect(told).to.deep.equal(rules);
    expect(routesIn(ledgerDecider.fact(state))!.operationRoutes.size).to.equal(2);
  });

  it('outlive a snapshot', () => {
    const thawed = ledgerDecider.fromSnapshot([...ledgerDecider.toSnapshot(ledger())]);
    expect(thawed.routes.rules()).to.deep.equal(rules);
    const organization = organizationDecider.initialState();
    for (const [n, event] of [organizationCreated(), ...laid].entries()) {
      organizationDecider.evolve(organization, event as never, n);
    }
    const chunks = [...organizationDecider.toSnapshot(organization)];
    expect(organizationDecider.fromSnapshot(chunks).routes.rules()).to.deep.equal(rules);
  });
});
