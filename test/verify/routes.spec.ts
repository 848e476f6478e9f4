import { expect } from 'chai';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import {
  LEDGER,
  ledgerOpened,
  ORGANIZATION,
  organizationCreated,
} from '#test/support/ledger-samples.ts';
import { operationRoute, routeId, transactionRoute } from '#test/support/route-samples.ts';
import { NOW } from '#test/support/stamps.ts';
import { sealed, type Draft } from './hand-made.ts';

type Change = (drafts: Draft[]) => void;

const journal = `ledger-${LEDGER}`;
const place = (name: string, at = journal) => ({ id: routeId(name), journal: at, revision: 1 });

/** Routes of a ledger from their creation to their end; one of them is the organization's. */
const life = (): Draft[] => [
  ledgerOpened(),
  draft('OperationRouteCreated', { operationRoute: operationRoute('payer') }),
  draft('OperationRouteCreated', {
    operationRoute: operationRoute('payee', { operationType: 'destination' }),
  }),
  draft('OperationRouteUpdated', { operationRoute: operationRoute('payer', { title: 'New' }) }),
  draft('TransactionRouteCreated', {
    transactionRoute: transactionRoute('payment', ['payer', 'payee']),
    places: [place('payer'), place('payee')],
  }),
  draft('TransactionRouteUpdated', {
    transactionRoute: transactionRoute('payment', ['payer', 'shared']),
    places: [place('payer'), place('shared', `organization-${ORGANIZATION}`)],
  }),
  draft('OperationRouteDeleted', {
    operationRoute: { ...operationRoute('payee', { operationType: 'destination' }), ...gone },
  }),
  draft('TransactionRouteDeleted', {
    transactionRoute: { ...transactionRoute('payment', ['payer', 'shared']), ...gone },
  }),
];
const gone = { deletedAt: NOW };
const draft = (type: string, data: Record<string, unknown>): Draft => ({
  type,
  data: JSON.parse(JSON.stringify(data)) as Draft['data'],
});

function judged(drafts: readonly Draft[]) {
  const verifier = createJournalVerifier(audit);
  for (const event of sealed(drafts)) {
    const difference = verifier.take(event);
    if (difference !== undefined) return `${difference.revision}: ${difference.what}`;
  }
  return 'sound';
}

const record = (drafts: Draft[], n: number, member: string) =>
  drafts[n]!.data[member] as Record<string, unknown>;

describe('the auditor of routes', () => {
  it('finds nothing wrong with a life that makes sense', () => {
    expect(judged(life())).to.equal('sound');
  });

  const wrong: readonly [what: string, change: Change, found: string][] = [
    [
      'an operation route twice',
      (drafts) => drafts.splice(2, 0, drafts[1]!),
      '2: there is already an operation route',
    ],
    [
      'a change of one that is not there',
      (drafts) => drafts.splice(1, 1),
      '2: there is no operation route',
    ],
    [
      'a changed type',
      (drafts) => (record(drafts, 3, 'operationRoute')['operationType'] = 'destination'),
      '3: the type of operation route',
    ],
    [
      'one of another ledger',
      (drafts) => (record(drafts, 1, 'operationRoute')['ledgerId'] = ORGANIZATION),
      '1: it is about ledger',
    ],
    [
      'a template that names one twice',
      (drafts) =>
        (record(drafts, 4, 'transactionRoute')['operationRoutes'] = [
          routeId('payer'),
          routeId('payer'),
        ]),
      '4: it names an operation route twice',
    ],
    [
      'a template that names one that is not there',
      (drafts) =>
        (record(drafts, 4, 'transactionRoute')['operationRoutes'] = [
          routeId('payer'),
          routeId('nobody'),
        ]),
      '4: it names operation route',
    ],
    [
      'a template without a destination',
      (drafts) => (record(drafts, 4, 'transactionRoute')['operationRoutes'] = [routeId('payer')]),
      '4: none of its operation routes is for a destination',
    ],
    [
      'one that stands in a strange journal',
      (drafts) => (drafts[5]!.data['places'] = [place('payer'), place('shared', 'ledger-x')]),
      '5: it names operation route',
    ],
    ['the end of one that is used', (drafts) => drafts.splice(5, 1), '5: transaction route'],
    [
      'an end without a date',
      (drafts) => (record(drafts, 7, 'transactionRoute')['deletedAt'] = null),
      '7: it is deleted and has no deletedAt',
    ],
    [
      'an end of what is not there',
      (drafts) => drafts.push(drafts[7]!),
      '8: there is no transaction route',
    ],
  ];
  for (const [what, change, found] of wrong) {
    it(`finds ${what}`, () => {
      const drafts = life();
      change(drafts);
      expect(judged(drafts)).to.match(new RegExp(`^${found}`));
    });
  }

  it('finds one of a ledger in the journal of its organization', () => {
    const drafts = [
      organizationCreated() as unknown as Draft,
      draft('OperationRouteCreated', { operationRoute: operationRoute('payer') }),
    ];
    expect(judged(drafts)).to.match(/^1: it belongs to ledger/);
  });
});
