import { expect } from 'chai';
import { partId } from '#src/kernel/ids.ts';
import { transactionView } from '#src/resources/ledger/transaction.ts';
import { accountId, LEDGER, ORGANIZATION } from '#test/support/ledger-samples.ts';
import { NOW } from '#test/support/stamps.ts';
import { state, transactionId, transactionRecord } from '#test/support/transaction-samples.ts';

const id = transactionId('inflow');
const inflow = transactionRecord(
  'inflow',
  [
    { alias: '@alice', type: 'CREDIT', balance: state('0', 0), balanceAfter: state('500', 1) },
    {
      alias: '@external/BRL',
      type: 'DEBIT',
      balance: state('0', 0),
      balanceAfter: state('500', 1),
    },
  ],
  { description: 'Funding' },
);

const operation = (n: number, type: string, direction: string, alias: string): string =>
  `{"id":"${partId(id, n)}","transactionId":"${id}","description":"Funding","type":"${type}",` +
  `"direction":"${direction}","assetCode":"BRL","chartOfAccounts":"","amount":{"value":"500"},` +
  `"balance":{"available":"0","onHold":"0","version":0,"overdraftUsed":"0"},` +
  `"balanceAfter":{"available":"500","onHold":"0","version":1,"overdraftUsed":"0"},` +
  `"status":{"code":"APPROVED","description":"APPROVED"},"accountId":"${accountId(alias)}",` +
  `"accountAlias":"${alias}","balanceId":"${partId(accountId(alias), 1)}","balanceKey":"default",` +
  `"organizationId":"${ORGANIZATION}","ledgerId":"${LEDGER}","balanceAffected":true,"route":"",` +
  `"metadata":{},"createdAt":"${NOW}","updatedAt":"${NOW}","deletedAt":null}`;

/** Contract ledger §9.1, member by member. */
const shown = (code: string): string =>
  `{"id":"${id}","organizationId":"${ORGANIZATION}","ledgerId":"${LEDGER}",` +
  `"description":"Funding","status":{"code":"${code}","description":"${code}"},"amount":"500",` +
  `"assetCode":"BRL","chartOfAccountsGroupName":"","source":["@external/BRL"],` +
  `"destination":["@alice"],"route":"","feesSkipped":false,"tracerSkipped":false,` +
  `"createdAt":"${NOW}","updatedAt":"${NOW}","deletedAt":null,"operations":[` +
  `${operation(1, 'CREDIT', 'credit', '@alice')},${operation(2, 'DEBIT', 'debit', '@external/BRL')}]}`;

describe('view of a transaction', () => {
  it('is the worked example of the contract, as the answer to a creation', () => {
    expect(JSON.stringify(transactionView(inflow, { as: 'created', version: 1 }))).to.equal(
      shown('CREATED'),
    );
  });

  it('says APPROVED ever after', () => {
    expect(JSON.stringify(transactionView(inflow, { as: 'stored', version: 1 }))).to.equal(
      shown('APPROVED'),
    );
  });

  it('shows what was sent, and an operation its own words before the whole one’s', () => {
    const [first, ...rest] = inflow.operations;
    const view = transactionView(
      {
        ...inflow,
        metadata: { invoice: '77' },
        chartOfAccountsGroupName: 'FUNDING',
        route: 'r',
        operations: [
          { ...first!, description: 'Own', chartOfAccounts: '1.1', metadata: { leg: 1 } },
          ...rest,
        ],
      },
      { as: 'stored', version: 1 },
    );

    expect(view).to.deep.include({
      metadata: { invoice: '77' },
      chartOfAccountsGroupName: 'FUNDING',
      route: 'r',
    });
    expect(view.operations.map(({ description }) => description)).to.deep.equal(['Own', 'Funding']);
    expect(view.operations[0]).to.deep.include({ chartOfAccounts: '1.1', metadata: { leg: 1 } });
  });

  it('of version 2 has other names for the aliases, a scheme, and no chart of accounts', () => {
    const chosen = { scheme: 'PIX', chartOfAccountsGroupName: 'F', route: 'r' } as const;
    const view = transactionView({ ...inflow, ...chosen }, { as: 'stored', version: 2 });
    const text = JSON.stringify(view);
    expect(view).to.deep.include({ debit: ['@external/BRL'], credit: ['@alice'], scheme: 'PIX' });
    expect(text).not.to.match(
      /"(source|destination|route|chartOfAccounts|chartOfAccountsGroupName)":/,
    );
    const other = /"(debit|credit|scheme)":/;
    expect(JSON.stringify(transactionView(inflow, { as: 'stored', version: 1 }))).not.to.match(
      other,
    );
  });

  it('has no description when nobody gave one', () => {
    const view = transactionView(transactionRecord('bare', []), { as: 'stored', version: 1 });
    expect(view.description).to.equal('');
    expect(JSON.parse(JSON.stringify(view))).not.to.have.any.keys('metadata', 'routeId');
  });
});
