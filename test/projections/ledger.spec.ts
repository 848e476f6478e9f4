import { expect } from 'chai';
import { projections } from '#src/bootstrap/projections.ts';
import { accountProjection } from '#projections/ledger/account.ts';
import { recordProjection } from '#projections/record.ts';
import { accountTypeResource } from '#src/resources/ledger/account-type.ts';
import { portfolioResource } from '#src/resources/ledger/portfolio.ts';
import { segmentResource } from '#src/resources/ledger/segment.ts';
import { assetResource } from '#src/resources/ledger/asset.ts';
import { balanceProjection } from '#projections/ledger/balance.ts';
import { ledgerProjection } from '#projections/ledger/ledger.ts';
import { operationRouteUseProjection } from '#projections/ledger/operation-route-use.ts';
import { organizationProjection } from '#projections/ledger/organization.ts';
import { besides, movementsOf, transactionProjection } from '#projections/ledger/transaction.ts';
import type { DomainEvent } from '#src/kernel/decider.ts';
import { storedData } from '#src/kernel/event-data.ts';
import { partId } from '#src/kernel/ids.ts';
import type { Position } from '#src/ports/event-store.ts';
import type { Rows, Write } from '#src/ports/projection.ts';
import {
  accountId,
  accountOpened,
  assetCreated,
  LEDGER,
  ledgerOpened,
  ORGANIZATION,
  organizationCreated,
} from '#test/support/ledger-samples.ts';
import {
  accountTypeCreated,
  portfolioCreated,
  portfolioId,
  segmentCreated,
  segmentId,
} from '#test/support/record-samples.ts';
import { routeId, transactionRouteCreated } from '#test/support/route-samples.ts';
import { NOW } from '#test/support/stamps.ts';
import { funded, transactionId } from '#test/support/transaction-samples.ts';

const CLOSED = { code: 'Closed', description: null };
const POSITION = '0000000000000640' as Position;

/** What an event with revision 7 changes. */
const project = ({ on }: Rows, event: DomainEvent): readonly Write[] =>
  on[event.type]?.({
    data: event.data as never,
    text: storedData(event).data,
    tenantId: 'default',
    revision: 7,
    position: POSITION,
  }) ?? [];

type Posted = Extract<ReturnType<typeof funded>, { type: 'TransactionPosted' }>;

const putBy = (projection: Rows, event: DomainEvent) => {
  const [write, ...more] = project(projection, event);
  expect(more).to.deep.equal([]);
  return write!.put!;
};

describe('ledger projections', () => {
  it('have names of their own, and a tenant on every row', () => {
    const names = projections.map(({ collection }) => collection.name);
    expect(new Set(names)).to.have.property('size', names.length);
    for (const { collection } of projections) {
      expect(collection.keys, collection.name).to.have.property('tenantId', 'text');
    }
  });

  it('order organizations by their place in the log, for their journals are many', () => {
    const row = putBy(organizationProjection, organizationCreated({ legalName: 'Quipu BANK' }));

    expect(row).to.include({ id: ORGANIZATION, born: POSITION });
    expect(row.keys).to.include({ tenantId: 'default', legalName: 'quipu bank', status: 'ACTIVE' });
    expect(JSON.parse(row.body)).to.have.property('legalName', 'Quipu BANK');
  });

  it('order ledgers by the revision at which the organization reserved their names', () => {
    const row = putBy(ledgerProjection, ledgerOpened());

    expect(row).to.include({ id: LEDGER, born: 65536 });
    expect(row.keys).to.include({ organizationId: ORGANIZATION, name: 'retail' });
  });

  it('order what is in a ledger by its revision there', () => {
    expect(putBy(recordProjection(assetResource), assetCreated())).to.have.property(
      'born',
      7 * 65536,
    );
    expect(putBy(accountProjection, accountOpened())).to.have.property('born', 7 * 65536);
    expect(putBy(balanceProjection, accountOpened())).to.have.property('born', 7 * 65536);
    expect(putBy(transactionProjection, funded('@alice'))).to.have.property('born', 7 * 65536);
  });

  it('find accounts by what they are asked for', () => {
    const row = putBy(
      accountProjection,
      accountOpened({ alias: '@Alice', name: 'Savings', blocked: true, entityId: 'E1' }),
    );

    expect(row.keys).to.include({
      alias: '@Alice',
      aliasLower: '@alice',
      nameLower: 'savings',
      blocked: 1,
      entityId: 'E1',
      portfolioId: null,
    });
  });

  it('find the records that accounts are sorted by', () => {
    expect(putBy(recordProjection(segmentResource), segmentCreated())).to.include({
      born: 7 * 65536,
    });
    const portfolio = portfolioCreated({ entityId: 'C-17', status: CLOSED });
    expect(putBy(recordProjection(portfolioResource), portfolio).keys).to.include({
      entityId: 'C-17',
      status: 'Closed',
    });
    expect(putBy(recordProjection(portfolioResource), portfolioCreated()).keys).to.include({
      entityId: null,
    });
    const row = putBy(recordProjection(accountTypeResource), accountTypeCreated());
    expect(row.keys).to.include({ ledgerId: LEDGER, keyValue: 'savings' });
    const grouped = { portfolioId: portfolioId('Anna'), segmentId: segmentId('Retail') };
    expect(putBy(accountProjection, accountOpened(grouped)).keys).to.include(grouped);
  });

  it('open a balance with its account', () => {
    const row = putBy(balanceProjection, accountOpened({ alias: '@alice' }));

    expect(row.id).to.equal(partId(accountId('@alice'), 1));
    expect(row.keys).to.include({ accountId: accountId('@alice'), alias: '@alice' });
    expect(row.values).to.deep.equal({
      available: '0',
      onHold: '0',
      overdraftUsed: '0',
      version: 0,
      updatedAt: NOW,
    });
  });

  it('set balances to what a transaction left, whatever they were', () => {
    const writes = project(balanceProjection, funded('@alice', 2));

    expect(writes.map(({ set }) => set)).to.deep.equal([
      {
        id: partId(accountId('@alice'), 1),
        values: { available: '1000', onHold: '0', overdraftUsed: '0', version: 2, updatedAt: NOW },
      },
      {
        id: partId(accountId('@external/BRL'), 1),
        values: { available: '500', onHold: '0', overdraftUsed: '0', version: 1, updatedAt: NOW },
      },
    ]);
  });

  it('keep a transaction byte for byte, and its operations under their accounts', () => {
    const event = funded('@alice');
    const row = putBy(transactionProjection, event);

    expect(row.id).to.equal(transactionId('@alice 1'));
    expect(`{"transaction":${row.body}}`).to.equal(JSON.stringify(event.data));
    expect(row.entries).to.deep.equal([
      {
        at: accountId('@alice'),
        ordinal: 1,
        facts: { type: 'CREDIT', direction: 'credit', createdAt: NOW },
      },
      {
        at: accountId('@external/BRL'),
        ordinal: 2,
        facts: { type: 'DEBIT', direction: 'debit', createdAt: NOW },
      },
    ]);
  });

  it('keep the movements of a further balance under it, beside the other operations of its account', () => {
    const { type, data } = funded('@alice') as Posted;
    const [credit, debit] = data.transaction.operations;
    const savings = partId(accountId('@alice'), 2);
    const operations = [
      { ...credit!, balanceId: savings, balanceKey: 'savings' },
      { ...debit!, balanceAffected: false as const },
    ];
    const transaction = { ...data.transaction, operations };
    const placesIn = (event: string) =>
      putBy(transactionProjection, { type: event, data: { ...data, transaction } }).entries?.map(
        ({ at, ordinal }) => `${String(ordinal)} ${at}`,
      );

    const ofSavings = [`1 ${besides(accountId('@alice'))}`, `1 ${savings}`];
    const noted = `2 ${besides(accountId('@external/BRL'))}`;
    expect(placesIn('TransactionNoted')).to.deep.equal([...ofSavings, noted]);
    expect(movementsOf(accountId('@alice'), savings)).to.equal(savings);
    const posted = { ...transaction, operations: [operations[0], debit] };
    const row = putBy(transactionProjection, { type, data: { transaction: posted } });
    expect(row.entries?.map(({ at }) => at)).to.deep.equal([
      besides(accountId('@alice')),
      savings,
      accountId('@external/BRL'),
    ]);
  });

  it('tell which ledgers have named an operation route, once for each', () => {
    const named = transactionRouteCreated('payment', ['payer', 'payee']);
    const rows = project(operationRouteUseProjection, named).map(({ put }) => put);
    expect(rows.map((row) => [row?.id, row?.keys['operationRouteId'], row?.body])).to.deep.equal(
      ['payer', 'payee'].map((name) => [
        `${LEDGER} ${routeId(name)}`,
        routeId(name),
        JSON.stringify(LEDGER),
      ]),
    );
  });

  it('keep the record alone when an event says more', () => {
    const { type, data } = funded('@alice') as Posted;
    const row = putBy(transactionProjection, { type, data: { ...data, changed: ['description'] } });

    expect(JSON.parse(row.body)).to.deep.equal(data.transaction);
  });

  it('let events pass that do not concern them', () => {
    expect(project(organizationProjection, ledgerOpened())).to.deep.equal([]);
    expect(project(transactionProjection, accountOpened())).to.deep.equal([]);
  });
});
