import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import type { FeeRules, PostTransaction } from '#commands/ledger/transaction/commands.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import { specFor } from '#test/support/decider-spec.ts';
import { changeText } from '#test/support/fee-debt-samples.ts';
import { fee, feePackage, knownFees, ROUTE_FROM, ROUTE_TO } from '#test/support/fee-samples.ts';
import {
  accountId,
  inflow,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';

const { given } = specFor(ledgerDecider);

const deferrable = fee('10', { deferrable: true, routeFrom: ROUTE_FROM, routeTo: ROUTE_TO });
/** Only transactions with the metadata `fee` are charged. */
const charging = knownFees(feePackage({ p1: deferrable }, { metadataSelector: { fee: 'yes' } }));
const charged = { metadata: { fee: 'yes' } };

const bank = () => given(...ledgerWith('BRL', '@payer', '@shop', '@fees', '@other'));
type Bank = ReturnType<typeof bank>;

/** A transfer of version 2. */
const pay = (from: string, to: string, amount: string, more: object = {}): PostTransaction => ({
  ...postTransaction({ from, to, amount, ...more }),
  fees: 2,
});
const collect = (maxAmount?: string, accountAlias = '@payer'): LedgerCommand => ({
  type: 'CollectFeeDebts',
  organizationId: ORGANIZATION,
  accountAlias,
  balanceKey: 'default',
  maxAmount,
});
const revert = (transactionId: Uuid): LedgerCommand => ({
  ...{ type: 'RevertTransaction', organizationId: ORGANIZATION, transactionId, paysDebts: true },
});

function taken(story: Bank, command: LedgerCommand): TransactionRecord {
  const [event] = story.when(command, charging).happened();
  if (event === undefined || !('transaction' in event.data)) throw new Error('No transaction');
  return event.data.transaction as TransactionRecord;
}

const changesOf = ({ feeDebts = [] }: TransactionRecord): string[] => feeDebts.map(changeText);
const rowsOf = ({ operations }: TransactionRecord): string[] =>
  operations.map(
    ({ type, direction, accountAlias, amount, balanceAfter }) =>
      `${type} ${direction} ${accountAlias} ${amount} → ${balanceAfter.available}`,
  );

/** The payer has 100, sends 100 to the shop, and owes the fee of 10. */
function indebted(): Readonly<{ story: Bank; origin: TransactionRecord }> {
  const story = bank().after(inflow('@payer', '100'));
  const origin = taken(story, pay('@payer', '@shop', '100', charged));
  return { story, origin };
}

describe('a deferrable fee', () => {
  it('becomes a debt if nothing is left for it', () => {
    const { origin } = indebted();
    expect(origin.amount).to.equal('100');
    expect(rowsOf(origin)).to.deep.equal([
      'DEBIT debit @payer 100 → 0',
      'CREDIT credit @shop 100 → 100',
    ]);
    expect([origin.source, origin.destination]).to.deep.equal([['@payer'], ['@shop']]);
    expect(changesOf(origin)).to.deep.equal(['opened 10, leaves 10 of #1']);
    expect(origin.feeDebts?.[0]?.debt).to.include({
      id: `${origin.id}:from:1:debit`,
      originTransactionId: origin.id,
      assetCode: 'BRL',
    });
    expect(origin.feePackage?.charged).to.equal(true);
    expect(Object.keys(origin).at(-1)).to.equal('feeDebts'); // The scan of the usual form depends on it.
  });

  it('is paid as far as funds suffice', () => {
    const story = bank().after(inflow('@payer', '104'));
    const origin = taken(story, pay('@payer', '@shop', '100', charged));
    expect(origin.amount).to.equal('104');
    expect(rowsOf(origin)).to.include.members(['CREDIT credit @fees 4 → 4']);
    expect(changesOf(origin)).to.deep.equal(['opened 6, leaves 6 of #1']);
  });

  it('is paid at once if there are funds, and refused for lack of the principal', () => {
    const story = bank().after(inflow('@payer', '110'));
    story.when(pay('@payer', '@shop', '111', charged), charging).thenRefused('INSUFFICIENT_FUNDS');
    const { amount, feeDebts } = taken(story, pay('@payer', '@shop', '100', charged));
    expect([amount, feeDebts]).to.deep.equal(['110', undefined]);
  });

  it('is never owed on version 1, a hold, or by an external account', () => {
    const story = bank().after(inflow('@payer', '100'));
    const one: PostTransaction = {
      ...pay('@payer', '@shop', '100', charged),
      fees: 1 satisfies FeeRules,
    };
    story.when(one, charging).thenRefused('INSUFFICIENT_FUNDS');
    const hold = pay('@payer', '@shop', '100', { ...charged, pending: true });
    story.when(hold, charging).thenRefused('INSUFFICIENT_FUNDS');
    const outside = taken(story, pay('@external/BRL', '@shop', '100', charged));
    expect([outside.amount, outside.feeDebts]).to.deep.equal(['110', undefined]);
  });

  it('comes after the fees that cannot be deferred', () => {
    const both = knownFees(
      feePackage({ p1: deferrable, p2: fee('3', { priority: 2, creditAccount: '@other' }) }),
    );
    const story = bank().after(inflow('@payer', '105'));
    const [event] = story.when(pay('@payer', '@shop', '100'), both).happened();
    const { transaction } = (event as Extract<LedgerEvent, { type: 'TransactionPosted' }>).data;
    expect(transaction.amount).to.equal('105');
    expect(changesOf(transaction)).to.deep.equal(['opened 8, leaves 8 of #1']);
  });
});

describe('an open debt', () => {
  it('is paid by the next credit of version 2, under the routes of the fee', () => {
    const { story } = indebted();
    const credit = taken(story, pay('@shop', '@payer', '30'));
    expect(credit.amount).to.equal('30');
    expect(rowsOf(credit)).to.deep.equal([
      ...['CREDIT credit @payer 30 → 30', 'DEBIT debit @shop 30 → 70'],
      ...['FEE_SETTLEMENT credit @fees 10 → 10', 'FEE_SETTLEMENT debit @payer 10 → 20'],
    ]);
    const routes = credit.operations.slice(2).map(({ routeId, origin }) => [routeId, origin]);
    expect(routes).to.deep.equal([
      [ROUTE_TO, 'settlement'],
      [ROUTE_FROM, 'settlement'],
    ]);
    expect(changesOf(credit)).to.deep.equal(['settled 10, leaves 0 of #1']);
    expect(taken(story, pay('@shop', '@payer', '5')).feeDebts).to.equal(undefined);
  });

  it('is paid in part by a small credit, and never by one of version 1', () => {
    const { story } = indebted();
    expect(taken(story, inflow('@payer', '7')).feeDebts).to.equal(undefined);
    const small = taken(story, pay('@shop', '@payer', '4'));
    expect(changesOf(small)).to.deep.equal(['settled 4, leaves 6 of #1']);
    expect(rowsOf(small).at(-1)).to.equal('FEE_SETTLEMENT debit @payer 4 → 7');
  });

  it('is paid by the commit of a hold', () => {
    const { story } = indebted();
    const hold = taken(story, pay('@shop', '@payer', '30', { pending: true }));
    const commit = (transactionId: Uuid): LedgerCommand => ({
      ...{ type: 'CommitTransaction', organizationId: ORGANIZATION, transactionId },
      paysDebts: true,
    });
    const [event] = story.when(commit(hold.id)).happened();
    const { transaction, stepOperations } = (
      event as Extract<LedgerEvent, { type: 'TransactionCommitted' }>
    ).data;
    expect(stepOperations).to.equal(4);
    expect(changesOf(transaction)).to.deep.equal(['settled 10, leaves 0 of #1']);
    expect(transaction.operations.map(({ status }) => status)).to.deep.equal([
      ...['PENDING', 'APPROVED', 'APPROVED', 'APPROVED', 'APPROVED'],
    ]);
  });

  it('waits for those that are older', () => {
    const { story } = indebted();
    story.after(inflow('@payer', '50'));
    taken(story, pay('@payer', '@shop', '50', charged));
    const credit = taken(story, pay('@shop', '@payer', '14'));
    expect(changesOf(credit)).to.deep.equal([
      'settled 10, leaves 0 of #1',
      'settled 4, leaves 6 of #2',
    ]);
  });

  it('is opened and paid within one batch', () => {
    const story = bank().after(inflow('@payer', '100'), inflow('@shop', '20'));
    const [first, second] = [
      pay('@payer', '@shop', '100', charged),
      pay('@shop', '@payer', '15'),
    ].map(({ request }) => request);
    const events = story
      .when(
        {
          ...{ type: 'PostTransactions', organizationId: ORGANIZATION, fees: 2 },
          requests: [first!, second!],
          items: { list: 'transactions', one: (n: number) => `transactions[${n}]` } as never,
          locations: pay('@payer', '@shop', '1').locations,
        },
        charging,
      )
      .happened() as readonly Extract<LedgerEvent, { type: 'TransactionPosted' }>[];
    expect(events.flatMap(({ data }) => changesOf(data.transaction))).to.deep.equal([
      'opened 10, leaves 10 of #1',
      'settled 10, leaves 0 of #1',
    ]);
  });

  it('is collected, whole or up to a maximum', () => {
    const { story } = indebted();
    story.after(inflow('@payer', '30'));
    const part = taken(story, collect('4'));
    expect([part.amount, part.source, part.destination]).to.deep.equal([
      '4',
      ['@payer'],
      ['@fees'],
    ]);
    expect(part.metadata).to.deep.equal({ feeDebtCollection: 'true' });
    expect(rowsOf(part)).to.deep.equal([
      ...['FEE_SETTLEMENT credit @fees 4 → 4', 'FEE_SETTLEMENT debit @payer 4 → 26'],
    ]);
    const rest = taken(story, collect());
    expect(rowsOf(rest).at(-1)).to.equal('FEE_SETTLEMENT debit @payer 6 → 20');
    expect(changesOf(rest)).to.deep.equal(['settled 6, leaves 0 of #1']);
    story.when(collect()).thenNothing();
    story.when(revert(part.id)).thenRefused('NOTHING_TO_REVERT');
  });

  it('is not collected without funds, from who may not send, or for who may not receive', () => {
    const { story } = indebted();
    story.when(collect()).thenNothing();
    story.when(collect(undefined, '@nobody')).thenRefused('NOT_FOUND');
    const block = (alias: string, blocked: boolean): LedgerCommand => ({
      ...{ type: 'UpdateAccount', organizationId: ORGANIZATION, accountId: accountId(alias) },
      changes: { blocked },
    });
    story.after(inflow('@payer', '30'));
    for (const alias of ['@payer', '@fees']) {
      story.after(block(alias, true));
      story.when(collect()).thenNothing();
      story.after(block(alias, false));
    }
    story.after(block('@fees', true));
    expect(taken(story, pay('@shop', '@payer', '1')).feeDebts).to.equal(undefined);
  });

  it('keeps its account and balance from being closed or deleted', () => {
    const { story } = indebted();
    for (const type of ['CloseAccount', 'DeleteAccount'] as const) {
      const command = { type, organizationId: ORGANIZATION, accountId: accountId('@payer') };
      story.when(command).thenRefused('FEE_DEBT_OPEN');
    }
    const balanceId = partId(accountId('@payer'), 1);
    const balance = { type: 'DeleteBalance', organizationId: ORGANIZATION, balanceId } as const;
    story.when(balance).thenRefused('FEE_DEBT_OPEN');
  });
});

describe('a reversal', () => {
  it('of the origin cancels what is open and refunds what was paid', () => {
    const { story, origin } = indebted();
    story.after(inflow('@payer', '4'));
    taken(story, collect());
    const reversal = taken(story, revert(origin.id));
    expect(reversal.amount).to.equal('100');
    expect(rowsOf(reversal)).to.deep.equal([
      ...['FEE_REFUND debit @fees 4 → 0', 'FEE_REFUND credit @payer 4 → 4'],
      ...['CREDIT credit @payer 100 → 104', 'DEBIT debit @shop 100 → 0'],
    ]);
    expect(changesOf(reversal)).to.deep.equal([
      'canceled 6, leaves 0 of #1',
      'refunded 4, leaves 0 of #1',
    ]);
    story.when(collect()).thenNothing();
  });

  it('of the origin refunds a debt that was paid long ago, and pays the other debts by it', () => {
    const { story, origin } = indebted();
    taken(story, pay('@shop', '@payer', '10'));
    story.after(inflow('@payer', '5'));
    taken(story, pay('@payer', '@shop', '5', charged));
    story.after(inflow('@shop', '5'));
    const reversal = taken(story, revert(origin.id));
    expect(changesOf(reversal)).to.deep.equal([
      'refunded 10, leaves 0 of #1',
      'settled 10, leaves 0 of #2',
    ]);
    expect(rowsOf(reversal).at(-1)).to.equal('FEE_SETTLEMENT debit @payer 10 → 100');
  });

  it('of a credit opens the debts again that it paid', () => {
    const { story } = indebted();
    const credit = taken(story, pay('@shop', '@payer', '30'));
    const reversal = taken(story, revert(credit.id));
    expect(rowsOf(reversal)).to.deep.equal([
      ...['FEE_REFUND debit @fees 10 → 0', 'FEE_REFUND credit @payer 10 → 30'],
      ...['DEBIT debit @payer 30 → 0', 'CREDIT credit @shop 30 → 100'],
    ]);
    expect(changesOf(reversal)).to.deep.equal(['reopened 10, leaves 10 of #1']);
    expect(changesOf(taken(story, pay('@shop', '@payer', '3')))).to.deep.equal([
      'settled 3, leaves 7 of #1',
    ]);
  });

  it('of a credit leaves alone what the reversal of the origin refunded', () => {
    const { story, origin } = indebted();
    const credit = taken(story, pay('@shop', '@payer', '30'));
    story.after(inflow('@shop', '100'));
    taken(story, revert(origin.id));
    const reversal = taken(story, revert(credit.id));
    expect(reversal.feeDebts).to.equal(undefined);
    expect(rowsOf(reversal)).to.deep.equal([
      ...['DEBIT debit @payer 30 → 100', 'CREDIT credit @shop 30 → 100'],
    ]);
  });

  it('is refused if the fee account cannot return the payment', () => {
    const { story } = indebted();
    const credit = taken(story, pay('@shop', '@payer', '30'));
    story.after(postTransaction({ from: '@fees', to: '@external/BRL', amount: '10' }));
    story.when(revert(credit.id)).thenRefused('INSUFFICIENT_FUNDS');
  });
});
