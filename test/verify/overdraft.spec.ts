import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { audit } from '#src/bootstrap/audit.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import { parseData } from '#src/kernel/event-data.ts';
import { LEDGER } from '#test/support/ledger-samples.ts';
import { bend, sealed, type Draft } from './hand-made.ts';

/** A life with overdraft as it was recorded once; each test bends it somewhere, and seals it soundly. */
const golden = JSON.parse(
  readFileSync(new URL('../events/golden.json', import.meta.url), 'utf8'),
) as Readonly<{ balances: readonly Readonly<{ type: string; data: string }>[] }>;
const life = (): Draft[] =>
  golden.balances.map(({ type, data }) => ({ type, data: parseData(data) as Draft['data'] }));

function judged(drafts: readonly Draft[]) {
  const verifier = createJournalVerifier(audit, `ledger-${LEDGER}`);
  for (const event of sealed(drafts)) {
    const difference = verifier.take(event);
    if (difference !== undefined) return difference;
  }
  return verifier.summary();
}

/** Where in the life: what alice draws, repays, holds, commits, and gives back after it was repaid. */
const [ALLOWED, DRAWN, REPAID, HELD, COMMITTED, CANCELED] = [10, 11, 12, 13, 14, 17];
const OPERATIONS = 'transaction.operations';

/** Members of an operation by its place; of its states before and after. */
const op = (n: number, members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [`${OPERATIONS}.${n}.${name}`, value]),
  );

describe('the auditor of overdraft', () => {
  it('finds nothing wrong with a life that makes sense', () => {
    expect(judged(life())).to.include({ transactions: 11 }).and.to.have.property('hash');
  });

  const cases: readonly (readonly [
    what: string,
    at: number,
    changes: Readonly<Record<string, unknown>>,
    says: RegExp,
  ])[] = [
    [
      'more is owed than was drawn',
      DRAWN,
      op(0, { 'balanceAfter.overdraftUsed': '51' }),
      /must come to 0\/0 v4 owing 50/,
    ],
    [
      'less is owed than was drawn',
      DRAWN,
      op(0, { 'balanceAfter.overdraftUsed': '0' }),
      /must come to 0\/0 v4 owing 50/,
    ],
    [
      'another debt is shown than there is',
      DRAWN,
      op(1, { 'balanceAfter.overdraftUsed': '0' }),
      /must come to 50\/0 v1 owing 50/,
    ],
    [
      'more is shown than is owed',
      DRAWN,
      op(1, { amount: '60', 'balanceAfter.available': '60' }),
      /must come to 0\/0 v4 owing 60/,
    ],
    [
      'debt is drawn while there are funds',
      DRAWN,
      {
        ...op(0, {
          amount: '90',
          'balanceAfter.available': '10.5',
          'balanceAfter.overdraftUsed': '60.5',
        }),
        ...op(1, {
          amount: '60.5',
          'balanceAfter.available': '60.5',
          'balanceAfter.overdraftUsed': '60.5',
        }),
      },
      /owes while it has funds/,
    ],
    ['a debit repays', DRAWN, op(1, { direction: 'credit' }), /the wrong way round/],
    ['a debt is drawn by another type', DRAWN, op(1, { type: 'DEBIT' }), /is no part of this step/],
    [
      'funds arrive before the debt is repaid',
      REPAID,
      {
        ...op(0, {
          amount: '5',
          'balanceAfter.available': '5',
          'balanceAfter.overdraftUsed': '35',
        }),
        ...op(1, {
          amount: '15',
          'balanceAfter.available': '35',
          'balanceAfter.overdraftUsed': '35',
        }),
      },
      /has funds while it owes/,
    ],
    [
      'a hold holds less of the overdraft than it draws',
      HELD,
      op(1, { 'balanceAfter.onHold': '14' }),
      /must come to 45\/15/,
    ],
    [
      'a commit leaves the overdraft on hold',
      COMMITTED,
      op(3, { 'balanceAfter.onHold': '15' }),
      /must come to 45\/0/,
    ],
    [
      'a cancellation keeps the debt',
      CANCELED,
      op(2, { 'balanceAfter.overdraftUsed': '7' }),
      /must come to 0\/0 v10, /,
    ],
    [
      'less is allowed than is owed by then',
      ALLOWED,
      { 'balance.settings.overdraftLimit': '49.99' },
      /owes more than its limit/,
    ],
    [
      'nothing is allowed',
      ALLOWED,
      {
        'balance.settings.allowOverdraft': false,
        'balance.settings.overdraftLimitEnabled': false,
        'balance.settings.overdraftLimit': undefined,
      },
      /may not owe/,
    ],
  ];
  for (const [what, at, changes, says] of cases) {
    it(`sees that ${what}`, () => {
      const drafts = life();
      for (const [path, value] of Object.entries(changes)) bend(drafts[at]!, path, value);
      const difference = judged(drafts);
      expect(difference).to.have.property('what').that.matches(says);
      expect(difference).to.include({ revision: at === ALLOWED ? DRAWN : at });
    });
  }

  const records: readonly (readonly [
    what: string,
    at: number,
    changes: Readonly<Record<string, unknown>>,
    says: RegExp,
  ])[] = [
    [
      'a limit of nothing',
      ALLOWED,
      { 'balance.settings.overdraftLimit': '0' },
      /overdraft limit is 0/,
    ],
    [
      'a limit that is missing',
      ALLOWED,
      { 'balance.settings.overdraftLimit': undefined },
      /a limit is enabled and missing/,
    ],
    [
      'an overdraft balance anybody may use',
      9,
      { 'balance.settings.balanceScope': 'transactional' },
      /has the scope of another key/,
    ],
    [
      'an overdraft balance of direction credit',
      9,
      { 'balance.direction': 'credit' },
      /must be a debit balance/,
    ],
    [
      'a further balance that is internal',
      5,
      { 'balance.settings': { balanceScope: 'internal' } },
      /has the scope of another key/,
    ],
  ];
  for (const [what, at, changes, says] of records) {
    it(`sees ${what}`, () => {
      const drafts = life();
      for (const [path, value] of Object.entries(changes)) bend(drafts[at]!, path, value);
      const difference = judged(drafts);
      expect(difference).to.include({ revision: at });
      expect(difference).to.have.property('what').that.matches(says);
    });
  }

  it('sees settings that fall below what is owed, and changes of what nobody may change', () => {
    const settings = (more: object) => ({
      ...(life()[ALLOWED]!.data['balance'] as object),
      settings: { balanceScope: 'transactional', ...more },
    });
    const after = (balance: object) => {
      const data = { balance, state: {}, changed: ['settings'] };
      return judged(life().toSpliced(DRAWN + 1, 0, { type: 'BalanceUpdated', data }));
    };
    const limited = { allowOverdraft: true, overdraftLimitEnabled: true, overdraftLimit: '49' };
    const none = { allowOverdraft: false, overdraftLimitEnabled: false };
    for (const one of [settings(limited), settings(none)]) {
      expect(after(one))
        .to.have.property('what')
        .that.matches(/owes more than its settings/);
    }
    const companion = life()[9]!.data['balance'] as object;
    expect(after(companion))
      .to.have.property('what')
      .that.matches(/is nobody's to change/);
    const gone = { type: 'BalanceDeleted', data: { balance: companion, state: {} } };
    expect(judged(life().toSpliced(DRAWN, 0, gone)))
      .to.have.property('what')
      .that.matches(/goes with its account/);
  });

  it('sees a debt that moves by itself', () => {
    const drafts = life();
    const { transaction } = drafts[DRAWN]!.data as {
      transaction: { operations: object[] };
    };
    const [own, debt, ...others] = transaction.operations as { id: string }[];
    const swapped = [
      { ...debt, id: own!.id },
      { ...own, id: debt!.id },
    ];
    bend(drafts[DRAWN]!, OPERATIONS, [...swapped, ...others]);
    expect(judged(drafts))
      .to.have.property('what')
      .that.matches(/moves by itself/);
  });
});
