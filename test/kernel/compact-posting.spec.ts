import { expect } from 'chai';
import fc from 'fast-check';
import { compactPosting } from '#src/kernel/compact-posting.ts';
import { isCompact } from '#src/kernel/compact-form.ts';
import { partId } from '#src/kernel/ids.ts';
import { postingText } from '#src/kernel/posting-text.ts';
import { wholePosting } from '#src/kernel/whole-posting.ts';
import { balancesLeft } from '#src/events/ledger/posted.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import {
  anyTransaction,
  anyTransactionIn,
  nasty,
  unescaped,
} from '#test/support/any-transaction.ts';
import { accountId } from '#test/support/ledger-samples.ts';
import { state, transactionRecord, type Moved } from '#test/support/transaction-samples.ts';

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

/** Transactions in the usual form, with everything that may be unusual in it. */
const usual = (words: fc.Arbitrary<string>) =>
  fc
    .record({
      moves: fc.array(
        fc.record({
          ...{ alias: words, amount: fc.constantFrom('1', '0.05', '12345678901234567890.1234') },
          type: fc.constantFrom('DEBIT', 'CREDIT'),
          origin: fc.constantFrom('request', 'request', 'fee'),
          ordinal: fc.constantFrom(1, 1, 2, 0xffff),
          key: fc.oneof(fc.constant('default'), words),
          onHold: fc.constantFrom('0', '0', '7.5'),
          version: fc.nat(),
          description: maybe(words),
          routeCode: maybe(words),
          metadata: maybe(fc.dictionary(words, fc.oneof(words, fc.double({ noNaN: true })))),
        }),
        { maxLength: 40, size: 'max' },
      ),
      description: maybe(words),
      parentTransactionId: maybe(fc.uuid()),
      source: maybe(fc.array(words)),
      updatedAt: maybe(fc.constant('2026-01-01T00:00:00.000000Z')),
      metadata: maybe(fc.dictionary(words, fc.oneof(words, fc.boolean(), fc.integer()))),
    })
    .map(({ moves, source, updatedAt, ...changes }) =>
      transactionRecord(
        'any',
        moves.map(({ ordinal, key, onHold, version, ...move }) => ({
          ...(move as unknown as Moved),
          ...{ balanceId: partId(accountId(move.alias), ordinal), balanceKey: key },
          balance: { ...state('-1', version), onHold },
          balanceAfter: { ...state('2.5', version + 1), onHold },
        })),
        {
          ...changes,
          ...(source && { source }),
          ...(updatedAt && { updatedAt }),
        } as unknown as Partial<TransactionRecord>,
      ),
    );

const RUNS = { numRuns: 500 };

describe('a compact posting', () => {
  it('yields the text of the whole record, whatever clients wrote into it', () => {
    let made = 0;
    fc.assert(
      fc.property(fc.oneof(usual(unescaped), usual(nasty)), (transaction) => {
        const compact = compactPosting({ transaction });
        const isEscaped = JSON.stringify(transaction).includes('\\');
        expect(compact === undefined).to.equal(isEscaped);
        if (compact === undefined) return;
        made += 1;
        expect(JSON.stringify(wholePosting(compact))).to.equal(JSON.stringify({ transaction }));
        expect(postingText(compact)).to.equal(JSON.stringify(transaction));
        expect(JSON.stringify(JSON.parse(compact))).to.equal(compact);
        expect(isCompact(compact)).to.equal(true);
      }),
      RUNS,
    );
    expect(made).to.be.within(RUNS.numRuns / 5, RUNS.numRuns - 1);
  });

  it('is not made of a record that it would not yield', () => {
    let made = 0;
    fc.assert(
      fc.property(fc.oneof(anyTransactionIn(unescaped), anyTransaction), (transaction) => {
        const compact = compactPosting({ transaction });
        const whole = JSON.stringify({ transaction });
        expect(isCompact(whole)).to.equal(false);
        if (compact === undefined) return;
        made += 1;
        expect(JSON.stringify(wholePosting(compact))).to.equal(whole);
        expect(postingText(compact)).to.equal(JSON.stringify(transaction));
      }),
      RUNS,
    );
    expect(made).to.be.within(1, RUNS.numRuns - 1);
  });

  it('says each value once', () => {
    const [alice, bob] = [move('@alice', 'DEBIT'), move('@bob', 'CREDIT')];
    const transaction = transactionRecord('one', [alice, bob]);
    const { id, organizationId, ledgerId, createdAt } = transaction;
    const text = compactPosting({ transaction })!;
    expect(JSON.parse(text)).to.deep.equal({
      posted: [id, organizationId, ledgerId, createdAt, 'BRL', '500'],
      postings: [
        ['D', accountId('@alice'), '@alice', '500', '1', '2', 8],
        ['C', accountId('@bob'), '@bob', '500', '1', '2', 8],
      ],
    });
  });

  for (const [what, change] of Object.entries({
    'has another member': { awaiting: [] },
    'is a part of a group': { groupId: transactionRecord('group', []).id },
    'changes fee debts': { feeDebts: [] },
    'is pending': { status: 'PENDING' },
    'has a member that is undefined': { code: undefined },
  })) {
    it(`is not made of a transaction that ${what}`, () => {
      const transaction = { ...transactionRecord('one', [move('@alice', 'DEBIT')]), ...change };
      expect(compactPosting({ transaction })).to.equal(undefined);
    });
  }

  for (const [what, change] of Object.entries<Partial<OperationRecord>>({
    'draws on an overdraft': { balanceAfter: { ...state('2', 8), overdraftUsed: '1' } },
    'changes what is on hold': { balanceAfter: { ...state('2', 8), onHold: '1' } },
    'leaves out a version': { balanceAfter: state('2', 9) },
    'is of another type': { type: 'BLOCK' },
    'has another direction': { direction: 'credit' },
    'has the id of another part': { id: partId(accountId('@alice'), 1) },
    'is on a balance of another account': { balanceId: partId(accountId('@bob'), 1) },
    'moves no balance': { balanceAffected: false },
  })) {
    it(`is not made of an operation that ${what}`, () => {
      const { operations, ...rest } = transactionRecord('one', [move('@alice', 'DEBIT')]);
      const { createdAt, updatedAt, ...head } = rest;
      const changed = operations.map((operation) => ({ ...operation, ...change }));
      const transaction = { ...head, operations: changed, createdAt, updatedAt };
      expect(compactPosting({ transaction })).to.equal(undefined);
    });
  }

  it('is not made of data that says more, or says it in another order', () => {
    const transaction = transactionRecord('one', [move('@alice', 'DEBIT')]);
    const { id, ...others } = transaction;
    expect(compactPosting({ transaction })).to.be.a('string');
    expect(compactPosting({ transaction, relies: [] })).to.equal(undefined);
    expect(compactPosting({ transaction: { ...others, id } })).to.equal(undefined);
  });

  for (const [what, changes] of Object.entries<Partial<TransactionRecord>>({
    'no other members': {},
    'a description': { description: 'rent' },
    metadata: { metadata: { tier: 'gold' } },
    'a route': { route: 'rent', description: 'May' },
  })) {
    it(`is not read if it has ${what} and says anything that is not known`, () => {
      const transaction = transactionRecord('one', [move('@alice', 'DEBIT')], changes);
      const text = compactPosting({ transaction })!;
      const more = text.includes('"more":{')
        ? text.replace('"more":{', '"more":{"later":1,')
        : text.replace(/}$/, ',"more":{"later":1}}');
      for (const damaged of [
        more,
        text.replace(/}$/, ',"later":1}'),
        text.replace(/}$/, ',"posted":[]}'),
        text.replace(/}$/, ',"more":null}'),
        text.replace(',8]', ',8,{"later":1}]'),
        text.replace(',8]', ',8,{"__proto__":1}]'),
        text.replace(',8]', ',8,{},1]'),
        text.replace(',8]', ',"8"]'),
        text.replace('["D"', '["E"'),
        text.replace(',"BRL"', ''),
        text.slice(0, -1),
        `${text.slice(0, -1)}]`,
        `${text}}`,
      ]) {
        expect(damaged).not.to.equal(text);
        expect(() => wholePosting(damaged), damaged).to.throw();
        expect(() => postingText(damaged), damaged).to.throw();
        expect(() => balancesLeft(damaged), damaged).to.throw();
      }
    });
  }
});

const move = (alias: string, type: 'DEBIT' | 'CREDIT'): Moved => ({
  ...{ alias, type, balance: state('1', 7), balanceAfter: state('2', 8) },
});
