import { expect } from 'chai';
import { postGroup, revertGroup } from '#commands/ledger/processes/create-group.ts';
import { cancelGroup, commitGroup } from '#commands/ledger/processes/settle-group.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import { createLedgerRules } from '#src/verify/ledger/rules.ts';
import { at, groupOf, GroupWorld } from '#test/support/group-world.ts';
import { postTransaction } from '#test/support/ledger-samples.ts';
import { refused } from '#test/support/refused.ts';
import { Crash } from '#test/support/step-world.ts';
import type { Steps } from '#src/journal/steps.ts';

describe('a transaction over several ledgers with an exception from a block', () => {
  let world: GroupWorld;
  beforeEach(async () => {
    world = new GroupWorld();
    await world.founded('retail', ['@alice', '@bob']);
    await world.founded('shops', ['@carol', '@dora']);
  });
  afterEach(() => {
    for (const place of world.places) {
      const journal = ledgerJournal(at(place).ledgerId);
      const rules = createLedgerRules();
      for (const { type, data, revision } of world.events(journal)) {
        if (revision === 0) rules.open(data, journal);
        expect(rules.apply(type, data), type).to.equal(true);
      }
    }
  });

  const back = (accountBlockExceptionId?: Uuid) =>
    groupOf('5', ['retail @alice 2', 'shops @carol 3'], ['retail @bob 5'], {
      accountBlockExceptionId,
    });
  const usable = (id: Uuid, place = 'shops'): boolean =>
    world.ledger(at(place).ledgerId).exceptions.has(id);
  const spend = (id: Uuid) => {
    const { request, ...command } = postTransaction({ from: '@carol', to: '@dora', amount: '3' });
    const { organizationId } = at('shops');
    const by = { ...request, accountBlockExceptionId: id };
    return world.in('shops', { ...command, organizationId, request: by });
  };

  it('passes in the one ledger that knows it, and uses it up', async () => {
    const id = await world.blockedBut('shops', '@carol', '3');
    expect(await refused(postGroup(world.calm(), back()))).to.equal('ACCOUNT_BLOCKED');
    await postGroup(world.calm(), back(id));
    expect(world.balance('shops', '@carol')).to.equal('97');
    expect(await refused(postGroup(world.calm(), back(id)))).to.equal('EXCEPTION_NOT_USABLE');
  });

  it('leaves nothing where it does not fit: unknown, of another amount, of an account that gives nothing', async () => {
    const other = await world.blockedBut('shops', '@carol', '4');
    const idle = await world.granted('shops', '@dora', '3');
    for (const id of [at('retail').ledgerId, other, idle]) {
      expect(await refused(postGroup(world.calm(), back(id)))).to.equal('EXCEPTION_NOT_USABLE');
    }
    expect(world.groups()).to.deep.equal([]);
    expect([usable(other), usable(idle)]).to.deep.equal([true, true]);
  });

  it('keeps it while the group is under way, also in a snapshot, and gives it back when that fails', async () => {
    const id = await world.blockedBut('shops', '@carol', '3');
    const calm = world.calm();
    const submit: Steps['submit'] = async (journal, command, key) => {
      if ((command as { type: string }).type === 'DecideGroup') throw new Crash();
      return calm.submit(journal, command, key);
    };
    await postGroup({ ...calm, submit }, back(id)).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    expect(await refused(spend(id))).to.equal('EXCEPTION_NOT_USABLE');
    expect(await refused(postGroup(world.calm(), back(id)))).to.equal('EXCEPTION_NOT_USABLE');
    const frozen = [...ledgerDecider.toSnapshot(world.ledger(at('shops').ledgerId))];
    const [kept] = ledgerDecider.fromSnapshot(frozen).parts.values();
    expect(kept?.exceptionId).to.equal(id);

    await world.resumeGroups(); // It gives up what nobody decided.
    expect(world.balance('shops', '@carol')).to.equal('100');
    await spend(id);
    expect(world.balance('shops', '@carol')).to.equal('97');
  });

  it('passes at the commit of a hold, and is given back when that is refused', async () => {
    const how = { action: 'hold' } as const;
    const { group } = await postGroup(world.calm(), { ...back(), ...how });
    const id = await world.blockedBut('shops', '@carol', '3');
    const other = await world.blockedBut('retail', '@alice', '2');
    expect(await refused(commitGroup(world.calm(), group.id))).to.equal('ACCOUNT_BLOCKED');
    expect(await refused(commitGroup(world.calm(), group.id, id))).to.equal('ACCOUNT_BLOCKED');
    expect([usable(id), usable(other, 'retail')]).to.deep.equal([true, true]);
    const accountId = world.ledger(at('retail').ledgerId).book.account('@alice')!.id;
    const { organizationId } = at('retail');
    const unblock = { type: 'UpdateAccount', organizationId, accountId } as const;
    await world.in('retail', { ...unblock, changes: { blocked: false } });
    await commitGroup(world.calm(), group.id, id);
    expect(world.balance('shops', '@carol')).to.equal('97');
    expect([usable(id), usable(other, 'retail')]).to.deep.equal([false, true]);
  });

  it('is given back when a commit that was bound comes to nothing', async () => {
    const how = { action: 'hold' } as const;
    const { group } = await postGroup(world.calm(), { ...back(), ...how });
    const id = await world.blockedBut('shops', '@carol', '3');
    const calm = world.calm();
    const submit: Steps['submit'] = async (journal, command, key) => {
      if ((command as { type: string }).type === 'DecideGroup') throw new Crash();
      return calm.submit(journal, command, key);
    };
    await commitGroup({ ...calm, submit }, group.id, id).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    expect(await refused(spend(id))).to.equal('EXCEPTION_NOT_USABLE');
    await world.resumeGroups();
    expect(world.group(group.id).last?.data.group.status).to.equal('HELD');
    await cancelGroup(world.calm(), group.id);
    await spend(id);
  });

  it('passes for a reversal', async () => {
    const { group } = await postGroup(
      world.calm(),
      groupOf('5', ['retail @alice 5'], ['shops @carol 5']),
    );
    const id = await world.blockedBut('shops', '@carol', '5');
    expect(await refused(revertGroup(world.calm(), group.id))).to.equal('ACCOUNT_BLOCKED');
    await revertGroup(world.calm(), group.id, id);
    expect(world.balance('shops', '@carol')).to.equal('100');
    expect(usable(id)).to.equal(false);
  });

  it('lets the world outside pass as well, of which nothing is held', async () => {
    const id = await world.granted('shops', '@external/BRL', '3');
    const from = ['retail @alice 2', 'shops @external/BRL 3'];
    const how = { accountBlockExceptionId: id };
    await postGroup(world.calm(), groupOf('5', from, ['shops @dora 3', 'retail @bob 2'], how));
    expect(usable(id)).to.equal(false);
  });
});
