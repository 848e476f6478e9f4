import { expect } from 'chai';
import { checkRange, type PackageRange } from '#commands/fees/packages/package-range.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { charged } from './charged.ts';
import { oracle, type OracleCase, type OracleFee } from './fee-oracle.ts';

const LEDGER = '0190a1c0-0000-7000-8000-00000000001e' as Uuid;

const range = (minimumAmount: string, maximumAmount: string): PackageRange => ({
  ledgerId: LEDGER,
  segmentId: null,
  transactionRoute: null,
  minimumAmount,
  maximumAmount,
});

const deducting = (value: string): OracleFee => ({
  key: 'adm',
  priority: 1,
  rule: 'flatFee',
  calculations: [{ type: 'flat', value }],
  reference: 'originalAmount',
  deductible: true,
  credit: '@fees',
});

const paying = (fee: string, more: Partial<OracleCase> = {}): OracleCase => ({
  value: '10',
  from: [{ alias: '@payer', amount: '10' }],
  to: [{ alias: '@shop', amount: '10' }],
  waived: [],
  fees: [deducting(fee)],
  scale: undefined,
  ...more,
});

/** The boundaries that random packages hardly ever meet. */
describe('a deduction', () => {
  for (const calculator of [charged, oracle]) {
    it(`leaves something of the leg, however little (${calculator.name})`, () => {
      expect(calculator(paying('9.9999999999999999'))).to.have.deep.property('to', [
        '@shop 0.0000000000000001',
        '@fees 9.9999999999999999 <- @shop',
      ]);
      expect(calculator(paying('10'))).to.equal('FEE_DEDUCTION_TOO_LARGE');
    });
  }

  it('is paid by those who receive something', () => {
    const to = [
      { alias: '@nothing', amount: '0' },
      { alias: '@shop', amount: '10' },
    ];
    expect(charged(paying('1', { to }))).to.have.deep.property('to', [
      ...['@nothing 0', '@shop 9', '@fees 1 <- @shop'],
    ]);
  });

  it('is not taken if only waived accounts receive something', () => {
    const to = [
      { alias: '@other', amount: '0' },
      { alias: '@shop', amount: '10' },
    ];
    expect(charged(paying('1', { to, waived: ['@shop'] }))).to.deep.include({
      to: ['@other 0', '@shop 10'],
      charged: false,
      reason: 'all_destination_accounts_exempt',
    });
  });
});

describe('the amounts of packages of one scope', () => {
  it('may come as close as amounts can, and have none in common', () => {
    const known = [range('100', '200')];
    checkRange(range('200.0000000000000000000000000000000001', '300'), known);
    checkRange(range('0', '99.9999999999999999999999999999999999'), known);
    const overlaps = [
      range('200', '300'),
      range('0', '100'),
      range('150', '160'),
      range('0', '300'),
    ];
    for (const one of overlaps) {
      expect(() => checkRange(one, known))
        .to.throw()
        .with.property('refusal', 'FEE_RANGE_OVERLAPS');
    }
    expect(() => checkRange(range('100', '200'), known))
      .to.throw()
      .with.property('refusal', 'FEE_PACKAGE_DUPLICATE');
  });
});
