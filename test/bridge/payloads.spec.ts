import { expect } from 'chai';
import fc from 'fast-check';
import type { Topic } from '#src/bridge/catalog.ts';
import { feeCharge } from '#src/bridge/fees/fee-charge.ts';
import type { JournalEvent } from '#src/bridge/journal-event.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OperationRecord, TransactionRecord } from '#src/events/ledger/transaction.ts';
import { anyTransaction } from '#test/support/any-transaction.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import { accountId, idOf, LEDGER, ORGANIZATION } from '#test/support/ledger-samples.ts';
import { moment, transferTopics } from '#test/support/relayed.ts';
import { NOW } from '#test/support/stamps.ts';
import { funded, state, transactionRecord } from '#test/support/transaction-samples.ts';

const [posted, changed] = transferTopics();
const AT = moment(7);

const recorded = ({ type, data }: Pick<LedgerEvent, 'type' | 'data'>): JournalEvent => ({
  id: idOf('event'),
  type,
  recordedAt: AT,
  tenantId: 'default',
  data: JSON.parse(JSON.stringify(data)) as unknown, // As the log gives it back.
});
const payloads = (topic: Topic, event: Pick<LedgerEvent, 'type' | 'data'>) =>
  topic.types.has(event.type)
    ? topic.drafts(recorded(event)).map(({ value }) => JSON.parse(value) as Payload)
    : [];
type Payload = Record<string, unknown> & { operations: Record<string, unknown>[] };

const of = (type: string, transaction: TransactionRecord, more: object = {}) =>
  ({ type, data: { transaction, ...more } }) as unknown as LedgerEvent;

const words = (text: string): string[] => text.split(' ').sort();

/* The member lists of contract events §6.5, as they stand there. */
const P23 = words(
  'organizationId ledgerId accountId balanceId alias assetCode balanceKey available onHold version reason ' +
    'operationType direction amount transactionId operationId occurredAt',
);
const P27 = words(
  'id organizationId ledgerId status assetCode operations feesSkipped tracerSkipped createdAt updatedAt',
);
const P27_WHEN_FILLED = words(
  'parentTransactionId amount chartOfAccountsGroupName description source destination route routeId metadata',
);
const OPERATION = words(
  'id transactionId description type assetCode chartOfAccounts amount balance balanceAfter status accountId ' +
    'accountAlias balanceKey balanceId organizationId ledgerId route balanceAffected direction routeId routeCode ' +
    'routeDescription createdAt updatedAt deletedAt metadata',
);

describe('payloads', () => {
  it('have exactly the members of the contract, whatever a transaction says', () => {
    fc.assert(
      fc.property(anyTransaction, (transaction) => {
        const event = of('TransactionPosted', transaction);
        const [payload] = payloads(posted, event);
        const filled = P27_WHEN_FILLED.filter((member) => isFilled(transaction, member));
        expect(Object.keys(payload!).sort()).to.deep.equal([...P27, ...filled].sort());
        for (const operation of payload!.operations) {
          expect(Object.keys(operation).sort()).to.deep.equal(OPERATION);
          expect(operation['balance']).to.have.all.keys('available', 'onHold', 'version');
          expect(operation['balanceAfter']).to.have.all.keys('available', 'onHold', 'version');
          expect(operation['amount']).to.have.all.keys('value');
        }

        const changes = payloads(changed, event);
        expect(changes).to.have.length(transaction.operations.length);
        for (const change of changes) expect(Object.keys(change).sort()).to.deep.equal(P23);
      }),
    );
  });

  it('carry decimals as the texts they are, of any size', () => {
    const huge = '123456789012345678901234567890.000000000000000000000000000001';
    const after = { available: `-${huge}`, onHold: huge, version: 2, overdraftUsed: '0' };
    const record = transactionRecord(
      'huge',
      [{ alias: '@a', type: 'DEBIT', amount: huge, balance: state('0', 1), balanceAfter: after }],
      { amount: huge },
    );
    const event = of('TransactionPosted', record);

    const texts = [...posted.drafts(recorded(event)), ...changed.drafts(recorded(event))];
    expect(texts[0]?.value).to.include(`"amount":"${huge}"`);
    expect(texts[0]?.value).to.include(`"balanceAfter":{"available":"-${huge}","onHold":"${huge}"`);
    expect(texts[1]?.value).to.include(`"available":"-${huge}","onHold":"${huge}","version":2`);
    expect(texts[1]?.value).to.include(`"amount":"${huge}"`);
  });

  it('of transaction.posted leave out what is empty, and say what is there', () => {
    const [bare] = payloads(posted, funded('@alice', 1, { source: [], metadata: {} }));
    expect(bare).to.not.have.any.keys('source', 'metadata', 'description', 'route', 'routeId');

    const said = {
      description: 'Salary',
      chartOfAccountsGroupName: 'FUNDING',
      route: 'in',
      routeId: idOf('route'),
      metadata: { month: 1, paid: true },
    };
    const [full] = payloads(posted, funded('@alice', 1, said));
    expect(full).to.deep.include(said);
    expect(full).to.deep.include({ source: ['@external/BRL'], destination: ['@alice'] });
    expect(full).to.deep.include({ status: { code: 'APPROVED', description: 'APPROVED' } });
  });

  it('of operations take from their transaction what they do not say themselves', () => {
    const record = transactionRecord(
      't',
      [
        { alias: '@a', type: 'DEBIT', balance: state('5', 1), balanceAfter: state('0', 2) },
        {
          ...{ alias: '@b', type: 'CREDIT', balance: state('0', 0), balanceAfter: state('5', 1) },
          ...{ description: 'Own', chartOfAccounts: '1.1', route: 'r', routeId: idOf('r') },
          ...{ routeCode: 'C', routeDescription: 'Credited', metadata: { k: 'v' } },
        },
      ] as never,
      { description: 'Common' },
    );
    const [payload] = payloads(posted, of('TransactionPosted', record));
    expect(payload?.operations[0]).to.deep.include({
      ...{ description: 'Common', chartOfAccounts: '', route: '', routeId: '', routeCode: '' },
      ...{ routeDescription: '', metadata: {}, deletedAt: null, balanceAffected: true },
      ...{ transactionId: record.id, organizationId: ORGANIZATION, ledgerId: LEDGER },
      ...{ createdAt: NOW, status: { code: 'APPROVED', description: 'APPROVED' } },
    });
    expect(payload?.operations[1]).to.deep.include({
      ...{ description: 'Own', chartOfAccounts: '1.1', route: 'r', routeId: idOf('r') },
      ...{ routeCode: 'C', routeDescription: 'Credited', metadata: { k: 'v' } },
    });
  });

  it('over 1 MiB lose their operations, and say so', () => {
    const words = 'é'.repeat(2000);
    const moves = Array.from({ length: 250 }, (_, n) => ({
      ...{ alias: `@a${n}`, type: 'CREDIT' as const, description: words },
      ...{ balance: state('0', 0), balanceAfter: state('5', 1) },
    }));
    const event = of('TransactionPosted', transactionRecord('large', moves));

    const [draft] = posted.drafts(recorded(event));
    expect(draft).to.not.have.property('fault');
    const payload = JSON.parse(draft?.value ?? '') as Payload;
    expect(payload).to.deep.include({ operations: [], operationsTruncated: true, amount: '500' });
    expect(payloads(changed, event)).to.have.length(250);
  });
});

describe('which events yield what', () => {
  it('what is drawn from an overdraft stays in order with the balance that owes it', () => {
    const [own, debt] = [1, 2].map((n) => partId(accountId('@alice'), n)) as [Uuid, Uuid];
    const states = { balance: state('0', 0), balanceAfter: state('0', 1) };
    const transaction = transactionRecord('owing', [
      { alias: '@alice', type: 'DEBIT', amount: '0', ...states },
      {
        ...{ alias: '@alice', type: 'OVERDRAFT', direction: 'debit', origin: 'overdraft' },
        ...{ balanceId: debt, balanceKey: 'overdraft', ...states },
      },
      { alias: '@bob', type: 'CREDIT', ...states },
    ]);
    const drafts = changed.drafts(recorded(of('TransactionPosted', transaction)));
    expect(drafts.map(({ key }) => key)).to.deep.equal([own, own, partId(accountId('@bob'), 1)]);
    const shown = drafts.map(({ value }) => JSON.parse(value) as Payload);
    expect(shown.map(({ balanceId, reason }) => [balanceId, reason])).to.deep.include([
      debt,
      'overdraft',
    ]);
  });

  const hold: OperationRecord['type'] = 'ON_HOLD';
  const moves = (...types: OperationRecord['type'][]) =>
    transactionRecord(
      't',
      types.map((type) => ({
        ...{ alias: '@a', type, balance: state('9', 1), balanceAfter: state('4', 2) },
      })),
    );
  const reasons = (event: LedgerEvent) => payloads(changed, event).map(({ reason }) => reason);

  it('a transaction settled at once: posted, and a change for each operation in its order', () => {
    const event = funded('@alice');
    expect(payloads(posted, event)).to.have.length(1);
    expect(reasons(event)).to.deep.equal(['credit', 'debit']);
    const [first] = payloads(changed, event);
    expect(first).to.deep.include({ available: '500', onHold: '0', version: 1, occurredAt: AT });
  });

  it('a reversal: changes alone', () => {
    const event = funded('@alice', 1, { parentTransactionId: idOf('parent') });
    expect(payloads(posted, event)).to.deep.equal([]);
    expect(reasons(event)).to.deep.equal(['credit', 'debit']);
  });

  it('a hold: its holds', () => {
    expect(reasons(of('TransactionHeld', moves(hold)))).to.deep.equal(['hold']);
    expect(payloads(posted, of('TransactionHeld', moves(hold)))).to.deep.equal([]);
  });

  it('a commit or a cancellation: what that step booked, not what was booked before', () => {
    const committed = of('TransactionCommitted', moves(hold, 'DEBIT', 'CREDIT'), {
      stepOperations: 2,
    });
    expect(reasons(committed)).to.deep.equal(['debit', 'credit']);
    const canceled = of('TransactionCanceled', moves(hold, 'RELEASE'), { stepOperations: 1 });
    expect(reasons(canceled)).to.deep.equal(['release']);
    expect(payloads(posted, committed)).to.deep.equal([]);
  });

  it('a part of a direct group: its hold, and that it was posted when that is committed', () => {
    const direct = { stepOperations: 2, direct: true };
    const event = of('TransactionCommitted', moves(hold, 'DEBIT', 'CREDIT'), direct);
    expect(reasons(event)).to.deep.equal(['debit', 'credit']);
    expect(payloads(posted, event)).to.have.lengthOf(1);
    const reversal = { ...moves(hold, 'DEBIT', 'CREDIT'), parentTransactionId: idOf('parent') };
    expect(payloads(posted, of('TransactionCommitted', reversal, direct))).to.deep.equal([]);
  });

  describe('a fee that the ledger charged', () => {
    const feePackage = { id: idOf('package'), revision: 3, charged: true };
    const applied = (event: LedgerEvent) =>
      feeCharge.types.includes(event.type) ? feeCharge.emissions(recorded(event)) : [];

    it('is published once, with what settles the transaction', () => {
      const [emission, ...others] = applied(funded('@alice', 1, { feePackage }));
      expect(others).to.deep.equal([]);
      const { id } = transactionRecord('@alice 1', []);
      expect(emission).to.deep.equal({
        subject: id,
        recordKey: id,
        payload: {
          ...{ transactionId: id, organizationId: ORGANIZATION, ledgerId: LEDGER },
          ...{ feePackageId: feePackage.id, appliedAt: AT },
        },
      });
      const held = { ...moves(hold), feePackage };
      expect(applied(of('TransactionHeld', held))).to.deep.equal([]);
      expect(applied(of('TransactionCommitted', held))).to.have.length(1);
      expect(applied(of('TransactionCanceled', held))).to.deep.equal([]);
    });

    it('is not there for an exemption, nor for fees that the client calculated', () => {
      const exempt = { ...feePackage, charged: false };
      expect(applied(funded('@alice', 1, { feePackage: exempt }))).to.deep.equal([]);
      const metadata = { packageAppliedID: feePackage.id, feeApplied: 'true' };
      expect(applied(funded('@alice', 1, { metadata }))).to.deep.equal([]);
    });
  });

  for (const type of ['TransactionNoted', 'TransactionUpdated', 'OperationUpdated']) {
    it(`${type}: nothing`, () => {
      const event = of(type, moves('DEBIT'));
      expect([...payloads(posted, event), ...payloads(changed, event)]).to.deep.equal([]);
    });
  }
});

function isFilled(transaction: TransactionRecord, member: string): boolean {
  const value = transaction[member as keyof TransactionRecord];
  return value !== undefined && Object.keys(value).length > 0;
}
