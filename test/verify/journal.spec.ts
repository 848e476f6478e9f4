import { expect } from 'chai';
import { partId } from '#src/kernel/ids.ts';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier, type StoredText } from '#src/verify/journal.ts';
import {
  accountId,
  accountOpened,
  idOf,
  LEDGER,
  ledgerNameReserved,
  ledgerNameSettled,
  ORGANIZATION,
  organizationCreated,
} from '#test/support/ledger-samples.ts';
import { segmentId } from '#test/support/record-samples.ts';
import { NOW } from '#test/support/stamps.ts';
import { bend, sealed, wholeLife, type Draft } from './hand-made.ts';

const JOURNAL = `ledger-${LEDGER}`;

/** The first difference, as the revision it is at and what it says. */
function judged(events: readonly StoredText[], name: string | undefined = JOURNAL) {
  const verifier = createJournalVerifier(audit, name);
  for (const event of events) {
    const difference = verifier.take(event);
    if (difference !== undefined) return difference;
  }
  return verifier.summary();
}

const metadataChanged = (id: string) => [
  { type: 'LedgerMetadataReserved', data: { ledgerId: id, changes: { metadata: { a: 1 } } } },
  { type: 'LedgerMetadataSettled', data: { ledger: { id, metadata: { a: 1 } } } },
];

/** The place of the n-th event of a type in a whole life. */
const placeOf = (type: string, n = 1): number =>
  [...wholeLife().entries()].filter(([, draft]) => draft.type === type)[n - 1]![0];

describe('the auditor', () => {
  it('finds nothing wrong with a life that makes sense, and sums it up', () => {
    const events = sealed(wholeLife());
    const hash = (JSON.parse(events.at(-1)!.metadata) as { hash: string }).hash;
    expect(judged(events)).to.deep.equal({
      journal: JOURNAL,
      events: events.length,
      hash,
      transactions: 6,
      unknown: new Map(),
      forgottenKeys: 0,
    });
    expect(judged(events, undefined)).to.include({ journal: JOURNAL });
  });

  it('finds nothing wrong with the journal of an organization', () => {
    const steps = [organizationCreated(), ledgerNameReserved(), ledgerNameSettled()];
    const later = ['LedgerRenameReserved', 'LedgerNameFreed'].map((type) => ({ type, data: {} }));
    const updated = { type: 'OrganizationUpdated', data: organizationCreated().data };
    const drafts = [...steps, ...later, ...metadataChanged(LEDGER), updated] as unknown as Draft[];
    expect(judged(sealed(drafts), `organization-${ORGANIZATION}`)).to.include({ events: 8 });
  });

  it('sees metadata of a ledger that is another’s, or that nothing was reserved for', () => {
    const [reserved, settled] = metadataChanged(LEDGER);
    const begun = [organizationCreated(), ledgerNameReserved()];
    for (const [drafts, says] of [
      [metadataChanged(ORGANIZATION), /no name was reserved for ledger/],
      [[settled], /nothing was reserved for ledger/],
      [[reserved, settled, settled], /nothing was reserved for ledger/],
    ] as const) {
      const events = sealed([...begun, ...drafts] as unknown as Draft[]);
      expect(judged(events, `organization-${ORGANIZATION}`))
        .to.have.property('what')
        .that.matches(says);
    }
  });

  it('takes types it has no rules for by their hashes, and counts them', () => {
    const drafts = wholeLife();
    drafts.splice(9, 0, { type: 'WeatherNoted', data: {} }, { type: 'constructor', data: {} });
    expect(judged(sealed(drafts))).to.have.deep.property(
      'unknown',
      new Map([
        ['WeatherNoted', 1],
        ['constructor', 1],
      ]),
    );
  });

  describe('sees an event that is sealed soundly and', () => {
    const LEGS = 'transaction.operations';
    const cases: readonly (readonly [
      what: string,
      type: string,
      changes: Readonly<Record<string, unknown>>,
      says: RegExp,
    ])[] = [
      [
        'says more arrived than was sent',
        'TransactionPosted',
        { [`${LEGS}.1.amount`]: '101' },
        /must come to 101\/0 v1, the operation ends at 100/,
      ],
      [
        'makes money',
        'TransactionPosted',
        { [`${LEGS}.1.amount`]: '101', [`${LEGS}.1.balanceAfter.available`]: '101' },
        /add up to 1, not to 0/,
      ],
      [
        'moves another amount than it says',
        'TransactionPosted',
        { 'transaction.amount': '99' },
        /debits add up to 100, its amount is 99/,
      ],
      [
        'starts from another balance',
        'TransactionPosted',
        {
          [`${LEGS}.1.balance.available`]: '1',
          [`${LEGS}.1.balanceAfter.available`]: '101',
        },
        /was at 0\/0 v0, the operation starts from 1\/0 v0/,
      ],
      [
        'starts from another version',
        'TransactionPosted',
        { [`${LEGS}.1.balance.version`]: 1 },
        /starts from 0\/0 v1/,
      ],
      [
        'skips a version',
        'TransactionPosted',
        { [`${LEGS}.1.balanceAfter.version`]: 2 },
        /must come to 100\/0 v1/,
      ],
      [
        'writes an amount in another way',
        'TransactionPosted',
        { [`${LEGS}.1.balanceAfter.available`]: '100.0' },
        /must come to 100\/0/,
      ],
      [
        'uses an overdraft nobody granted',
        'TransactionPosted',
        { [`${LEGS}.1.balanceAfter.overdraftUsed`]: '1' },
        /must come to/,
      ],
      [
        'names a balance that is not there',
        'TransactionPosted',
        { [`${LEGS}.1.balanceId`]: idOf('nowhere') },
        /there is no balance/,
      ],
      [
        'names the balance of another account',
        'TransactionPosted',
        { [`${LEGS}.1.accountId`]: accountId('@bob') },
        /is @alice#default of account/,
      ],
      [
        'names the account by another alias',
        'TransactionPosted',
        { [`${LEGS}.1.accountAlias`]: '@bob' },
        /is @alice#default/,
      ],
      [
        'is in another asset than its balances',
        'TransactionPosted',
        { 'transaction.assetCode': 'EUR' },
        /holds BRL/,
      ],
      [
        'names an operation in another way',
        'TransactionPosted',
        { [`${LEGS}.1.id`]: idOf('other') },
        /is misnamed/,
      ],
      [
        'hides who paid',
        'TransactionPosted',
        { 'transaction.source': ['@bob'] },
        /@external\/BRL moved and is not listed as source/,
      ],
      [
        'lists somebody who is not there',
        'TransactionPosted',
        { 'transaction.destination': ['@alice', '@nobody'] },
        /there is no account @nobody/,
      ],
      [
        'has a status of its own',
        'TransactionPosted',
        { 'transaction.status': 'PENDING' },
        /its status is PENDING/,
      ],
      [
        'moves nothing',
        'TransactionPosted',
        { 'transaction.amount': '0', [LEGS]: [] },
        /its amount is 0/,
      ],
      [
        'has an operation of another step',
        'TransactionPosted',
        { [`${LEGS}.0.type`]: 'RELEASE' },
        /RELEASE with direction debit is no part of this step/,
      ],
      [
        'has a negative amount',
        'TransactionPosted',
        { [`${LEGS}.0.amount`]: '-100' },
        /has the amount -100/,
      ],
      [
        'is of another ledger',
        'TransactionPosted',
        { 'transaction.ledgerId': idOf('elsewhere') },
        /is about ledger/,
      ],
      ['lacks what it must have', 'TransactionPosted', { [LEGS]: undefined }, /cannot be read/],
      [
        'holds without taking',
        'TransactionHeld',
        { [`${LEGS}.0.balanceAfter.available`]: '100' },
        /must come to 70\/30/,
      ],
      [
        'awaits less than it holds',
        'TransactionHeld',
        { 'transaction.awaiting.0.amount': '29' },
        /debits add up to 29, its amount is 30/,
      ],
      [
        'commits what was not on hold',
        'TransactionCommitted',
        { 'transaction.id': idOf('transaction unheard of') },
        /on hold/,
      ],
      [
        'commits with another past',
        'TransactionCommitted',
        { [`${LEGS}.0.balanceAfter.onHold`]: '31' },
        /differs from what was recorded/,
      ],
      [
        'commits what was held at another time',
        'TransactionCommitted',
        { [`${LEGS}.0.createdAt`]: '2026-01-31T00:00:00.000000Z' },
        /differs from what was recorded/,
      ],
      [
        'commits as another transaction than was held',
        'TransactionCommitted',
        { 'transaction.code': 'other' },
        /differs from what was recorded/,
      ],
      [
        'takes a recorded operation for one of the step',
        'TransactionCommitted',
        { stepOperations: 3 },
        /repeats 0 operations of 1/,
      ],
      [
        'commits to somebody else',
        'TransactionCommitted',
        {
          [`${LEGS}.2.accountId`]: accountId('@dave'),
          [`${LEGS}.2.accountAlias`]: '@dave',
          [`${LEGS}.2.balanceId`]: partId(accountId('@dave'), 1),
        },
        /credits other legs than were waiting/,
      ],
      [
        'frees less than was held',
        'TransactionCommitted',
        {
          [`${LEGS}.1.amount`]: '29',
          [`${LEGS}.1.balanceAfter.onHold`]: '1',
          [`${LEGS}.2.amount`]: '29',
          [`${LEGS}.2.balanceAfter.available`]: '29',
        },
        /add up to 29, its amount is 30/,
      ],
      [
        'cancels and keeps the money on hold',
        'TransactionCanceled',
        { [`${LEGS}.1.balanceAfter.onHold`]: '10' },
        /must come to 70\/0/,
      ],
      [
        'moves money by an annotation',
        'TransactionNoted',
        { [`${LEGS}.0.balanceAfter.available`]: '5' },
        /not zero/,
      ],
      [
        'annotates as if it counted',
        'TransactionNoted',
        { [`${LEGS}.0.balanceAffected`]: undefined },
        /an annotation moves a balance/,
      ],
      [
        'changes an amount with the words',
        'TransactionUpdated',
        { 'transaction.amount': '101' },
        /more than its words/,
      ],
      [
        'changes an operation with its words',
        'OperationUpdated',
        { [`${LEGS}.0.accountAlias`]: '@bob' },
        /more than its words/,
      ],
      [
        'rewords what is not there',
        'TransactionUpdated',
        { 'transaction.id': idOf('transaction unheard of') },
        /there is no transaction/,
      ],
      [
        'takes an account’s asset away',
        'AccountUpdated',
        { 'account.assetCode': 'EUR' },
        /of account .* changed/,
      ],
      [
        'opens an account that is closed',
        'AccountOpened',
        { 'account.closedAt': NOW },
        /closed from the beginning/,
      ],
      [
        'closes an account in passing',
        'AccountUpdated',
        { 'account.closedAt': NOW },
        /closedAt of account .* changed/,
      ],
      [
        'closes an account without saying when',
        'AccountClosed',
        { 'account.closedAt': null },
        /without saying when/,
      ],
      [
        'turns a balance round',
        'BalanceUpdated',
        { 'balance.direction': 'debit' },
        /direction of balance .* changed/,
      ],
      [
        'opens a balance under a key that is taken',
        'BalanceCreated',
        { 'balance.key': 'default' },
        /@carol has a balance default already/,
      ],
      [
        'opens a balance under an id that was used',
        'BalanceCreated',
        { 'balance.id': partId(accountId('@carol'), 1) },
        /balance .* exists already/,
      ],
      [
        'opens a balance beside the world outside',
        'BalanceCreated',
        {
          'balance.id': partId(accountId('@external/BRL'), 2),
          'balance.accountId': accountId('@external/BRL'),
          'balance.alias': '@external/BRL',
        },
        /stands for the world outside/,
      ],
      [
        'deletes a balance in another state',
        'BalanceDeleted',
        { 'state.version': 9 },
        /was in another state/,
      ],
      [
        'deletes an asset of another id',
        'AssetDeleted',
        { 'asset.id': idOf('other') },
        /there is no asset EUR/,
      ],
      [
        'gives a segment a name that is taken',
        'SegmentUpdated',
        { 'segment.name': 'Retail' },
        /another segment Retail/,
      ],
      [
        'changes a segment that is not there',
        'SegmentUpdated',
        { 'segment.id': idOf('other') },
        /there is no segment/,
      ],
      [
        'deletes a segment of another ledger',
        'SegmentDeleted',
        { 'segment.ledgerId': idOf('other') },
        /is about ledger/,
      ],
      [
        'changes a portfolio that is not there',
        'PortfolioUpdated',
        { 'portfolio.id': idOf('other') },
        /there is no portfolio/,
      ],
      [
        'deletes a portfolio that is not there',
        'PortfolioDeleted',
        { 'portfolio.id': idOf('other') },
        /there is no portfolio/,
      ],
      [
        'gives an account type a key that is taken',
        'AccountTypeUpdated',
        { 'accountType.keyValue': 'savings' },
        /another account type savings/,
      ],
      [
        'deletes an account type that is not there',
        'AccountTypeDeleted',
        { 'accountType.id': idOf('other') },
        /there is no account type/,
      ],
      [
        'opens an account for an asset that is not there',
        'AccountOpened',
        { 'account.assetCode': 'XYZ', 'balance.assetCode': 'XYZ' },
        /there is no asset XYZ/,
      ],
      [
        'opens a balance that is no part of its account',
        'AccountOpened',
        { 'balance.id': idOf('stray') },
        /not its first part/,
      ],
    ];
    for (const [what, type, changes, says] of cases) {
      it(what, () => {
        const drafts = wholeLife();
        const at = placeOf(type);
        for (const [path, value] of Object.entries(changes)) bend(drafts[at]!, path, value);
        const difference = judged(sealed(drafts));
        expect(difference).to.include({ journal: JOURNAL, revision: at });
        expect(difference).to.have.property('what').that.matches(says);
      });
    }
  });

  describe('sees a journal of sound events in which', () => {
    type Edit = (drafts: Draft[]) => number;
    const copied = (drafts: readonly Draft[], at: number): Draft => structuredClone(drafts[at]!);
    const cases: readonly (readonly [what: string, edit: Edit, says: RegExp])[] = [
      [
        'an account is opened in a portfolio that is not there',
        (drafts) => {
          const at = placeOf('AccountOpened', 2);
          bend(drafts[at]!, 'account.portfolioId', idOf('other'));
          return at;
        },
        /there is no portfolio/,
      ],
      [
        'an account is put into a segment that has ended',
        (drafts) => {
          const at = placeOf('SegmentDeleted') + 1;
          const changed = copied(drafts, placeOf('AccountUpdated'));
          bend(changed, 'account.segmentId', segmentId('Homes'));
          drafts.splice(at, 0, changed);
          return at;
        },
        /there is no segment/,
      ],
      [
        'an account begins in a direction that its type does not say',
        (drafts) => {
          const at = placeOf('AccountOpened', 2);
          bend(drafts[at]!, 'balance.direction', 'debit');
          return at;
        },
        /of type deposit begins as credit/,
      ],
      [
        'an account is of a type that the ledger does not let it have',
        (drafts) => {
          const settings = { accounting: { validateAccountType: true } };
          bend(drafts[0]!, 'ledger.settings', settings);
          return placeOf('AccountOpened', 2);
        },
        /there is no account type deposit/,
      ],
      [
        'a transaction is posted twice',
        (drafts) => {
          const at = placeOf('TransactionPosted');
          drafts.splice(at + 1, 0, copied(drafts, at));
          return at + 1;
        },
        /already/,
      ],
      [
        'a transaction is committed twice',
        (drafts) => {
          const at = placeOf('TransactionCommitted');
          drafts.splice(at + 1, 0, copied(drafts, at));
          return at + 1;
        },
        /on hold/,
      ],
      [
        'a committed transaction is cancelled',
        (drafts) => {
          const at = placeOf('TransactionCommitted');
          drafts.splice(at + 1, 0, { ...copied(drafts, at), type: 'TransactionCanceled' });
          return at + 1;
        },
        /on hold/,
      ],
      [
        'a transaction is reverted twice',
        (drafts) => {
          const at = placeOf('TransactionPosted', 3);
          bend(drafts[at]!, PARENT, idOf('transaction second'));
          return at;
        },
        /is reverted/,
      ],
      [
        'a reversal is reverted',
        (drafts) => {
          const at = placeOf('TransactionPosted', 3);
          bend(drafts[at]!, PARENT, idOf('transaction mirror'));
          return at;
        },
        /is reversal/,
      ],
      [
        'a reversal is no mirror',
        (drafts) => {
          const at = placeOf('TransactionPosted', 2);
          bend(drafts[at]!, PARENT, idOf('transaction first'));
          return at;
        },
        /no mirror/,
      ],
      [
        'what was cancelled is reverted',
        (drafts) => {
          const at = placeOf('TransactionPosted', 2);
          bend(drafts[at]!, PARENT, idOf('transaction third'));
          return at;
        },
        /is canceled/,
      ],
      [
        'an alias is taken twice',
        (drafts) => {
          const twin = accountOpened({ id: idOf('twin'), alias: '@alice' }) as Draft;
          drafts.splice(5, 0, twin);
          return 5;
        },
        /alias @alice is taken/,
      ],
      [
        'an account is closed that is not empty',
        (drafts) => {
          const at = placeOf('TransactionPosted') + 1;
          const { account } = drafts[3]!.data as { account: object };
          drafts.splice(at, 0, { type: 'AccountDeleted', data: { account, balances: [] } });
          return at;
        },
        /closed and not empty/,
      ],
      [
        'an account is closed in the end that is not empty',
        (drafts) => {
          const at = placeOf('TransactionPosted') + 1;
          const { account } = drafts[3]!.data as { account: object };
          const closed = { ...account, closedAt: NOW };
          drafts.splice(at, 0, { type: 'AccountClosed', data: { account: closed } });
          return at;
        },
        /closed and not empty/,
      ],
      [
        'an account is closed twice',
        (drafts) => {
          const at = placeOf('AccountClosed');
          drafts.splice(at + 1, 0, copied(drafts, at));
          return at + 1;
        },
        /was closed at/,
      ],
      [
        'a closed account is opened again',
        (drafts) => {
          const at = placeOf('AccountUpdated', 2);
          bend(drafts[at]!, 'account.closedAt', null);
          return at;
        },
        /closedAt of account .* changed/,
      ],
      [
        'a closed account moves money',
        (drafts) => {
          const at = placeOf('TransactionPosted');
          const { account } = drafts[3]!.data as { account: object };
          const closed = { ...account, closedAt: NOW };
          drafts.splice(at, 0, { type: 'AccountClosed', data: { account: closed } });
          return at + 1;
        },
        /@alice#default moves and is closed/,
      ],
      [
        'a blocked account moves money',
        (drafts) => {
          const at = placeOf('TransactionCommitted');
          const { account } = drafts[4]!.data as { account: object };
          const blocked = { ...account, blocked: true };
          drafts.splice(at, 0, { type: 'AccountUpdated', data: { account: blocked } });
          return at + 1;
        },
        /@bob#default moves and is blocked/,
      ],
      [
        'an account that was created blocked moves money',
        (drafts) => {
          bend(drafts[3]!, 'account.blocked', true);
          return placeOf('TransactionPosted');
        },
        /@alice#default moves and is blocked/,
      ],
      [
        'what an exception let pass does not name it',
        (drafts) => {
          const at = placeOf('TransactionPosted', 3);
          bend(drafts[at]!, 'accountBlockExceptionId', undefined);
          return at;
        },
        /@alice#default moves and is blocked/,
      ],
      [
        'an exception is used that nobody granted',
        (drafts) => {
          drafts.splice(placeOf('BlockExceptionsGranted'), 1);
          return placeOf('TransactionPosted', 3) - 1;
        },
        /there is no exception/,
      ],
      [
        'an exception is used twice',
        (drafts) => {
          const [granted] = drafts.splice(placeOf('BlockExceptionsGranted'), 1);
          const at = placeOf('TransactionPosted', 2);
          bend(granted!, 'exceptions.0.accountId', accountId('@bob'));
          bend(granted!, 'exceptions.0.amount', '30');
          bend(drafts[at]!, 'accountBlockExceptionId', idOf('exception @alice'));
          drafts.splice(at, 0, granted!);
          return placeOf('TransactionPosted', 3);
        },
        /or it was used/,
      ],
      [
        'an exception lets another amount pass',
        (drafts) => {
          bend(drafts[placeOf('BlockExceptionsGranted')]!, 'exceptions.0.amount', '99');
          return placeOf('TransactionPosted', 3);
        },
        /is for 99, not for 100/,
      ],
      [
        'an exception lets somebody else’s debit pass',
        (drafts) => {
          const bob = accountId('@bob');
          bend(drafts[placeOf('BlockExceptionsGranted')]!, 'exceptions.0.accountId', bob);
          return placeOf('TransactionPosted', 3);
        },
        /lets one debit pass, not 0/,
      ],
      [
        'an exception lets pass what comes too late',
        (drafts) => {
          const granted = drafts[placeOf('BlockExceptionsGranted')]!;
          bend(granted, 'exceptions.0.createdAt', '2026-01-05T08:00:00.000000Z');
          bend(granted, 'exceptions.0.expiresAt', NOW);
          return placeOf('TransactionPosted', 3);
        },
        /ended at/,
      ],
      [
        'an exception is granted twice',
        (drafts) => {
          const at = placeOf('BlockExceptionsGranted');
          drafts.splice(at + 1, 0, copied(drafts, at));
          return at + 1;
        },
        /there is an exception .* already/,
      ],
      [
        'an exception is granted for nothing',
        (drafts) => {
          const at = placeOf('BlockExceptionsGranted');
          bend(drafts[at]!, 'exceptions.0.amount', '0');
          return at;
        },
        /an exception is for 0/,
      ],
      [
        'a deleted account moves money',
        (drafts) => {
          const at = placeOf('TransactionPosted');
          const { account } = drafts[3]!.data as { account: object };
          drafts.splice(at, 0, { type: 'AccountDeleted', data: { account, balances: [] } });
          return at + 1;
        },
        /there is no balance/,
      ],
      [
        'something happens after the end',
        (drafts) => {
          drafts.push({ type: 'AssetCreated', data: copied(drafts, 7).data });
          return drafts.length - 1;
        },
        /was closed before/,
      ],
      [
        'a balance falls below zero',
        (drafts) => {
          bend(drafts[placeOf('BlockExceptionsGranted')]!, 'exceptions.0.amount', '101');
          const at = placeOf('TransactionPosted', 3);
          bend(drafts[at]!, 'transaction.amount', '101');
          for (const n of [0, 1]) {
            bend(drafts[at]!, `transaction.operations.${n}.amount`, '101');
            bend(drafts[at]!, `transaction.operations.${n}.balanceAfter.available`, '-1');
          }
          return at;
        },
        /@alice#default falls below zero/,
      ],
    ];
    for (const [what, edit, says] of cases) {
      it(what, () => {
        const drafts = wholeLife();
        const at = edit(drafts);
        const difference = judged(sealed(drafts));
        expect(difference).to.include({ journal: JOURNAL, revision: at });
        expect(difference).to.have.property('what').that.matches(says);
      });
    }

    it('an event is missing, doubled, or in another place', () => {
      const events = sealed(wholeLife());
      const without = events.toSpliced(5, 1);
      expect(judged(without)).to.include({ revision: 6, what: 'revision 5 was to follow' });
      const renumbered = without.map((event, revision) => ({ ...event, revision }));
      expect(judged(renumbered))
        .to.include({ revision: 5 })
        .and.to.have.property('what')
        .that.matches(/^it follows hash/);
      expect(judged(events.toSpliced(5, 0, events[4]!))).to.include({ revision: 4 });
      expect(judged(events.slice(1))).to.include({ revision: 1 });
    });

    it('the tenant changes', () => {
      const difference = judged(sealed(wholeLife(), { tenants: ['default', 'default', 'acme'] }));
      expect(difference).to.include({ revision: 2 });
      expect(difference)
        .to.have.property('what')
        .that.matches(/belongs to tenant acme/);
    });

    it('time stands still', () => {
      const difference = judged(sealed(wholeLife(), { stepMicros: 0 }));
      expect(difference).to.include({ revision: 1 });
      expect(difference)
        .to.have.property('what')
        .that.matches(/^it was recorded at/);
    });

    it('an event wears the id of another', () => {
      const events = sealed(wholeLife());
      events[4] = { ...events[4]!, id: events[3]!.id };
      const difference = judged(events);
      expect(difference).to.include({ revision: 4, eventId: events[3]!.id });
      expect(difference)
        .to.have.property('what')
        .that.matches(/its metadata is that of/);
    });

    it('everything belongs to another journal than its name says', () => {
      const difference = judged(sealed(wholeLife()), `ledger-${idOf('other')}`);
      expect(difference).to.include({ revision: 0, what: `it begins ${JOURNAL}` });
    });
  });
});

const PARENT = 'transaction.parentTransactionId';
