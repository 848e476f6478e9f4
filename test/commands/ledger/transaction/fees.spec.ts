import { expect } from 'chai';
import type { GrantBlockExceptions } from '#commands/ledger/account/block-exceptions.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { FeeRules, PostTransaction } from '#commands/ledger/transaction/commands.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { posted } from '#test/support/booked.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  fee,
  FEE_PACKAGE,
  feePackage,
  knownFees,
  ROUTE_FROM,
  ROUTE_TO,
  type SampleFeePackage,
} from '#test/support/fee-samples.ts';
import {
  accountId,
  accountOpened,
  idOf,
  inflow,
  ledgerOpened,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';

const { given } = specFor(ledgerDecider);

const ACCOUNTS = ['@payer', '@vip', '@shop', '@other', '@fees', '@tax'];

/** A ledger in BRL; the payers own 2000 each. */
const bank = (settings = defaultSettings) => {
  const [, ...others] = ledgerWith('BRL', ...ACCOUNTS);
  return given(ledgerOpened({ settings }), ...others).after(
    inflow('@payer', '2000'),
    inflow('@vip', '2000'),
  );
};

type Payment = Partial<Parameters<typeof postTransaction>[0]> & { fees?: FeeRules | undefined };

const pay = (amount: string, { fees = 2, ...changes }: Payment = {}): PostTransaction => ({
  ...postTransaction({ from: '@payer', to: '@shop', amount, ...changes }),
  fees,
});

const row = ({ direction, accountAlias, amount, origin }: OperationRecord): string =>
  `${direction} ${accountAlias} ${amount}${origin === 'fee' ? ' fee' : ''}`;
const rows = ({ operations }: TransactionRecord): string[] => operations.map(row);

const flat = feePackage({ p1: fee('15', { routeFrom: ROUTE_FROM, routeTo: ROUTE_TO }) });
const three = feePackage({
  p1: fee('10'),
  p2: fee('1%', { priority: 2, referenceAmount: 'afterFeesAmount' }),
  p3: fee('0.5%', { priority: 3, isDeductibleFrom: true, creditAccount: '@tax' }),
});
const onePointFive = (...waivedAccounts: string[]) =>
  feePackage({ p1: fee('1.5%') }, { waivedAccounts });

/** The operations that follow from a payment, as an accountant writes them. */
const charged = (command: PostTransaction, ...packages: readonly SampleFeePackage[]) => {
  const transaction = posted(
    bank()
      .when(command, knownFees(...packages))
      .happened(),
  );
  return { value: transaction.amount, rows: rows(transaction), transaction };
};

describe('fees of a transaction', () => {
  describe('follow the worked examples:', () => {
    it('1: a flat fee raises the value, on legs of its own', () => {
      const { value, rows, transaction } = charged(pay('1000'), flat);
      expect(value).to.equal('1015');
      expect(rows).to.deep.equal([
        'credit @fees 15 fee',
        'debit @payer 1000',
        'debit @payer 15 fee',
        'credit @shop 1000',
      ]);
      expect([transaction.source, transaction.destination]).to.deep.equal([
        ['@payer', '@payer'],
        ['@shop', '@fees'],
      ]);
    });

    it('2: a deductible fee reduces the destination', () => {
      const deductible = feePackage({ p1: fee('15', { isDeductibleFrom: true }) });
      const { value, rows } = charged(pay('1000'), deductible);
      expect(value).to.equal('1000');
      expect(rows).to.deep.equal(['credit @fees 15 fee', 'debit @payer 1000', 'credit @shop 985']);
    });

    it('7: three fees, each on the base that it names', () => {
      const { value, rows } = charged(pay('1000'), three);
      expect(value).to.equal('1020.1');
      expect(rows).to.deep.equal([
        'credit @fees 10 fee',
        'credit @fees 10.1 fee',
        'debit @payer 1000',
        'debit @payer 10 fee',
        'debit @payer 10.1 fee',
        'credit @shop 995',
        'credit @tax 5 fee',
      ]);
    });

    it('9: waived payers leave the whole fee to the others', () => {
      const from = ['@payer 700', '@vip 300'];
      const { value, rows } = charged(pay('1000', { from }), onePointFive('@vip'));
      expect(value).to.equal('1015');
      expect(rows).to.include.members(['debit @payer 15 fee', 'debit @vip 300']);
    });

    it('10: nobody pays if all payers are waived, and the transaction says why', () => {
      const from = ['@payer 700', '@vip 300'];
      const all = onePointFive('@vip', '@payer');
      const { value, rows, transaction } = charged(pay('1000', { from }), all);
      expect(value).to.equal('1000');
      expect(rows).to.deep.equal(['debit @payer 700', 'credit @shop 1000', 'debit @vip 300']);
      expect(transaction.metadata).to.deep.equal({
        packageAppliedID: FEE_PACKAGE,
        feeExemption: {
          exempt: true,
          reason: 'all_source_accounts_exempt',
          message: 'All source accounts are exempt from the fee.',
        },
      });
      expect(transaction.feePackage).to.deep.equal({
        ...{ id: FEE_PACKAGE, revision: 7, charged: false },
      });
    });

    it('13: a deduction that takes all that is left refuses the whole', () => {
      const deducting = (values: string, priority: number) =>
        fee(values, { isDeductibleFrom: true, priority });
      const both = feePackage({ p1: deducting('60%', 1), p2: deducting('50%', 2) });
      bank().when(pay('100'), knownFees(both)).thenRefused('FEE_DEDUCTION_TOO_LARGE');
    });

    it('14: the bounds of a package are inclusive', () => {
      const bounded = feePackage(flat.fees, { minimumAmount: '100', maximumAmount: '1000' });
      const valueOf = (amount: string) => charged(pay(amount), bounded).value;
      expect(['100', '1000', '99.99', '1000.01'].map(valueOf)).to.deep.equal([
        ...['115', '1015', '99.99', '1000.01'],
      ]);
    });
  });

  describe('are recorded', () => {
    it('with their routes and payer, marked in version 2', () => {
      const { transaction } = charged(pay('1000', { metadata: { order: '9' } }), flat);
      const fees = transaction.operations.filter(({ origin }) => origin === 'fee');
      expect(fees.map(({ route, routeId, metadata }) => [route, routeId, metadata])).to.deep.equal([
        [ROUTE_TO, ROUTE_TO, { source: '@payer', feeLeg: 'true' }],
        [ROUTE_FROM, ROUTE_FROM, { feeLeg: 'true' }],
      ]);
      expect(transaction.metadata).to.deep.equal({
        ...{ order: '9', packageAppliedID: FEE_PACKAGE, feeApplied: 'true' },
      });
      const feePackage = { id: FEE_PACKAGE, revision: 7, charged: true };
      expect(transaction.feePackage).to.deep.equal(feePackage);
    });

    it('without that mark in version 1', () => {
      const { transaction } = charged(pay('1000', { fees: 1 }), flat);
      const fees = transaction.operations.filter(({ origin }) => origin === 'fee');
      expect(fees.map(({ metadata }) => metadata)).to.deep.equal([{ source: '@payer' }, undefined]);
    });

    it('unrounded, shares cut at 16 digits', () => {
      const from = ['@payer#default 100', '@vip 100', '@other 100'];
      const funded = bank().after(inflow('@other', '200'));
      const ten = knownFees(feePackage({ p1: fee('10') }));
      const transaction = posted(funded.when(pay('300', { from }), ten).happened());
      expect(transaction.amount).to.equal('310');
      expect(rows(transaction)).to.include.members([
        'debit @payer 3.3333333333333334 fee',
        'debit @vip 3.3333333333333333 fee',
        'debit @other 3.3333333333333333 fee',
      ]);
    });

    it('as if there were none when no package applies', () => {
      const own = posted(bank().when(pay('1000')).happened());
      const elsewhere = feePackage(flat.fees, { ledgerId: idOf('other ledger') });
      const off = feePackage(flat.fees, { enable: false });
      const routed = feePackage(flat.fees, { transactionRoute: 'pix' });
      for (const one of [elsewhere, off, routed]) {
        expect(charged(pay('1000'), one).transaction).to.deep.equal(own);
      }
      expect(charged(pay('1000', { route: 'pix' }), routed).value).to.equal('1015');
    });

    it('by the segment that all payers share', () => {
      const segmentId = idOf('segment');
      const rich = accountOpened({ alias: '@rich', segmentId });
      const segmented = [...ledgerWith('BRL', ...ACCOUNTS), rich];
      const fees = knownFees(
        feePackage({ p1: fee('3') }, { id: idOf('of the segment'), segmentId }),
        flat,
      );
      const valueOf = (from: string | string[]) => {
        const ledger = given(...segmented).after(inflow('@rich', '500'), inflow('@payer', '500'));
        return posted(ledger.when(pay('100', { from }), fees).happened()).amount;
      };
      expect(valueOf('@rich')).to.equal('103');
      expect(valueOf(['@rich 50', '@payer 50'])).to.equal('115');
      const waived = knownFees(feePackage(flat.fees, { waivedAccounts: [`segment:${segmentId}`] }));
      const ledger = given(...segmented).after(inflow('@rich', '500'));
      const free = ledger.when(pay('100', { from: '@rich' }), waived).happened();
      expect(posted(free).amount).to.equal('100');
    });
  });

  describe('are left out', () => {
    const skipping = (allowFeeSkip: boolean) =>
      bank({ ...defaultSettings, overrides: { ...defaultSettings.overrides, allowFeeSkip } });

    it('where the ledger allows it, and the transaction says so', () => {
      const command = pay('1000', { skip: { fees: true } });
      const { amount, feesSkipped } = posted(
        skipping(true).when(command, knownFees(flat)).happened(),
      );
      expect([amount, feesSkipped]).to.deep.equal(['1000', true]);
      skipping(false).when(command, knownFees(flat)).thenRefused('SKIP_NOT_PERMITTED');
    });

    it('for a request that version 1 calculated them for, and for one that asks for none', () => {
      const calculated = pay('1000', { fees: 1, metadata: { packageAppliedID: 'p' } });
      expect(charged(calculated, flat).transaction).to.include({ amount: '1000' });
      expect(charged(calculated, flat).transaction).not.to.have.property('feePackage');
      const authored = { ...pay('1000'), fees: undefined };
      expect(charged(authored, flat).value).to.equal('1000');
    });
  });

  describe('are refused with the transaction', () => {
    const refused = (name: string, command: PostTransaction, ...all: (typeof flat)[]) =>
      bank()
        .when(command, knownFees(...all))
        .thenRefused(name);

    it('if several packages apply', () => {
      refused('FEE_PACKAGES_AMBIGUOUS', pay('1000'), flat, { ...three, id: idOf('another') });
    });

    it('if their credit account is missing', () => {
      const nowhere = feePackage({ p1: fee('15', { creditAccount: '@nowhere' }) });
      const { details } = refused('FEE_CREDIT_ACCOUNT_NOT_FOUND', pay('1000'), nowhere);
      expect(details.findings).to.equal(undefined);
    });

    it('if the payer cannot pay them, or their account cannot receive them', () => {
      refused('INSUFFICIENT_FUNDS', pay('1990'), flat);
      const blocked = accountOpened({ alias: '@frozen', blocked: true });
      const frozen = feePackage({ p1: fee('15', { creditAccount: '@frozen' }) });
      const found = given(...ledgerWith('BRL', ...ACCOUNTS), blocked)
        .after(inflow('@payer', '2000'))
        .when(pay('1000'), knownFees(frozen))
        .thenRefused('ACCOUNT_BLOCKED');
      expect(found.details.findings).to.equal(undefined);
    });

    it('only after the request itself', () => {
      const nowhere = feePackage({ p1: fee('15', { creditAccount: '@nowhere' }) });
      refused('ACCOUNTS_NOT_ELIGIBLE', pay('1000', { to: '@nobody' }), nowhere);
      refused('TOTALS_DIFFER', pay('1000', { to: '@shop 1' }), nowhere);
    });

    it('if an account pays a fee to itself', () => {
      refused('ACCOUNT_ON_BOTH_SIDES', pay('10', { from: '@payer', to: '@shop' }), {
        ...feePackage({ p1: fee('1', { creditAccount: '@payer' }) }),
      });
    });
  });

  describe('of a hold', () => {
    const hold = () => {
      const ledger = bank();
      const [held] = ledger.when(pay('1000', { pending: true }), knownFees(three)).happened();
      return { ledger, held: (held as Extract<LedgerEvent, { type: 'TransactionHeld' }>).data };
    };
    const end = (type: 'CommitTransaction' | 'CancelTransaction') => {
      const { ledger, held } = hold();
      const transactionId = held.transaction.id;
      const [ended] = ledger.when({ type, organizationId: ORGANIZATION, transactionId }).happened();
      return (ended as Extract<LedgerEvent, { type: 'TransactionCommitted' }>).data;
    };

    it('are reserved with it', () => {
      const { transaction } = hold().held;
      expect(rows(transaction)).to.deep.equal([
        'debit @payer 1000',
        'debit @payer 10 fee',
        'debit @payer 10.1 fee',
      ]);
      const awaited = transaction.awaiting?.map(({ accountAlias, amount, origin }) =>
        [accountAlias, amount, origin].filter(Boolean).join(' '),
      );
      expect(awaited).to.deep.equal(['@shop 995', '@fees 10 fee', '@fees 10.1 fee', '@tax 5 fee']);
    });

    it('are posted by its commit', () => {
      const { transaction, stepOperations } = end('CommitTransaction');
      expect(transaction.operations.slice(-stepOperations).map(row)).to.deep.equal([
        'credit @fees 10 fee',
        'credit @fees 10.1 fee',
        'debit @payer 1000',
        'debit @payer 10 fee',
        'debit @payer 10.1 fee',
        'credit @shop 995',
        'credit @tax 5 fee',
      ]);
      expect(transaction.feePackage?.charged).to.equal(true);
    });

    it('are released by its cancellation', () => {
      const { transaction, stepOperations } = end('CancelTransaction');
      expect(transaction.operations.slice(-stepOperations).map(row)).to.deep.equal([
        'credit @payer 1000',
        'credit @payer 10 fee',
        'credit @payer 10.1 fee',
      ]);
    });
  });

  it('are reversed with their transaction, and none are charged for that', () => {
    const ledger = bank();
    const { id: transactionId } = posted(ledger.when(pay('1000'), knownFees(three)).happened());
    const revert = {
      type: 'RevertTransaction',
      organizationId: ORGANIZATION,
      transactionId,
    } as const;
    const reversal = posted(ledger.when(revert, knownFees(three)).happened());
    expect([reversal.amount, reversal.feePackage]).to.deep.equal(['1020.1', undefined]);
    expect(rows(reversal)).to.deep.equal([
      'debit @fees 10 fee',
      'debit @fees 10.1 fee',
      'credit @payer 1000',
      'credit @payer 10 fee',
      'credit @payer 10.1 fee',
      'debit @shop 995',
      'debit @tax 5 fee',
    ]);
  });

  it('are charged on each item of a batch and count towards its size', () => {
    const command = (postings: number) => ({
      type: 'PostTransactions' as const,
      organizationId: ORGANIZATION,
      requests: [pay('100'), pay('200')].map(({ request }) => request),
      items: { list: 'transactions' },
      locations: pay('1').locations,
      most: { postings, balances: 10 },
      fees: 2 as const,
    });
    const events = bank().when(command(8), knownFees(flat)).happened();
    const amounts = events.map(
      ({ data }) => (data as { transaction: TransactionRecord }).transaction.amount,
    );
    expect(amounts).to.deep.equal(['115', '215']);
    bank().when(command(7), knownFees(flat)).thenRefused('BATCH_TOO_LARGE');
  });

  it('pass a block with the debit that an exception lets pass', () => {
    const ledger = given(...ledgerWith('BRL', ...ACCOUNTS)).after(inflow('@payer', '2000'), {
      type: 'UpdateAccount',
      organizationId: ORGANIZATION,
      accountId: accountId('@payer'),
      changes: { blocked: true },
    });
    ledger.when(pay('100'), knownFees(flat)).thenRefused('ACCOUNT_BLOCKED');
    const exceptionFor = (amount: string) => {
      const exceptions = [{ accountAlias: '@payer', amount, ttl: 60 }];
      const grant = { type: 'GrantBlockExceptions', organizationId: ORGANIZATION, exceptions };
      const [granted] = ledger.when(grant as GrantBlockExceptions).happened();
      const { data } = granted as Extract<LedgerEvent, { type: 'BlockExceptionsGranted' }>;
      return data.exceptions[0]!.id;
    };
    const paying = (amount: string) =>
      pay('100', { accountBlockExceptionId: exceptionFor(amount) });
    ledger.when(paying('115'), knownFees(flat)).thenRefused('EXCEPTION_NOT_USABLE');
    const passed = posted(ledger.when(paying('100'), knownFees(flat)).happened());
    expect(rows(passed)).to.include.members(['debit @payer 100', 'debit @payer 15 fee']);
  });
});
