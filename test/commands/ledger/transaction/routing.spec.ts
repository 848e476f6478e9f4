import { expect } from 'chai';
import { sendBodyLocations } from '#commands/ledger/api/locations.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { PostTransaction, TransactionCommand } from '#commands/ledger/transaction/commands.ts';
import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import { organizationJournal } from '#src/kernel/journal-name.ts';
import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import type { Fee } from '#src/events/fees/fee-package.ts';
import type { AccountRule } from '#src/events/ledger/route-rules.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OperationRecord, TransactionEvent } from '#src/events/ledger/transaction.ts';
import type { OperationRouteRecord } from '#src/events/ledger/routes.ts';
import { NO_FACTS, specFor } from '#test/support/decider-spec.ts';
import { fee, feePackage, knownFees } from '#test/support/fee-samples.ts';
import { ledgerOpened, ledgerWith, ORGANIZATION } from '#test/support/ledger-samples.ts';
import {
  both,
  credit,
  debit,
  deleteTransactionRoute,
  entries,
  operationRoute,
  operationRouteCreated,
  organizationWith,
  routeId,
  transactionRouteCreated,
  updateOperationRoute,
} from '#test/support/route-samples.ts';
import { nthWhole } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);

type LegOf = readonly [alias: string, route?: string];
type Asked = Readonly<{
  route?: string;
  from?: readonly LegOf[];
  to?: readonly LegOf[];
  pending?: true;
  as?: PostTransaction['as'];
}>;

/** Each leg of a side moves 1, by its operation route. */
function post({
  route = 'payment',
  from = [['@alice', 'S']],
  to = [['@bob', 'D']],
  ...how
}: Asked) {
  const most = Math.max(from.length, to.length);
  const legs = (side: readonly LegOf[]) =>
    side.map(([accountAlias, name], n) => ({
      accountAlias,
      amount: { asset: 'BRL', value: String(n === 0 ? most - side.length + 1 : 1) },
      ...(name !== undefined && { routeId: routeId(name) }),
    }));
  const { as, pending } = how;
  return {
    type: 'PostTransaction',
    organizationId: ORGANIZATION,
    locations: sendBodyLocations,
    ...(as && { as }),
    request: {
      ...(route !== '' && { routeId: routeId(route) }),
      ...(pending && { pending }),
      send: {
        asset: 'BRL',
        value: String(most),
        source: { from: legs(from) },
        distribute: { to: legs(to) },
      },
    },
  } satisfies PostTransaction;
}

const hold = { direct: debit, hold: both, commit: debit, cancel: both };
const S = operationRouteCreated('S', { accountingEntries: { ...hold, block: debit } });
const D = operationRouteCreated('D', {
  operationType: 'destination',
  accountingEntries: { ...entries(credit, 'direct', 'commit', 'block') },
});
const B = operationRouteCreated('B', {
  operationType: 'bidirectional',
  accountingEntries: entries(both, 'direct', 'revert'),
});
const settings = {
  ...defaultSettings,
  accounting: { ...defaultSettings.accounting, validateRoutes: true },
};

const validateRoutes = {
  type: 'ChangeLedgerSettings',
  organizationId: ORGANIZATION,
  changes: { accounting: { validateRoutes: true } },
} as const;

/** A ledger that validates routes, with these; it began without doing so, for funds to come in. */
function routed(...routes: readonly LedgerEvent[]) {
  const ledger = ledgerWith('BRL', '@alice', '@bob', '@carol', '@dave');
  return given(...ledger, S, D, B, ...routes).after(
    inflow('@alice'),
    inflow('@carol'),
    validateRoutes,
  );
}
const inflow = (alias: string): PostTransaction =>
  post({ route: '', from: [['@external/BRL']], to: [[alias]] });

const payment = transactionRouteCreated('payment', ['S', 'D']);
const operationsOf = ([event]: readonly LedgerEvent[]): readonly OperationRecord[] =>
  (event as TransactionEvent).data.transaction.operations;
const shown = (operations: readonly OperationRecord[]) =>
  operations.map(
    ({ type, direction, accountAlias, amount, routeCode, balance: b, balanceAfter: a }) =>
      `${type} ${direction} ${accountAlias} ${amount} ${routeCode ?? '-'} ` +
      `${b.available}/${b.onHold} v${b.version} → ${a.available}/${a.onHold} v${a.version}`,
  );

describe('transaction by routes', () => {
  it('is booked with what its operation routes say', () => {
    const [event] = routed(payment).when(post({})).happened();
    const { transaction, ...rest } = (event as TransactionEvent).data;
    expect(rest).to.deep.equal({});
    expect(transaction.routeId).to.equal(routeId('payment'));
    expect(
      transaction.operations.map((one) => [one.routeId, one.routeCode, one.routeDescription]),
    ).to.deep.equal([
      [routeId('S'), 'D', 'Debited'],
      [routeId('D'), 'C', 'Credited'],
    ]);
  });

  it('may name routes by the deprecated spelling, and routeId wins over it', () => {
    const { request, ...rest } = post({ route: '' });
    const named = (more: object) => ({ ...rest, request: { ...request, ...more } }) as const;
    const [event] = routed(payment)
      .when(named({ route: routeId('payment').toUpperCase() }))
      .happened();
    expect((event as TransactionEvent).data.transaction.routeId).to.equal(routeId('payment'));
    routed(payment)
      .when(named({ route: 'nonsense', routeId: routeId('payment') }))
      .happened();
    routed(payment)
      .when(named({ route: 'nonsense' }))
      .thenRefused('TRANSACTION_ROUTE_INVALID');
    routed(payment)
      .when(named({ route: '' }))
      .thenRefused('TRANSACTION_ROUTE_REQUIRED');
  });

  /** Contract ledger §7.8, row by row; the first rows speak before the later ones. */
  const rows: readonly [
    what: string,
    template: readonly string[],
    asked: Asked,
    outcome: LedgerRefusalName | 'taken',
  ][] = [
    ['no transaction route', ['S', 'D'], { route: '' }, 'TRANSACTION_ROUTE_REQUIRED'],
    ['one that is not there', ['S', 'D'], { route: 'x' }, 'TRANSACTION_ROUTE_NOT_FOUND'],
    ['none for the action', ['S', 'D'], { as: 'unblock' }, 'NO_ROUTE_FOR_ACTION'],
    ['one for the action', ['S', 'D'], { as: 'block' }, 'taken'],
    [
      'a route without the entry, which is no part of it',
      ['S', 'D', 'B'],
      { as: 'block' },
      'taken',
    ],
    [
      'more routes on a side than there are for it',
      ['S', 'D'],
      {
        from: [
          ['@alice', 'S'],
          ['@carol', 'B'],
        ],
      },
      'ROUTE_LEGS_DIFFER',
    ],
    ['fewer', ['S', 'D'], { from: [['@alice']] }, 'ROUTE_LEGS_DIFFER'],
    ['a bidirectional route that nobody uses', ['S', 'D', 'B'], {}, 'ROUTE_LEGS_DIFFER'],
    ['a route of another template', ['S', 'D'], { from: [['@alice', 'B']] }, 'OUTSIDE_TEMPLATE'],
    [
      'a leg without a route',
      ['S', 'D'],
      { from: [['@alice', 'S'], ['@carol']] },
      'OUTSIDE_TEMPLATE',
    ],
    [
      'a leg with one outside the template',
      ['B'],
      { from: [['@alice', 'B']], to: [['@bob', 'D'] as const] },
      'OUTSIDE_TEMPLATE',
    ],
    [
      'a bidirectional route on one side only',
      ['B', 'D'],
      { from: [['@alice', 'B']] },
      'COUNTERPART_MISSING',
    ],
    [
      'a bidirectional route on both sides',
      ['B'],
      { from: [['@alice', 'B']], to: [['@bob', 'B']] },
      'taken',
    ],
    [
      'a bidirectional route beside others',
      ['S', 'B', 'D'],
      {
        from: [
          ['@alice', 'S'],
          ['@carol', 'B'],
        ],
        to: [
          ['@bob', 'D'],
          ['@dave', 'B'],
        ],
      },
      'taken',
    ],
    [
      'legs by routes of the other side',
      ['S', 'D'],
      { from: [['@alice', 'D']], to: [['@bob', 'S']] },
      'OUTSIDE_TEMPLATE',
    ],
    [
      'a source by a destination’s route, and so by none of its own',
      ['S', 'D'],
      { from: [['@alice', 'D']] },
      'OUTSIDE_TEMPLATE',
    ],
    [
      'a destination by a source’s route beside a bidirectional one',
      ['S', 'B', 'D'],
      {
        from: [
          ['@alice', 'S'],
          ['@carol', 'B'],
        ],
        to: [
          ['@bob', 'S'],
          ['@dave', 'B'],
        ],
      },
      'OUTSIDE_TEMPLATE',
    ],
    [
      'a bidirectional route in place of one for the side',
      ['S', 'B', 'D'],
      {
        from: [['@alice', 'B']],
        to: [
          ['@bob', 'D'],
          ['@dave', 'B'],
        ],
      },
      'ROUTE_LEGS_DIFFER',
    ],
    [
      'different numbers before a route of the other side',
      ['S', 'D'],
      {
        from: [
          ['@alice', 'S'],
          ['@carol', 'D'],
        ],
      },
      'ROUTE_LEGS_DIFFER',
    ],
    ['a hold', ['S', 'D'], { pending: true }, 'taken'],
    [
      'a hold without an entry for it',
      ['B'],
      { pending: true, from: [['@alice', 'B']], to: [['@bob', 'B']] },
      'NO_ROUTE_FOR_ACTION',
    ],
    [
      'two legs by one route',
      ['S', 'D'],
      {
        from: [
          ['@alice', 'S'],
          ['@carol', 'S'],
        ],
      },
      'taken',
    ],
    ['a note, whatever it names', ['S', 'D'], { as: 'annotation', route: '' }, 'taken'],
  ];
  for (const [what, template, asked, outcome] of rows) {
    it(`${outcome === 'taken' ? 'takes' : 'is refused with'} ${what}`, () => {
      const when = routed(transactionRouteCreated('payment', template)).when(post(asked));
      if (outcome === 'taken') when.happened();
      else when.thenRefused(outcome);
    });
  }

  const rules: readonly [what: string, account: object, outcome: LedgerRefusalName | 'taken'][] = [
    ['its alias', { ruleType: 'alias', validIf: '@alice' }, 'taken'],
    ['another alias', { ruleType: 'alias', validIf: '@bob' }, 'ALIAS_RULE'],
    ['its type, in any case', { ruleType: 'account_type', validIf: ['x', 'Deposit'] }, 'taken'],
    ['other types', { ruleType: 'account_type', validIf: ['savings'] }, 'ACCOUNT_TYPE_RULE'],
    ['no type at all', { ruleType: 'account_type', validIf: [] }, 'ACCOUNT_TYPE_RULE'],
    ['what cannot be read', { ruleType: 'color', validIf: 'blue' }, 'ACCOUNT_RULE_DAMAGED'],
    ['a value that cannot be', { ruleType: 'alias', validIf: 7 }, 'ACCOUNT_RULE_DAMAGED'],
  ];
  for (const [what, account, outcome] of rules) {
    it(`by a route for ${what}: ${outcome}`, () => {
      const ruled: Partial<OperationRouteRecord> = {
        accountingEntries: { direct: debit },
        account: account as AccountRule,
      };
      const template = [
        operationRouteCreated('R', ruled),
        transactionRouteCreated('payment', ['R', 'D']),
      ];
      const when = routed(...template).when(post({ from: [['@alice', 'R']] }));
      if (outcome === 'taken') when.happened();
      else when.thenRefused(outcome);
    });
  }

  describe('with a leg that the ledger builds itself', () => {
    const X = operationRouteCreated('X', {
      account: { ruleType: 'alias', validIf: '@external/BRL' },
      accountingEntries: { direct: debit },
    });
    const E = operationRouteCreated('E', {
      operationType: 'destination',
      account: { ruleType: 'account_type', validIf: ['external'] },
      accountingEntries: entries(credit, 'direct', 'commit'),
    });
    /** From outside, or to it: that side is one leg which says nothing of a route. */
    const half = (side: 'source' | 'distribute', asked: Asked = {}) => {
      const { request, ...command } = post(asked);
      const outside = { accountAlias: '@external/BRL', implied: true as const };
      const leg = { ...outside, amount: { asset: 'BRL', value: request.send.value } };
      const send = {
        ...request.send,
        ...(side === 'source' ? { source: { from: [leg] } } : { distribute: { to: [leg] } }),
      };
      return { ...command, request: { ...request, send } };
    };
    const rows: readonly [
      what: string,
      template: readonly string[],
      side: 'source' | 'distribute',
      asked: Asked,
      outcome: string,
    ][] = [
      ['an inflow by the source’s route', ['X', 'D'], 'source', {}, 'X'],
      ['an outflow by the destination’s', ['S', 'E'], 'distribute', {}, 'E'],
      ['an outflow that is held', ['S', 'E'], 'distribute', { pending: true }, 'E'],
      ['an inflow both ways', ['B'], 'source', { to: [['@bob', 'B']] }, 'B'],
      ['an inflow by a route for another', ['A', 'D'], 'source', {}, 'ALIAS_RULE'],
      ['an inflow by two', ['X', 'S', 'D'], 'source', {}, 'ROUTE_LEGS_DIFFER'],
      [
        'an inflow where two go both ways',
        ['B', 'C'],
        'source',
        {
          to: [
            ['@bob', 'B'],
            ['@dave', 'C'],
          ],
        },
        'OUTSIDE_TEMPLATE',
      ],
      ['an inflow to nowhere', ['X', 'D'], 'source', { to: [['@bob']] }, 'ROUTE_LEGS_DIFFER'],
    ];
    const A = operationRouteCreated('A', {
      account: { ruleType: 'alias', validIf: '@zoe' },
      accountingEntries: { direct: debit },
    });
    const C = operationRouteCreated('C', {
      operationType: 'bidirectional',
      accountingEntries: entries(both, 'direct'),
    });
    for (const [what, template, side, asked, outcome] of rows) {
      it(`decides ${what}: ${outcome}`, () => {
        const ledger = routed(X, E, A, C, transactionRouteCreated('payment', template));
        const when = ledger.when(half(side, asked));
        if (outcome.length > 1) {
          when.thenRefused(outcome);
          return;
        }
        const [event] = when.happened();
        const { operations, awaiting = [] } = (event as TransactionEvent).data.transaction;
        const outside = [...operations, ...awaiting].find(
          ({ accountAlias }) => accountAlias === '@external/BRL',
        );
        expect(outside?.routeId).to.equal(routeId(outcome));
      });
    }
  });

  it('is taken as it is where routes are not validated', () => {
    given(...ledgerWith('BRL', '@alice', '@bob'))
      .after(inflow('@alice'))
      .when(post({ route: 'x', from: [['@alice', 'x']] }))
      .happened();
  });

  describe('of the organization', () => {
    const rule = (name: string, operationType: 'source' | 'destination', entry = debit) => {
      const accountingEntries = { direct: entry };
      const { id } = operationRoute(name);
      return [id, { id, operationType, accountingEntries, revision: 1 }] as const;
    };
    const organization = organizationWith({
      operationRoutes: new Map([rule('OS', 'source'), rule('OD', 'destination', credit)]),
      transactionRoutes: new Map([
        [
          routeId('shared'),
          {
            id: routeId('shared'),
            operationRoutes: ['OS', 'OD'].map(routeId),
            revision: 3,
          },
        ],
      ]),
    });
    const asked = post({ route: 'shared', from: [['@alice', 'OS']], to: [['@bob', 'OD']] });

    it('are followed, and the event says where the organization stood', () => {
      const [event] = routed().when(asked, organization).happened();
      expect((event as TransactionEvent).data).to.have.deep.property('relies', [
        { journal: organizationJournal(ORGANIZATION), revision: 7 },
      ]);
      routed().when(asked).thenRefused('TRANSACTION_ROUTE_NOT_FOUND');
    });

    it('may stand in a transaction route of the ledger', () => {
      routed(transactionRouteCreated('payment', ['S', 'OD']))
        .when(post({ to: [['@bob', 'OD']] }), organization)
        .happened();
    });

    it('are not there any more once the organization is not', () => {
      const [name, fact] = Object.entries(organization)[0]!;
      routed()
        .when(asked, { [name]: { ...fact, live: false } })
        .thenRefused('TRANSACTION_ROUTE_NOT_FOUND');
    });

    it('are asked for only where the ledger does not know', () => {
      const state = ledgerDecider.initialState();
      const events = [ledgerOpened({ settings }), S, D, payment];
      for (const [n, event] of events.entries()) ledgerDecider.evolve(state, event, n);
      expect(ledgerDecider.needs(state, post({}), NO_FACTS)).to.equal(undefined);
      expect(ledgerDecider.needs(state, asked, NO_FACTS)).to.deep.equal({
        journals: [organizationJournal(ORGANIZATION)],
      });
    });
  });
});

describe('pending transaction by routes', () => {
  const id = nthWhole(3);
  const step = (type: 'CommitTransaction' | 'CancelTransaction' | 'RevertTransaction') =>
    ({ type, organizationId: ORGANIZATION, transactionId: id }) satisfies TransactionCommand;
  const held = (...more: readonly LedgerEvent[]) =>
    routed(payment, ...more).after(post({ pending: true }));

  it('is held by two operations, one for each field', () => {
    const happened = routed(payment)
      .when(post({ pending: true }))
      .happened();
    expect(shown(operationsOf(happened))).to.deep.equal([
      'DEBIT debit @alice 1 D 1/0 v1 → 0/0 v2',
      'ON_HOLD credit @alice 1 C 0/0 v2 → 0/1 v3',
    ]);
  });

  it('is committed by what the hold holds', () => {
    const happened = held().when(step('CommitTransaction')).happened();
    expect(shown(operationsOf(happened)).slice(2)).to.deep.equal([
      'ON_HOLD debit @alice 1 D 0/1 v3 → 0/0 v4',
      'CREDIT credit @bob 1 C 0/0 v0 → 1/0 v1',
    ]);
  });

  it('is cancelled by two operations', () => {
    const happened = held().when(step('CancelTransaction')).happened();
    expect(shown(operationsOf(happened)).slice(2)).to.deep.equal([
      'RELEASE debit @alice 1 D 0/1 v3 → 0/0 v4',
      'CREDIT credit @alice 1 C 0/0 v4 → 1/0 v5',
    ]);
  });

  it('is not committed without its route, and may be cancelled', () => {
    const gone = () => held().after(deleteTransactionRoute('payment'));
    gone().when(step('CommitTransaction')).thenRefused('TRANSACTION_ROUTE_NOT_FOUND');
    const happened = gone().when(step('CancelTransaction')).happened();
    expect(shown(operationsOf(happened)).at(-1)).to.contain('CREDIT credit @alice 1 - ');
  });

  it('is not committed where the source is not what its route is for any more', () => {
    held()
      .after(updateOperationRoute('S', { account: { ruleType: 'alias', validIf: '@zoe' } }))
      .when(step('CommitTransaction'))
      .thenRefused('ALIAS_RULE');
  });

  it('commits under the form it was created with, whatever is validated by then', () => {
    const happened = given(...ledgerWith('BRL', '@alice', '@bob'))
      .after(inflow('@alice'))
      .after(post({ route: '', from: [['@alice']], to: [['@bob']], pending: true }))
      .after(validateRoutes)
      .when({ ...step('CommitTransaction'), transactionId: nthWhole(2) })
      .happened();
    expect(shown(operationsOf(happened)).slice(1)).to.deep.equal([
      'DEBIT debit @alice 1 - 0/1 v2 → 0/0 v3',
      'CREDIT credit @bob 1 - 0/0 v0 → 1/0 v1',
    ]);
  });

  it('is followed by the legs of fees, by the routes that their package names', () => {
    const T = operationRouteCreated('T', {
      operationType: 'destination',
      accountingEntries: { direct: credit },
    });
    const asked = { ...post({}), fees: 2 as const };
    const deductible = { isDeductibleFrom: true, creditAccount: '@dave' };
    const fees = (changes: Partial<Fee> = {}) =>
      knownFees(
        feePackage(
          { p1: fee('0.1', { ...deductible, ...changes }) },
          { transactionRoute: routeId('payment') },
        ),
      );
    const named = fees({ routeTo: routeId('T') });
    const withFees = transactionRouteCreated('payment', ['S', 'D', 'T']);
    const happened = routed(T, withFees).when(asked, named).happened();
    expect(shown(operationsOf(happened))).to.deep.equal([
      'DEBIT debit @alice 1 D 1/0 v1 → 0/0 v2',
      'CREDIT credit @bob 0.9 C 0/0 v0 → 0.9/0 v1',
      'CREDIT credit @dave 0.1 C 0/0 v0 → 0.1/0 v1',
    ]);
    routed(T, withFees).when(asked, fees()).thenRefused('ROUTE_LEGS_DIFFER');
    const { details } = routed(T, payment).when(asked, fees()).thenRefused('OUTSIDE_TEMPLATE');
    expect(details.findings).to.equal(undefined);
  });
});

describe('reversal by routes', () => {
  const revert = {
    type: 'RevertTransaction',
    organizationId: ORGANIZATION,
    transactionId: nthWhole(3),
  } as const;

  it('takes what a bidirectional route says of it', () => {
    const happened = routed(transactionRouteCreated('payment', ['B']))
      .after(post({ from: [['@alice', 'B']], to: [['@bob', 'B']] }))
      .when(revert)
      .happened();
    expect(shown(operationsOf(happened))).to.deep.equal([
      'CREDIT credit @alice 1 C 0/0 v2 → 1/0 v3',
      'DEBIT debit @bob 1 D 1/0 v1 → 0/0 v2',
    ]);
  });

  it('is refused where an operation was booked by a route for one side', () => {
    routed(payment).after(post({})).when(revert).thenRefused('ROUTE_NOT_BIDIRECTIONAL');
  });

  it('is refused where no route has an entry for it', () => {
    routed(transactionRouteCreated('payment', ['B']))
      .after(post({ from: [['@alice', 'B']], to: [['@bob', 'B']] }))
      .after(updateOperationRoute('B', { accountingEntries: { revert: null } }))
      .when(revert)
      .thenRefused('NO_ROUTE_FOR_ACTION');
  });
});
