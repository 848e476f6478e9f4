import { sendBodyLocations } from '#commands/ledger/api/locations.ts';
import type { GrantBlockExceptions } from '#commands/ledger/account/block-exceptions.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { PostTransaction, TransactionRequest } from '#commands/ledger/transaction/commands.ts';
import { expect } from 'chai';
import { parseData, storedData } from '#src/kernel/event-data.ts';
import { formatInstant, parseInstant, type Instant, type Micros } from '#src/kernel/instant.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { TransactionPosted } from '#src/events/ledger/transaction.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountId,
  accountOpened,
  createAccount,
  idOf,
  inflow,
  LEDGER,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { NOW, nthId, nthWhole } from '#test/support/stamps.ts';

const { given } = specFor(ledgerDecider);

/** So many seconds after everything else. */
const after = (seconds: number): Instant =>
  formatInstant((parseInstant(NOW) + seconds * 1_000_000) as Micros);

const grant = (accountAlias: string, amount: string, ttl = 300): GrantBlockExceptions => ({
  type: 'GrantBlockExceptions',
  organizationId: ORGANIZATION,
  exceptions: [{ accountAlias, amount, ttl }],
});
const by = (id: Uuid, command: PostTransaction): PostTransaction => ({
  ...command,
  request: { ...command.request, accountBlockExceptionId: id },
});
const block = (alias: string, blocked = true) =>
  ({
    type: 'UpdateAccount',
    organizationId: ORGANIZATION,
    accountId: accountId(alias),
    changes: { blocked },
  }) as const;
const about = (type: 'CommitTransaction' | 'RevertTransaction', n: number, by?: Uuid) => ({
  type,
  organizationId: ORGANIZATION,
  transactionId: nthWhole(n),
  accountBlockExceptionId: by,
});
const usedBy = ([event]: readonly LedgerEvent[]): unknown =>
  (event?.data as Readonly<{ accountBlockExceptionId?: Uuid }>).accountBlockExceptionId;

const FIRST = nthId(1);

describe('block exceptions', () => {
  const book = () =>
    given(...ledgerWith('BRL', '@alice', '@bob'), accountOpened({ alias: '@carol' })).after(
      inflow('@alice', '100'),
      inflow('@bob', '100'),
    );
  const blocked = () => book().after(block('@alice'), grant('@alice', '30'));
  const pay = (amount: string, more: Partial<TransactionRequest> = {}) =>
    postTransaction({ from: `@alice ${amount}`, to: '@bob', amount, ...more });

  describe('are granted', () => {
    it('whole, in the order asked, from one instant on', () => {
      const exceptions = [
        { accountAlias: '@bob', amount: '10', ttl: 1 },
        { accountAlias: '@alice', amount: '0.5', ttl: 86_400 },
      ];
      const own = { organizationId: ORGANIZATION, ledgerId: LEDGER, createdAt: NOW };
      book()
        .when({ ...grant('', ''), exceptions })
        .then({
          type: 'BlockExceptionsGranted',
          data: {
            exceptions: [
              {
                ...{ id: nthId(1), ...own, accountId: accountId('@bob'), accountAlias: '@bob' },
                ...{ amount: '10', expiresAt: after(1) },
              },
              {
                ...{ id: nthId(2), ...own, accountId: accountId('@alice'), accountAlias: '@alice' },
                ...{ amount: '0.5', expiresAt: after(86_400) },
              },
            ],
          },
        });
    });

    it('all or none: the one that names nobody is named', () => {
      const nobody = { accountAlias: '@nobody', amount: '1', ttl: 1 };
      const exceptions = [...grant('@alice', '1').exceptions, nobody];
      const { details } = book()
        .when({ ...grant('', ''), exceptions })
        .thenRefused('EXCEPTION_ALIAS_UNKNOWN');
      expect(details.findings).to.deep.equal([
        { location: 'exceptions[1].accountAlias', message: 'names no account', value: '@nobody' },
      ]);
    });
  });

  describe('let pass', () => {
    it('one debit of their very amount, once', () => {
      blocked().when(pay('30')).thenRefused('ACCOUNT_BLOCKED');
      const book = blocked();
      expect(usedBy(book.when(by(FIRST, pay('30.0'))).happened())).to.equal(FIRST);
      const { details } = book.when(by(FIRST, pay('30'))).thenRefused('EXCEPTION_NOT_USABLE');
      expect(details.findings?.[0]).to.include({
        location: 'accountBlockExceptionId',
        value: FIRST,
      });
    });

    it('a debit of a balance that may not send', () => {
      const silent = [...ledgerWith('BRL', '@bob'), accountOpened({ alias: '@silent' })];
      const mute = {
        type: 'UpdateBalance',
        organizationId: ORGANIZATION,
        balanceId: `${accountId('@silent').slice(0, -4)}0001` as Uuid,
        changes: { allowSending: false },
      } as const;
      const asked = postTransaction({ from: '@silent 5', to: '@bob', amount: '5' });
      const book = given(...silent).after(
        inflow('@silent', '5'),
        mute,
        block('@silent'),
        grant('@silent', '5'),
      );
      book.when(by(FIRST, asked)).happened();
    });

    it('a debit of an account that is not blocked any more, and are used up by it', () => {
      const free = blocked().after(block('@alice', false));
      expect(usedBy(free.when(by(FIRST, pay('30'))).happened())).to.equal(FIRST);
      free.when(by(FIRST, pay('30'))).thenRefused('EXCEPTION_NOT_USABLE');
    });

    it('until they expire, to the microsecond', () => {
      const last = formatInstant((parseInstant(after(300)) - 1) as Micros);
      blocked()
        .when(by(FIRST, pay('30')), {}, last)
        .happened();
      const { message } = blocked()
        .when(by(FIRST, pay('30')), {}, after(300))
        .thenRefused('EXCEPTION_NOT_USABLE');
      expect(message).to.contain(`expired at ${after(300)}`);
    });

    it('what was held, when it is committed', () => {
      const hold = pay('30', { pending: true });
      const held = book().after(hold, block('@alice'), grant('@alice', '30'));
      held.when(about('CommitTransaction', 3)).thenRefused('ACCOUNT_BLOCKED');
      held.when(about('CommitTransaction', 3, nthId(9))).thenRefused('EXCEPTION_NOT_USABLE');
      expect(usedBy(held.when(about('CommitTransaction', 3, FIRST)).happened())).to.equal(FIRST);
      held.when(by(FIRST, pay('30'))).thenRefused('EXCEPTION_NOT_USABLE');
    });

    it('what an overdraft takes over of the debit, at once and from a hold', () => {
      const overdraft = {
        type: 'UpdateBalance',
        organizationId: ORGANIZATION,
        balanceId: `${accountId('@alice').slice(0, -4)}0001` as Uuid,
        changes: {
          settings: {
            balanceScope: 'transactional',
            allowOverdraft: true,
            overdraftLimitEnabled: false,
          },
        },
      } as const;
      const owing = () => book().after(overdraft, block('@alice'), grant('@alice', '130'));
      const [event] = owing()
        .when(by(FIRST, pay('130')))
        .happened();
      const { transaction } = (event as TransactionPosted).data;
      expect(transaction.operations.map(({ type, amount }) => `${type} ${amount}`)).to.deep.equal([
        'DEBIT 100',
        'OVERDRAFT 30',
        'CREDIT 130',
      ]);
      const held = owing().after(
        block('@alice', false),
        pay('130', { pending: true }),
        block('@alice'),
      );
      expect(usedBy(held.when(about('CommitTransaction', 3, FIRST)).happened())).to.equal(FIRST);
    });

    it('what goes back, when the payment to them is reverted', () => {
      const paid = postTransaction({ from: '@bob', to: '@alice', amount: '30' });
      const back = book().after(paid, block('@alice'), grant('@alice', '30'));
      back.when(about('RevertTransaction', 3)).thenRefused('ACCOUNT_BLOCKED');
      expect(usedBy(back.when(about('RevertTransaction', 3, FIRST)).happened())).to.equal(FIRST);
      back.when(by(FIRST, pay('30'))).thenRefused('EXCEPTION_NOT_USABLE');
    });

    it('one of a batch, and not the next of it', () => {
      const { request } = pay('30');
      const excepted = { ...request, accountBlockExceptionId: FIRST };
      const batch = {
        type: 'PostTransactions',
        organizationId: ORGANIZATION,
        items: { list: 'transactions' },
        locations: sendBodyLocations,
      } as const;
      const { details } = blocked()
        .when({ ...batch, requests: [excepted, excepted] })
        .thenRefused('EXCEPTION_NOT_USABLE');
      expect(details.findings?.[0]?.location).to.equal('transactions[1].accountBlockExceptionId');
      const two = blocked().after(grant('@alice', '30'));
      const second = { ...excepted, accountBlockExceptionId: nthId(2) };
      const events = two.when({ ...batch, requests: [excepted, second] }).happened();
      expect(events.map((event) => usedBy([event]))).to.deep.equal([FIRST, nthId(2)]);
      two.when(by(FIRST, pay('30'))).thenRefused('EXCEPTION_NOT_USABLE');
    });
  });

  describe('let nothing else pass', () => {
    const cases: readonly [what: string, asked: PostTransaction][] = [
      ['another amount', pay('29.99')],
      [
        'a debit of somebody else',
        postTransaction({ from: '@bob 30', to: '@carol', amount: '30' }),
      ],
      ['a credit', postTransaction({ from: '@bob 30', to: '@alice', amount: '30' })],
      [
        'two debits of the account',
        postTransaction({ from: ['@alice 30', '@alice 30'], to: '@bob', amount: '60' }),
      ],
      [
        'two debits that come to the amount',
        postTransaction({ from: ['@alice 10', '@alice 20'], to: '@bob', amount: '30' }),
      ],
    ];
    for (const [what, asked] of cases) {
      it(what, () => {
        blocked().when(by(FIRST, asked)).thenRefused('EXCEPTION_NOT_USABLE');
      });
    }

    it('not by the id of nothing', () => {
      blocked()
        .when(by(idOf('nothing'), pay('30')))
        .thenRefused('EXCEPTION_NOT_USABLE');
    });

    it('not another account of the transaction that is blocked', () => {
      const both = blocked().after(block('@bob'));
      const { message } = both.when(by(FIRST, pay('30'))).thenRefused('ACCOUNT_BLOCKED');
      expect(message).to.contain('@bob');
    });

    it('not a hold, nor an annotation, which leave them unused', () => {
      blocked()
        .when(by(FIRST, pay('30', { pending: true })))
        .thenRefused('ACCOUNT_BLOCKED');
      blocked()
        .after({ ...by(FIRST, pay('30')), as: 'annotation' }) // Nothing stops what moves nothing.
        .when(by(FIRST, pay('30')))
        .happened();
    });

    it('not out of an account that is closed', () => {
      const close = {
        type: 'CloseAccount',
        organizationId: ORGANIZATION,
        accountId: accountId('@carol'),
      } as const;
      book()
        .after(close, grant('@carol', '1'))
        .when(by(FIRST, postTransaction({ from: '@carol 1', to: '@bob', amount: '1' })))
        .thenRefused('ACCOUNT_CLOSED');
    });

    it('not out of another account that has taken the alias since', () => {
      const remove = {
        type: 'DeleteAccount',
        organizationId: ORGANIZATION,
        accountId: accountId('@carol'),
      } as const;
      book()
        .after(
          grant('@carol', '1'),
          remove,
          createAccount({ alias: '@carol' }),
          inflow('@carol', '1'),
        )
        .when(by(FIRST, postTransaction({ from: '@carol 1', to: '@bob', amount: '1' })))
        .thenRefused('EXCEPTION_NOT_USABLE');
    });
  });

  it('are not used by what fails', () => {
    const poor = book().after(block('@alice'), grant('@alice', '101'));
    poor.when(by(FIRST, pay('101'))).thenRefused('INSUFFICIENT_FUNDS');
    poor
      .after(block('@alice', false), inflow('@alice', '1'), block('@alice'))
      .when(by(FIRST, pay('101')))
      .happened();
  });

  describe('in the state', () => {
    const folded = (...events: readonly LedgerEvent[]) => {
      const state = ledgerDecider.initialState();
      events.forEach((event, n) => ledgerDecider.evolve(state, event, n));
      return state;
    };
    const granted = (id: Uuid, createdAt: Instant, expiresAt: Instant): LedgerEvent => ({
      type: 'BlockExceptionsGranted',
      data: {
        exceptions: [
          {
            ...{ id, organizationId: ORGANIZATION, ledgerId: LEDGER, createdAt, expiresAt },
            ...{ accountId: accountId('@alice'), accountAlias: '@alice', amount: '1.5' },
          },
        ],
      },
    });

    it('stay no longer than they live: the next grant drops what expired', () => {
      const events = [
        granted(nthId(1), NOW, after(10)),
        granted(nthId(2), NOW, after(5)),
        granted(nthId(3), after(7), after(500)),
      ];
      const ids = (...some: readonly LedgerEvent[]) => [...folded(...some).exceptions.keys()];
      expect(ids(...events)).to.deep.equal([nthId(1), nthId(2), nthId(3)]); // One waits for another.
      const later = granted(nthId(4), after(10), after(20));
      expect(ids(...events, later)).to.deep.equal([nthId(3), nthId(4)]);
    });

    it('are kept by a snapshot', () => {
      const state = folded(...ledgerWith('BRL', '@alice'), granted(FIRST, NOW, after(10)));
      expect(ledgerDecider.fromSnapshot(ledgerDecider.toSnapshot(state))).to.deep.equal(state);
      expect(state.exceptions.size).to.equal(1);
    });

    it('are used up by a replay, whether events come parsed or as texts', () => {
      const history: LedgerEvent[] = [];
      const story = given(...ledgerWith('BRL', '@alice', '@bob'));
      for (const command of [
        inflow('@alice', '100'),
        block('@alice'),
        grant('@alice', '30'),
        by(FIRST, pay('30')),
      ]) {
        history.push(...story.when(command).happened());
      }
      const events = [...ledgerWith('BRL', '@alice', '@bob'), ...history];
      const parsed = folded(...events);
      expect(parsed.exceptions.size).to.equal(0);
      const texts = ledgerDecider.initialState();
      events.forEach((event, n) => {
        const { data: text } = storedData(event);
        if (ledgerDecider.evolveText!(texts, event.type, text)) return;
        ledgerDecider.evolve(texts, { ...event, data: parseData(text) } as LedgerEvent, n);
      });
      expect(texts).to.deep.equal(parsed);
    });
  });
});
