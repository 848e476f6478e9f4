import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import { audit } from '#src/bootstrap/audit.ts';
import type { Fee } from '#src/events/fees/fee-package.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { add, formatAmount, parseAmount, subtract, ZERO } from '#src/kernel/amount.ts';
import type { Facts } from '#src/kernel/decider.ts';
import { Refusal } from '#src/kernel/errors.ts';
import { namesOf } from '#src/kernel/index-table.ts';
import type { JournalName } from '#src/kernel/journal-name.ts';
import { indexTable } from '#src/bootstrap/index-table.ts';
import { createJournalVerifier } from '#src/verify/journal.ts';
import type { BillingPackageEvent } from '#src/events/fees/billing-package.ts';
import {
  billingPackageCreated,
  billingPackageDeleted,
  billingPackageUpdated,
  maintenancePackage,
  volumePackage,
} from '#test/support/billing-samples.ts';
import { fee, feePackage, knownFees } from '#test/support/fee-samples.ts';
import {
  idOf,
  inflow,
  LEDGER,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';
import { chanceOf, runsOf, seedOfRun, type Chance } from '#test/support/random.ts';
import { countingIds, NOW, stampAt } from '#test/support/stamps.ts';
import { sealed } from './hand-made.ts';

const PAYERS = ['@a', '@b', '@c'];
const RECEIVERS = ['@x', '@y', '@z'];
const COLLECTORS = ['@fees', '@tax', '@x', '@b'];

/** Random transactions of a ledger that charges fees, decided by its rules and read by the auditor. */
describe('the auditor of fees', () => {
  it('finds both sides equal and no money made or lost, whatever fees are charged', () => {
    const seen = { charged: 0, exempt: 0, refused: 0, settled: 0 };
    for (let run = 0; run < runsOf(300); run += 1) {
      const chance = chanceOf(seedOfRun(16) + run);
      const life = played(chance, seen);
      const verifier = createJournalVerifier(audit, `ledger-${LEDGER}`);
      for (const event of sealed(life)) {
        expect(verifier.take(event), `run ${run}`).to.equal(undefined);
      }
      expect(moneyIn(life), `run ${run}`).to.equal('0');
    }
    expect(
      Object.values(seen).every((count) => count > 10),
      JSON.stringify(seen),
    ).to.equal(true);
  });
});

describe('the auditor of billing packages', () => {
  const firstFlaw = (...events: readonly BillingPackageEvent[]): string | undefined => {
    const verifier = createJournalVerifier(audit, `fees-${ORGANIZATION}`);
    const flaws = sealed(events).map((event) => verifier.take(event));
    const first = flaws.find((flaw) => flaw !== undefined);
    return first && JSON.stringify(first);
  };
  const one = volumePackage();
  const other = volumePackage({ id: idOf('another'), enable: false });
  const enabled = billingPackageUpdated({ ...other, enable: true }, ['enable']);

  it('accepts what the rules decide', () => {
    const off = billingPackageUpdated({ ...one, enable: false }, ['enable']);
    const both = [billingPackageCreated(one), billingPackageCreated(other)];
    expect(firstFlaw(...both, off, enabled, billingPackageDeleted(one))).to.equal(undefined);
    expect(firstFlaw(...both, billingPackageDeleted(one), enabled)).to.equal(undefined);
    expect(firstFlaw(billingPackageCreated(maintenancePackage()), ...both)).to.equal(undefined);
  });

  it('finds a route that two of them bill', () => {
    const both = [billingPackageCreated(one), billingPackageCreated(other)];
    expect(firstFlaw(...both, enabled)).to.contain(`package ${one.id} bills the same route`);
  });

  it('finds a package that was never created', () => {
    const [, ...others] = [billingPackageCreated(one), billingPackageCreated(other), enabled];
    expect(firstFlaw(...others, billingPackageDeleted(one))).to.contain(
      'there is no billing package',
    );
  });
});

/** Decides random commands, one after the other; a refused one leaves nothing. */
function played(chance: Chance, seen: Record<string, number>): readonly LedgerEvent[] {
  const ledger = ledgerDecider.initialState();
  const life: LedgerEvent[] = [];
  const ids = countingIds();
  const fees = knownFees(anyPackage(chance));
  const facts: Facts = {
    journal: (name: JournalName) => fees[name] ?? null,
    settings: () => null,
    revisionOf: ({ kind, key }) => {
      const at = life.findLastIndex((event) =>
        [...namesOf(indexTable, event)].some((name) => name.kind === kind && name.key === key),
      );
      return at < 0 ? null : at;
    },
    event: (revision) => life[revision],
  };
  const fold = (event: LedgerEvent): void => {
    ledgerDecider.evolve(ledger, event, life.length);
    life.push(event);
  };
  for (const event of ledgerWith('BRL', ...PAYERS, ...RECEIVERS, '@fees', '@tax')) fold(event);
  for (const alias of PAYERS) decide(inflow(alias, '1000'));

  const pending: TransactionRecord[] = [];
  const posted: TransactionRecord[] = [];
  for (let n = 0; n < 12; n += 1) {
    const [event] = decide(anyCommand(chance, pending, posted));
    if (event === undefined) {
      seen['refused']! += 1;
      continue;
    }
    const { transaction } = event.data as Readonly<{ transaction: TransactionRecord }>;
    if (transaction.feePackage?.charged === true) seen['charged']! += 1;
    if (transaction.feePackage?.charged === false) seen['exempt']! += 1;
    if (event.type === 'TransactionHeld') pending.push(transaction);
    else if (event.type === 'TransactionPosted') posted.push(transaction);
    else seen['settled']! += 1;
  }
  return life;

  function decide(command: LedgerCommand): readonly LedgerEvent[] {
    try {
      const decided = ledgerDecider.decide(ledger, command, facts, stampAt(NOW, ids));
      const events = 'unchanged' in decided ? [] : decided;
      for (const event of events) fold(JSON.parse(JSON.stringify(event)) as LedgerEvent);
      return events;
    } catch (error) {
      if (error instanceof Refusal) return [];
      throw error;
    }
  }
}

function anyPackage(chance: Chance) {
  const count = chance.int(1, 3);
  const fees = Array.from({ length: count }, (_, n): [string, Fee] => {
    const isDeductibleFrom = chance.is(0.4);
    const values = chance.pick(['1', '0.37', '2%', '0.333%', '3 1.5%', '12']);
    const afterFees = !isDeductibleFrom && n > 0 && chance.is(0.5);
    return [
      `p${n}`,
      fee(values, {
        ...{ priority: n + 1, isDeductibleFrom, creditAccount: chance.pick(COLLECTORS) },
        referenceAmount: afterFees ? 'afterFeesAmount' : 'originalAmount',
      }),
    ];
  });
  const waivable = [...PAYERS, ...RECEIVERS];
  const waivedAccounts = waivable.filter(() => chance.is(0.35));
  return feePackage(Object.fromEntries(fees), { id: idOf('any package'), waivedAccounts });
}

function anyCommand(
  chance: Chance,
  pending: TransactionRecord[],
  posted: readonly TransactionRecord[],
): LedgerCommand {
  const type = chance.pick(['post', 'post', 'post', 'hold', 'settle', 'revert']);
  const ended = type === 'settle' ? pending.shift() : undefined;
  if (ended !== undefined) {
    const settle = chance.pick(['CommitTransaction', 'CancelTransaction'] as const);
    return { type: settle, organizationId: ORGANIZATION, transactionId: ended.id };
  }
  if (type === 'revert' && posted.length > 0) {
    const transactionId = chance.pick(posted).id;
    return { type: 'RevertTransaction', organizationId: ORGANIZATION, transactionId };
  }
  const amount = `${chance.int(1, 300)}.${chance.digits(2)}`;
  const side = (aliases: readonly string[]) =>
    chance.is(0.5)
      ? chance.pick(aliases)
      : [`${aliases[0]!} 33%`, `${aliases[1]!} 0.5`, aliases[2]!];
  const payment = postTransaction({ from: side(PAYERS), to: side(RECEIVERS), amount });
  const request = { ...payment.request, pending: type === 'hold' };
  return { ...payment, request, fees: chance.pick([1, 2] as const) };
}

/** The sum of all balances, in which the external account counts as what it gave. */
function moneyIn(life: readonly LedgerEvent[]): string {
  const last = new Map<string, readonly [available: string, onHold: string]>();
  for (const { data } of life) {
    const { transaction } = data as Readonly<{ transaction?: TransactionRecord }>;
    for (const { accountAlias, balanceAfter } of transaction?.operations ?? []) {
      last.set(accountAlias, [balanceAfter.available, balanceAfter.onHold]);
    }
  }
  let sum = ZERO;
  for (const [alias, states] of last) {
    for (const state of states.map(parseAmount)) {
      sum = alias === '@external/BRL' ? subtract(sum, state) : add(sum, state);
    }
  }
  return formatAmount(sum);
}
