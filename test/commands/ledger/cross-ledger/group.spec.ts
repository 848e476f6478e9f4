import { expect } from 'chai';
import { postGroup, revertGroup } from '#commands/ledger/processes/create-group.ts';
import { journalOfGroup } from '#commands/ledger/cross-ledger/group.ts';
import type { GroupRequest } from '#commands/ledger/cross-ledger/request.ts';
import { cancelGroup, commitGroup } from '#commands/ledger/processes/settle-group.ts';
import { refuse, type LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import { createAccount, postTransaction } from '#test/support/ledger-samples.ts';
import { refused } from '#test/support/refused.ts';
import { Crash } from '#test/support/step-world.ts';
import { at, groupOf, GroupWorld, type Place } from '#test/support/group-world.ts';
import type { Steps } from '#src/journal/steps.ts';

async function twoLedgers(): Promise<GroupWorld> {
  const world = new GroupWorld();
  await world.founded('retail', ['@alice', '@bob']);
  await world.founded('shops', ['@carol', '@dora']);
  return world;
}

describe('a transaction over several ledgers', () => {
  it('is one balanced transaction in each, bridged by the external account', async () => {
    const world = await twoLedgers();
    const legs = ['retail @alice 20', 'retail @bob 10'];
    const to = ['shops @carol 90%', 'shops @dora 10%'];
    const { group, steps } = await postGroup(world.calm(), groupOf('30', legs, to));

    expect(group).to.include({ status: 'POSTED', action: 'direct', assetCode: 'BRL' });
    expect(group.parts.map(({ bridge }) => bridge)).to.deep.equal(['30', '-30']);
    expect(steps.map(({ step }) => step.type)).to.deep.equal([
      'TransactionCommitted',
      'TransactionPosted',
    ]);
    expect(world.balance('retail', '@alice')).to.equal('80');
    expect(world.balance('retail', '@external/BRL')).to.equal('170');
    expect(world.balance('shops', '@carol')).to.equal('127');
    expect(world.balance('shops', '@dora')).to.equal('103');
    expect(world.balance('shops', '@external/BRL')).to.equal('230');
    const member = world.member('retail', group.id);
    expect(member).to.include({ status: 'APPROVED', groupId: group.id, amount: '30' });
    expect(member?.source).to.deep.equal(['@alice', '@bob']);
    expect(member?.destination).to.deep.equal(['@external/BRL']);
    expect(world.member('shops', group.id)?.source).to.deep.equal(['@external/BRL']);
  });

  it('bridges the net where a ledger gives and receives', async () => {
    const world = await twoLedgers();
    const from = ['retail @alice 5', 'shops @carol 20'];
    const to = ['retail @bob 12', 'shops @dora 13'];
    const { group } = await postGroup(world.calm(), groupOf('25', from, to));
    expect(group.parts.map(({ bridge }) => bridge)).to.deep.equal(['-7', '7']);
    expect(['@alice', '@bob'].map((alias) => world.balance('retail', alias))).to.deep.equal([
      '95',
      '112',
    ]);
    expect(['@carol', '@dora'].map((alias) => world.balance('shops', alias))).to.deep.equal([
      '80',
      '113',
    ]);
    for (const place of world.places) expect(world.unbalanced(place)).to.equal(0n);
  });

  const traceless = (world: GroupWorld, place: Place) =>
    world.typesIn(ledgerJournal(at(place).ledgerId)).at(-1);

  it('leaves nothing when a ledger refuses at once', async () => {
    const world = await twoLedgers();
    const cases: readonly (readonly [LedgerRefusalName, readonly string[], readonly string[]])[] = [
      ['INSUFFICIENT_FUNDS', ['retail @alice 200'], ['shops @carol 200']],
      ['ACCOUNTS_NOT_ELIGIBLE', ['retail @alice 1'], ['shops @nobody 1']],
      ['TOTALS_DIFFER', ['retail @alice 1'], ['shops @carol 2']],
      ['ACCOUNT_ON_BOTH_SIDES', ['retail @alice 1', 'shops @dora 1'], ['retail @alice 2']],
      ['ACCOUNT_ON_BOTH_SIDES', ['retail @external/BRL 1'], ['shops @dora 1']],
    ];
    for (const [name, from, to] of cases) {
      const amount = name === 'ACCOUNT_ON_BOTH_SIDES' && from.length === 2 ? '2' : '1';
      const request = groupOf(name === 'INSUFFICIENT_FUNDS' ? '200' : amount, from, to);
      expect(await refused(postGroup(world.calm(), request)), from.join()).to.equal(name);
    }
    expect(world.groups()).to.deep.equal([]);
    expect(traceless(world, 'retail')).to.equal('TransactionPosted');
  });

  it('needs ledgers that take part, one asset, and one organization where routes are validated', async () => {
    const world = await twoLedgers();
    await world.founded('closed', ['@erin'], { crossLedger: { enabled: false } });
    const accounting = { ...defaultSettings.accounting, validateRoutes: true };
    await world.founded('west/strict', [], { accounting });
    const post = (from: string, to: string) =>
      refused(postGroup(world.calm(), groupOf('1', [from], [to])));
    expect(await post('retail @alice 1', 'closed @erin 1')).to.equal('CROSS_LEDGER_DISABLED');
    expect(await post('retail @alice 1', 'west/strict @finn 1')).to.equal('GROUP_ORGANIZATIONS');
    await world.in('shops', {
      type: 'CreateAsset',
      organizationId: at('shops').organizationId,
      fields: {
        name: 'Dollar',
        type: 'others',
        code: 'USD',
        status: { code: 'A', description: null },
      },
    });
    await world.in('shops', {
      type: 'CreateAccount',
      organizationId: at('shops').organizationId,
      fields: {
        assetCode: 'USD',
        type: 'deposit',
        alias: '@dollars',
        status: { code: 'A', description: null },
        blocked: false,
        skipHolder: false,
      },
    });
    expect(await post('retail @alice 1', 'shops @dollars 1')).to.equal('GROUP_ASSETS');
    const dollars = groupOf('1', ['retail @alice 1'], ['shops @dollars 1'], { asset: 'USD' });
    expect(await refused(postGroup(world.calm(), dollars))).to.equal('ASSET_NOT_FOUND');
  });

  it('is held where it gives, and appears where it receives when it is committed', async () => {
    const world = await twoLedgers();
    const request = groupOf('30', ['retail @alice 30'], ['shops @carol 30'], { action: 'hold' });
    const { group, steps } = await postGroup(world.calm(), request);
    expect(group.status).to.equal('HELD');
    expect(steps.map(({ step }) => step.type)).to.deep.equal(['TransactionHeld']);
    expect(world.balance('retail', '@alice')).to.equal('70/30');
    expect(world.member('shops', group.id)).to.equal(undefined);

    const committed = await commitGroup(world.calm(), group.id);
    expect(committed.group.status).to.equal('POSTED');
    expect(committed.steps.map(({ step }) => step.type)).to.deep.equal([
      'TransactionCommitted',
      'TransactionPosted',
    ]);
    expect(world.balance('shops', '@carol')).to.equal('130');
    for (const again of [commitGroup, cancelGroup]) {
      expect(await refused(again(world.calm(), group.id))).to.equal('GROUP_FINISHED');
    }
  });

  it('gives back what it holds when it is cancelled', async () => {
    const world = await twoLedgers();
    const request = groupOf('30', ['retail @alice 30'], ['shops @carol 30'], { action: 'hold' });
    const { group } = await postGroup(world.calm(), request);
    const canceled = await cancelGroup(world.calm(), group.id);
    expect(canceled.steps.map(({ step }) => step.type)).to.deep.equal(['TransactionCanceled']);
    expect(world.balance('retail', '@alice')).to.equal('100');
    for (const again of [commitGroup, cancelGroup, revertGroup]) {
      expect(await refused(again(world.calm(), group.id))).to.equal('GROUP_FINISHED');
    }
  });

  it('stays held when a ledger refuses the commit, and can be committed later', async () => {
    const world = await twoLedgers();
    const request = groupOf('30', ['retail @alice 30'], ['shops @carol 30'], { action: 'hold' });
    const { group } = await postGroup(world.calm(), request);
    const block = (blocked: boolean) => {
      const { organizationId, ledgerId } = at('shops');
      const accountId = world.ledger(ledgerId).book.account('@carol')!.id;
      return world.in('shops', {
        type: 'UpdateAccount',
        organizationId,
        accountId,
        changes: { blocked },
      } as never);
    };
    await block(true);
    expect(await refused(commitGroup(world.calm(), group.id))).to.equal('ACCOUNT_BLOCKED');
    expect(world.group(group.id).last?.data.group.status).to.equal('HELD');
    for (const place of world.places)
      expect(world.ledger(at(place).ledgerId).parts.size).to.equal(0);
    await block(false);
    await commitGroup(world.calm(), group.id);
    expect(world.balance('shops', '@carol')).to.equal('130');
  });

  it('is reverted once, by a group that mirrors it, and a reversal never', async () => {
    const world = await twoLedgers();
    const before = ['@carol', '@dora'].map((alias) => world.balance('shops', alias));
    const request = groupOf(
      '25',
      ['retail @alice 5', 'shops @carol 20'],
      ['retail @bob 12', 'shops @dora 13'],
    );
    const { group } = await postGroup(world.calm(), request);
    const reverted = await revertGroup(world.calm(), group.id);
    expect(reverted.group).to.include({ revertedGroupId: group.id, status: 'POSTED' });
    const parent = world.member('retail', group.id)?.id;
    expect(world.member('retail', reverted.group.id)?.parentTransactionId).to.equal(parent);
    expect(['@carol', '@dora'].map((alias) => world.balance('shops', alias))).to.deep.equal(before);
    expect(await refused(revertGroup(world.calm(), group.id))).to.equal('GROUP_FINISHED');
    expect(await refused(revertGroup(world.calm(), reverted.group.id))).to.equal(
      'REVERSAL_OF_REVERSAL',
    );
  });

  it('can be reverted after a reversal that was refused', async () => {
    const world = await twoLedgers();
    const { group } = await postGroup(
      world.calm(),
      groupOf('50', ['retail @alice 50'], ['shops @carol 50']),
    );
    await postGroup(world.calm(), groupOf('150', ['shops @carol 150'], ['retail @bob 150']));
    expect(await refused(revertGroup(world.calm(), group.id))).to.equal('INSUFFICIENT_FUNDS');
    await postGroup(world.calm(), groupOf('50', ['retail @bob 50'], ['shops @carol 50']));
    await revertGroup(world.calm(), group.id);
    expect(world.balance('shops', '@carol')).to.equal('0');
  });

  it('alone does nothing: a member is committed, cancelled and reverted with its group', async () => {
    const world = await twoLedgers();
    const request = groupOf('30', ['retail @alice 30'], ['shops @carol 30'], { action: 'hold' });
    const { group } = await postGroup(world.calm(), request);
    const { organizationId } = at('retail');
    const transactionId = world.member('retail', group.id)!.id;
    for (const type of ['CommitTransaction', 'CancelTransaction', 'RevertTransaction'] as const) {
      const work = world.in('retail', { type, organizationId, transactionId });
      expect(await refused(work), type).to.equal('GROUP_MEMBER');
    }
  });

  /** A group of which one ledger has prepared its part, and none more. */
  async function halfPrepared(world: GroupWorld, request: GroupRequest): Promise<Uuid> {
    let prepared = 0;
    const calm = world.calm();
    const submit: Steps['submit'] = async (journal, command, key) => {
      if ((command as { type: string }).type === 'DecideGroup') throw new Crash();
      prepared += 1;
      return calm.submit(journal, command, key);
    };
    await postGroup({ ...calm, submit }, request).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    expect(prepared).to.be.above(0);
    return world.groups().at(-1)!.id;
  }

  it('keeps what its parts need: accounts stay, funds stay, and a block comes too late', async () => {
    const world = await twoLedgers();
    const { organizationId, ledgerId } = at('shops');
    const id = await halfPrepared(world, groupOf('9', ['retail @alice 9'], ['shops @dora 9']));
    const { id: accountId } = world.ledger(ledgerId).book.account('@dora')!;
    const of = { organizationId, accountId };
    expect(await refused(world.in('shops', { type: 'DeleteAccount', ...of }))).to.equal(
      'ACCOUNT_HELD',
    );
    expect(await refused(world.in('shops', { type: 'CloseAccount', ...of }))).to.equal(
      'ACCOUNT_HELD',
    );
    const close = { type: 'DeleteLedger', organizationId, inProduction: false } as const;
    expect(await refused(world.in('shops', close))).to.equal('ACCOUNT_HELD');
    expect(await refused(commitGroup(world.calm(), id))).to.equal('TRANSACTION_BUSY');
    await world.in('shops', { type: 'UpdateAccount', ...of, changes: { blocked: true } } as never);

    const opened = world.group(id).revision;
    const decide = { type: 'DecideGroup', opened, status: 'POSTING' } as const;
    await world.submit(journalOfGroup(id), decide);
    await world.resumeGroups();
    expect(world.group(id).last?.data.group.status).to.equal('POSTED');
    expect(world.balance('shops', '@dora')).to.equal('109');
  });

  it('keeps for its part what a credit takes of a balance that debits raise', async () => {
    const world = await twoLedgers();
    const { organizationId, ledgerId } = at('shops');
    const { id: accountId } = world.ledger(ledgerId).book.account('@dora')!;
    const fields = { key: 'loan', direction: 'debit', allowSending: true, allowReceiving: true };
    await world.in('shops', { type: 'CreateBalance', organizationId, accountId, fields } as never);
    const lend = (amount: string, back = false) => {
      const [from, to] = back ? ['@carol', '@dora#loan'] : ['@dora#loan', '@carol'];
      return world.in('shops', { ...postTransaction({ from, to, amount }), organizationId });
    };
    await lend('10');
    const repay = groupOf('6', ['retail @alice 6'], ['shops @dora 6']);
    const credits = repay.credits.map((leg) => ({ ...leg, balanceKey: 'loan' }));
    const id = await halfPrepared(world, { ...repay, credits });
    expect(await refused(lend('5', true))).to.equal('INSUFFICIENT_FUNDS');
    await lend('4', true);
    const opened = world.group(id).revision;
    await world.submit(journalOfGroup(id), { type: 'DecideGroup', opened, status: 'POSTING' });
    await world.resumeGroups();
    expect(world.member('shops', id)?.status).to.equal('APPROVED');
    for (const place of world.places) expect(world.unbalanced(place)).to.equal(0n);
  });

  it('is replayed under its key', async () => {
    const world = await twoLedgers();
    const request = groupOf('30', ['retail @alice 30'], ['shops @carol 30']);
    const first = await postGroup(world.calm('k'), request);
    const second = await postGroup(world.calm('k'), request);
    expect(second.replayed).to.equal(true);
    expect(second.steps).to.deep.equal(first.steps);
    expect(world.balance('retail', '@alice')).to.equal('70');
  });

  it('frees its key also if its first part is prepared just before it is given up', async () => {
    const world = await twoLedgers();
    const request = groupOf('30', ['retail @alice 30'], ['shops @carol 30']);
    const { submit, ...calm } = world.calm('k');
    let prepare: (() => Promise<unknown>) | undefined;
    const late: typeof submit = async (journal, command, key) => {
      const { type } = command as Readonly<{ type: string }>;
      if (type === 'PrepareGroupPart') {
        prepare = () => submit(journal, command, key);
        throw refuse('UNAVAILABLE', 'The outcome of an append is not known.');
      }
      if (type === 'CancelGroupPart') await prepare?.();
      return submit(journal, command, key);
    };
    expect(await refused(postGroup({ ...calm, submit: late }, request))).to.equal('UNAVAILABLE');
    expect(world.typesIn(ledgerJournal(at('retail').ledgerId))).to.include.members([
      'TransactionHeld',
      'TransactionCanceled',
    ]);
    expect((await postGroup(world.calm('k'), request)).group.status).to.equal('POSTED');
    expect(world.balance('retail', '@alice')).to.equal('70');
  });

  it('gives up a part that was prepared although asking for it ended with a defect', async () => {
    for (const place of ['retail', 'shops']) {
      const world = await twoLedgers();
      const request = groupOf('30', ['retail @alice 20', 'shops @dora 10'], ['shops @carol 30']);
      const { submit, ...calm } = world.calm('k');
      const failing: typeof submit = async (journal, command, key) => {
        const outcome = await submit(journal, command, key);
        const isPrepared = (command as Readonly<{ type: string }>).type === 'PrepareGroupPart';
        if (isPrepared && journal.name === ledgerJournal(at(place).ledgerId)) throw new Error('No');
        return outcome;
      };
      const failed = postGroup({ ...calm, submit: failing }, request).catch(String);
      expect(await failed).to.equal('Error: No');
      for (const one of world.places) expect(world.ledger(at(one).ledgerId).parts.size).to.equal(0);
      expect((await postGroup(world.calm('k'), request)).group.status).to.equal('POSTED');
      expect(world.balance('retail', '@alice')).to.equal('80');
    }
  });

  it('keeps what a commit reserved if the end of an earlier attempt comes late', async () => {
    const world = await twoLedgers();
    const { organizationId, ledgerId } = at('shops');
    await world.in('shops', { ...createAccount({ alias: '@erin' }), organizationId });
    const { id: accountId } = world.ledger(ledgerId).book.account('@erin')!;
    const hold = groupOf('30', ['retail @alice 30'], ['shops @erin 30'], { action: 'hold' });
    const { id } = (await postGroup(world.calm(), hold)).group;
    const { submit, ...calm } = world.calm();
    let late: (() => Promise<unknown>) | undefined;
    const failing: typeof submit = async (journal, command, key) => {
      const { type } = command as Readonly<{ type: string }>;
      const isBind = type === 'BindGroupPart' && journal.name !== ledgerJournal(ledgerId);
      const isUnbind = type === 'UnbindGroupPart' && journal.name === ledgerJournal(ledgerId);
      if (isUnbind) late = () => submit(journal, command, key);
      if (isBind || isUnbind) throw refuse('UNAVAILABLE', 'The outcome is not known.');
      return submit(journal, command, key);
    };
    expect(await refused(commitGroup({ ...calm, submit: failing }, id))).to.equal('UNAVAILABLE');
    await world.resumeGroups(); // Another process ends the attempt.

    const next: typeof submit = async (journal, command, key) => {
      if ((command as Readonly<{ type: string }>).type === 'DecideGroup') {
        await late?.();
        const close = { type: 'DeleteAccount', organizationId, accountId } as const;
        expect(await refused(world.in('shops', close))).to.equal('ACCOUNT_HELD');
      }
      return submit(journal, command, key);
    };
    expect((await commitGroup({ ...calm, submit: next }, id)).group.status).to.equal('POSTED');
    expect(world.balance('shops', '@erin')).to.equal('30');
  });
});
