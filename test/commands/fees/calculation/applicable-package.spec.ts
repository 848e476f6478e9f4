import { expect } from 'chai';
import {
  applicablePackage,
  isInRange,
  sharedSegment,
  type FeeOccasion,
} from '#commands/fees/calculation/applicable-package.ts';
import { prepareScope } from '#commands/fees/calculation/prepared-package.ts';
import { parseAmount } from '#src/kernel/amount.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { refused } from '#test/support/refused.ts';

const S1 = '0190a1c0-0000-7000-8000-0000000000a1' as Uuid;
const S2 = '0190a1c0-0000-7000-8000-0000000000a2' as Uuid;

type Sample = Readonly<{
  name: string;
  enable: boolean;
  transactionRoute: string | null;
  segmentId: Uuid | null;
  metadataSelector?: Readonly<Record<string, string>>;
  minimumAmount: string;
  maximumAmount: string;
}>;

const pack = (name: string, more: Partial<Sample> = {}): Sample => ({
  name,
  enable: true,
  transactionRoute: null,
  segmentId: null,
  minimumAmount: '100',
  maximumAmount: '1000',
  ...more,
});

type Asked = Partial<Omit<FeeOccasion, 'value'>> & Readonly<{ value?: string }>;

const applied = (packages: readonly Sample[], { value = '500', ...more }: Asked = {}) => {
  const occasion = { metadata: {}, segmentId: undefined, ...more, value: parseAmount(value) };
  const prepared = packages.map((one) => ({ ...prepareScope(one), name: one.name }));
  return applicablePackage(prepared, occasion)?.name;
};

describe('the package that applies', () => {
  it('14: is one whose bounds, both inclusive, hold the value', () => {
    const within = (value: string) => applied([pack('one')], { value });
    expect(['100', '1000', '99.99', '1000.01'].map(within)).to.deep.equal([
      ...['one', 'one', undefined, undefined],
    ]);
    expect(isInRange(prepareScope(pack('one')), parseAmount('1000'))).to.equal(true);
  });

  it('is enabled', () => {
    expect(applied([pack('off', { enable: false })])).to.equal(undefined);
  });

  it('has the route of the transaction: its id, else its text, else none', () => {
    const packages = [
      pack('none'),
      pack('text', { transactionRoute: 'pix' }),
      pack('id', { transactionRoute: S1.toUpperCase() }),
    ];
    expect(applied(packages)).to.equal('none');
    expect(applied(packages, { route: '' })).to.equal('none');
    expect(applied(packages, { route: 'pix' })).to.equal('text');
    expect(applied(packages, { route: 'PIX' })).to.equal(undefined);
    expect(applied(packages, { route: 'pix', routeId: S1 })).to.equal('id');
  });

  it('selects by pairs of metadata, which the transaction has as texts; more pairs win', () => {
    const packages = [
      pack('any'),
      pack('one', { metadataSelector: { kind: 'gold' } }),
      pack('two', { metadataSelector: { kind: 'gold', n: '1' } }),
    ];
    const by = (metadata: object) => applied(packages, { metadata: { ...metadata } });
    expect([by({}), by({ kind: 'gold' }), by({ kind: 'gold', n: '1' })]).to.deep.equal([
      ...['any', 'one', 'two'],
    ]);
    expect(by({ kind: 'gold', n: 1 })).to.equal('one');
    expect(
      applied(packages, { metadata: Object.create({ kind: 'gold' }) as FeeOccasion['metadata'] }),
    ).to.equal('any');
  });

  it('is of the segment of the transaction, or of none where that has no package', () => {
    const packages = [pack('common'), pack('own', { segmentId: S1 })];
    expect(applied(packages, { segmentId: S1 })).to.equal('own');
    expect(applied(packages, { segmentId: S2 })).to.equal('common');
    expect(applied(packages)).to.equal('common');
  });

  it('does not fall back to no segment because of the amount', () => {
    const packages = [pack('common'), pack('own', { segmentId: S1, maximumAmount: '200' })];
    expect(applied(packages, { segmentId: S1 })).to.equal(undefined);
  });

  it('is one: several that are as specific are refused', async () => {
    const packages = [
      pack('a', { metadataSelector: { a: '1' } }),
      pack('b', { metadataSelector: { b: '1' } }),
    ];
    const both = () => applied(packages, { metadata: { a: '1', b: '1' } });
    expect(await refused(Promise.try(both))).to.equal('FEE_PACKAGES_AMBIGUOUS');
  });

  it('takes the one segment of all sources, external accounts aside', () => {
    const of = (...segments: readonly (Uuid | undefined)[]) =>
      sharedSegment([
        { alias: '@external/BRL', segmentId: S2 },
        ...segments.map((segmentId, n) => ({ alias: `@${n}`, segmentId })),
      ]);
    expect([of(), of(S1), of(S1, S1), of(S1, S2), of(S1, undefined), of(undefined)]).to.deep.equal([
      ...[undefined, S1, S1, undefined, undefined, undefined],
    ]);
  });
});
