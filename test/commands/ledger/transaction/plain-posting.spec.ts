import { expect } from 'chai';
import fc from 'fast-check';
import { sendBodyLocations } from '#commands/ledger/api/locations.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { postByRules, postTransaction } from '#commands/ledger/transaction/decider.ts';
import type { RequestedLeg, TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import { postPlain } from '#commands/ledger/transaction/plain-posting.ts';
import type { RunningBalances } from '#commands/ledger/transaction/running-balance.ts';
import { add, formatAmount, readAmount, subtract, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { DomainEvent, Facts, Stamp } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { storedData } from '#src/kernel/event-data.ts';
import { partId } from '#src/kernel/ids.ts';
import type { Instant } from '#src/kernel/instant.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import type { KnownJournals } from '#test/support/decider-spec.ts';
import { fee, feePackage, knownFees } from '#test/support/fee-samples.ts';
import {
  accountId,
  accountOpened,
  assetCreated,
  externalOpened,
  idOf,
  inflow,
  ledgerOpened,
  LEDGER,
  ORGANIZATION,
  postTransaction as postingOf,
} from '#test/support/ledger-samples.ts';
import { runsOf } from '#test/support/random.ts';
import { countingIds, NOW, stampAt } from '#test/support/stamps.ts';

const LATER = '2026-01-05T10:00:01.000000Z' as Instant;

/** Every kind of account and balance on which a rule decides about a leg. */
const ALIASES = ['@a', '@b', '@c', '@A', '@é"\\', '@poor', '@owing'];
const SPECIAL = [
  '@blocked',
  '@closed',
  '@usd',
  '@taker',
  '@giver',
  '@owing',
  '@debit',
  '@external/BRL',
];

const extraBalance = (
  alias: string,
  key: string,
  ordinal: number,
  settings?: object,
): LedgerEvent =>
  ({
    type: 'BalanceCreated',
    data: {
      balance: {
        id: partId(accountId(alias), ordinal),
        ...{ organizationId: ORGANIZATION, ledgerId: LEDGER, accountId: accountId(alias), alias },
        ...{ key, assetCode: 'BRL', accountType: 'deposit', allowSending: true },
        ...{ allowReceiving: true, direction: key === 'overdraft' ? 'debit' : 'credit', settings },
        ...{ createdAt: NOW, updatedAt: NOW, deletedAt: null },
      },
    },
  }) as LedgerEvent;

const opened: readonly LedgerEvent[] = [
  ledgerOpened(),
  assetCreated({ code: 'BRL' }),
  assetCreated({ code: 'USD' }),
  externalOpened('BRL'),
  ...ALIASES.map((alias) => accountOpened({ alias })),
  accountOpened({ alias: '@blocked', blocked: true }),
  accountOpened({ alias: '@closed', closedAt: NOW }),
  accountOpened({ alias: '@usd', assetCode: 'USD' }),
  accountOpened({ alias: '@taker', allowSending: false }),
  accountOpened({ alias: '@giver', allowReceiving: false }),
  accountOpened({ alias: '@debit', direction: 'debit' }),
  extraBalance('@a', 'savings', 2),
  extraBalance('@b', 'ç', 2),
  {
    ...extraBalance('@owing', 'default', 1, {
      ...{ balanceScope: 'transactional', allowOverdraft: true, overdraftLimitEnabled: true },
      overdraftLimit: '100',
    }),
    type: 'BalanceUpdated',
  } as LedgerEvent,
  extraBalance('@owing', 'overdraft', 2),
];
const FUNDED = ['@a', '@b', '@c', '@A', '@é"\\', '@taker'];

const amount = fc.constantFrom(
  ...['1', '0.01', '1.10', '499.99', '500', '500.000', '007', '1e1', '10E-2', '-1', '0', '1e-30'],
  ...['0.000000000000000000000000000001', '999999999999999999999999999999'],
);
const alias = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...ALIASES) },
  { weight: 2, arbitrary: fc.constantFrom(...SPECIAL, '@nobody') },
);
const key = fc.constantFrom('default', 'Default', 'savings', 'ç', 'Ç', 'overdraft', 'none');
const rarely = <T>(values: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 24, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values });

/** Members are absent, not undefined, as in a validated body. */
const present = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as T;

const anyLeg = fc
  .record({
    accountAlias: alias,
    value: fc.oneof(fc.constantFrom('1', '0.01', '2.5'), amount),
    asset: rarely(fc.constant('USD')),
    balanceKey: rarely(key),
    description: rarely(fc.string()),
    metadata: rarely(fc.dictionary(fc.string(), fc.string())),
    remaining: rarely(fc.constant('remaining')),
  })
  .map(({ value, asset = 'BRL', ...more }) => present({ ...more, amount: { asset, value } }));

/** Requests whose totals are equal, unless `value` says otherwise: the first source gives what the others leave. */
const anyRequest = fc
  .record({
    from: fc.array(anyLeg, { minLength: 1, maxLength: 3 }),
    to: fc.array(anyLeg, { minLength: 1, maxLength: 6 }),
    single: fc.boolean(),
    value: rarely(amount),
    words: fc.record({
      description: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
      code: rarely(fc.string()),
      metadata: rarely(fc.dictionary(fc.string(), fc.string())),
      route: rarely(fc.string()),
      pending: rarely(fc.boolean()),
      skip: rarely(fc.constantFrom({ fees: true }, { fees: false })),
      transactionDate: rarely(fc.constantFrom(NOW, LATER)),
    }),
  })
  .map(({ from, to, single, value, words }): TransactionRequest => {
    const givers = single ? from.slice(0, 1) : from;
    const takers = single ? to.slice(0, 1) : to;
    const total = sum(takers);
    const first = subtract(total, sum(givers.slice(1)));
    const [giver, ...others] = givers;
    const given = { ...giver!, amount: { ...giver!.amount, value: formatAmount(first) } };
    return {
      ...present(words),
      send: {
        asset: 'BRL',
        value: value ?? formatAmount(total),
        source: { from: [given, ...others] },
        distribute: { to: takers },
      },
    };
  })
  .filter(({ send: { value, source } }) =>
    [value, ...source.from.map(({ amount }) => amount?.value)].every(isValid),
  );

const isValid = (value = ''): boolean => typeof readAmount(value) !== 'string';

const sum = (legs: readonly RequestedLeg[]): Amount =>
  legs.reduce((total, { amount }) => add(total, readAmount(amount!.value) as Amount), ZERO);

const anyFees = fc.record({
  fees: fc.constantFrom(undefined, 1, 2),
  journals: fc.oneof(
    { weight: 8, arbitrary: fc.constant({}) },
    fc.constant(knownFees(feePackage({ tariff: fee('1', { creditAccount: '@c' }) }))),
  ),
});

const factsOf = (journals: KnownJournals): Facts => ({
  journal: (name) => journals[name] ?? null,
  settings: () => null,
  revisionOf: () => null,
  event: () => undefined,
});

/** The event with its text and its stored text, byte for byte, or the refusal; and how many ids were drawn. */
function outcomeOf(decide: (stamp: Stamp) => TransactionEvent | undefined): object | undefined {
  const ids = countingIds();
  let outcome: object | undefined;
  try {
    const decided = decide(stampAt(NOW, ids));
    if (decided !== undefined) {
      const { compact: _, ...event } = decided as typeof decided & DomainEvent;
      outcome = { event, text: JSON.stringify(event.data), stored: storedData(decided) };
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    outcome = { refusal: error.refusal, message: error.message, details: error.details };
  }
  return outcome && { ...outcome, next: ids.nextWhole() };
}

function newLedger(): Ledger {
  const ledger = ledgerDecider.initialState();
  const ids = countingIds();
  let revision = 0;
  for (const event of opened) ledgerDecider.evolve(ledger, event, revision++);
  for (const alias of FUNDED) {
    const event = postByRules(ledger, inflow(alias, '500'), factsOf({}), stampAt(NOW, ids));
    ledgerDecider.evolve(ledger, event, revision++);
  }
  return ledger;
}

const textOf = (ledger: Ledger): string => [...ledgerDecider.toSnapshot(ledger)].join();

describe('plain posting', () => {
  const locations = sendBodyLocations;

  it('decides as the rules do, one transaction after the other', () => {
    const seen = { plain: 0, refused: 0, byRules: 0 };
    fc.assert(
      fc.property(
        fc.array(anyRequest, { minLength: 1, maxLength: 12 }),
        anyFees,
        (requests, { fees, journals }) => {
          const [one, other] = [newLedger(), newLedger()];
          const facts = factsOf(journals);
          requests.forEach((request, n) => {
            const asked = { request, locations, fees };
            const byRules = outcomeOf((stamp) => postByRules(one, asked, facts, stamp));
            const plain = outcomeOf((stamp) => postPlain(other, asked, facts, stamp));
            if (plain !== undefined) expect(plain).to.deep.equal(byRules);
            expect(outcomeOf((stamp) => postTransaction(other, asked, facts, stamp))).to.deep.equal(
              byRules,
            );
            seen[plain !== undefined ? 'plain' : 'refusal' in byRules! ? 'refused' : 'byRules'] +=
              1;
            if (!('event' in byRules!)) return;
            const revision = opened.length + FUNDED.length + n;
            for (const ledger of [one, other]) {
              ledgerDecider.evolve(ledger, byRules.event as LedgerEvent, revision);
            }
          });
          expect(textOf(other)).to.equal(textOf(one));
        },
      ),
      { numRuns: runsOf(3000) },
    );
    for (const count of Object.values(seen)) expect(count, JSON.stringify(seen)).to.be.above(100);
  });

  it('decides batches as the rules do, each item on what the ones before it leave', () => {
    fc.assert(
      fc.property(fc.array(anyRequest, { minLength: 2, maxLength: 12 }), (requests) => {
        const ledger = newLedger();
        const one: RunningBalances = new Map();
        const other: RunningBalances = new Map();
        for (const request of requests) {
          const asked = { request, locations };
          const facts = factsOf({});
          const byRules = outcomeOf((stamp) => postByRules(ledger, asked, facts, stamp, one));
          const plain = outcomeOf((stamp) => postTransaction(ledger, asked, facts, stamp, other));
          expect(plain).to.deep.equal(byRules);
          expect(other).to.deep.equal(one);
        }
      }),
      { numRuns: runsOf(2000) },
    );
  });

  it('is left to the rules by a ledger that validates routes or prepares a part of a group', () => {
    const request = anyTransfer;
    const facts = factsOf({});
    const plain = (ledger: Ledger) =>
      postPlain(ledger, { request, fees: 1 }, facts, stampAt(NOW, countingIds()));
    expect(plain(newLedger())).not.to.equal(undefined);

    const routed = newLedger();
    routed.settings = {
      ...routed.settings,
      accounting: { ...routed.settings.accounting, validateRoutes: true },
    };
    expect(plain(routed)).to.equal(undefined);
    const bound = newLedger();
    bound.parts.set(idOf('group'), { transactionId: idOf('part'), legs: [] });
    expect(plain(bound)).to.equal(undefined);
  });
});

const anyTransfer = postingOf({ from: '@a 1', to: '@b 1', amount: '1' }).request;
