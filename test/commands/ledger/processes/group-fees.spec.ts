import { expect } from 'chai';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { postGroup } from '#commands/ledger/processes/create-group.ts';
import { feesOfGroup } from '#commands/ledger/processes/group-fees.ts';
import type { FeesOfGroup } from '#commands/ledger/cross-ledger/request.ts';
import type { Amount } from '#src/kernel/amount.ts';
import type { JournalFact } from '#src/kernel/decider.ts';
import type { FeeCharge, TransactionToCharge } from '#src/kernel/fee-charge.ts';
import { parseAmount, add } from '#src/kernel/amount.ts';
import { feesJournal, type JournalName } from '#src/kernel/journal-name.ts';
import { at, groupOf, GroupWorld } from '#test/support/group-world.ts';
import { refused } from '#test/support/refused.ts';

const ONE = parseAmount('1');

/** A package that charges one to the payer, in favor of an account. */
const charging =
  (alias: string) =>
  (_: unknown, { value, to }: TransactionToCharge): FeeCharge => ({
    packageId: at('retail').ledgerId,
    isCharged: true,
    metadata: {},
    value: add(value, ONE),
    to: to.map(({ amount }): Amount => amount),
    feesFrom: [{ alias: '@alice', amount: ONE, payer: 0 }],
    feesTo: [{ alias, amount: ONE, payer: 0, source: '@alice' }],
  });

describe('fees of a transaction over several ledgers', () => {
  const request = groupOf('30', ['retail @alice 30'], ['shops @carol 30']);
  const founded = async () => {
    const world = new GroupWorld();
    await world.founded('retail', ['@alice', '@fees']);
    await world.founded('shops', ['@carol']);
    const { organizationId, ledgerId } = at('retail');
    const factOf = (alias: string) => async (journal: JournalName) => {
      const fees = journal === feesJournal(organizationId) && { charge: charging(alias) };
      const fact = fees ? { ...fees, live: true } : ledgerDecider.fact(world.ledger(ledgerId));
      return { ...fact, revision: 1 } as JournalFact;
    };
    const post = async (alias: string): Promise<string> => {
      const fees: FeesOfGroup | undefined = await feesOfGroup(factOf(alias), request);
      return (await postGroup(world.calm('k'), request, fees)).group.id;
    };
    return { world, post };
  };

  it('that a package adds later do not refuse a request that was accepted under its key', async () => {
    const { world, post } = await founded();
    const id = await post('@fees');
    expect(world.balance('retail', '@alice')).to.equal('69');
    expect(await post('@alice')).to.equal(id);
    expect(world.balance('retail', '@alice')).to.equal('69');
  });

  it('that go to their payer refuse a new one', async () => {
    const { world, post } = await founded();
    expect(await refused(post('@alice'))).to.equal('ACCOUNT_ON_BOTH_SIDES');
    expect(world.groups()).to.deep.equal([]);
  });
});
