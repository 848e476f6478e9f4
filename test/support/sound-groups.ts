import { expect } from 'chai';
import { add, negate, parseAmount, ZERO } from '#src/kernel/amount.ts';
import { groupJournal, ledgerJournal } from '#src/kernel/journal-name.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import { createGroupRules } from '#src/verify/ledger/group.ts';
import { createLedgerRules } from '#src/verify/ledger/rules.ts';
import type { AuditRules } from '#src/verify/rules.ts';
import { at, type GroupWorld } from '#test/support/group-world.ts';

/** Every group came to an end that its members agree with, and nothing is bound or under way. */
export function expectSound(world: GroupWorld, what: string): void {
  for (const place of world.places) {
    const { parts } = world.ledger(at(place).ledgerId);
    expect(world.unbalanced(place), what).to.equal(ZERO);
    expectVerified(world, ledgerJournal(at(place).ledgerId), createLedgerRules());
    expect(parts.size, `${what}: parts of ${place}`).to.equal(0);
  }
  for (const group of world.groups()) {
    expectVerified(world, groupJournal(group.id), createGroupRules());
    const members = group.parts.map(({ ledgerId }) => {
      const place = world.places.find((one) => at(one).ledgerId === ledgerId)!;
      return world.member(place, group.id);
    });
    const said = `${what}, group ${group.id} ${group.status}`;
    expect(['HELD', 'POSTED', 'CANCELED'], said).to.include(group.status);
    const states = new Set(members.map((member) => member?.status));
    const allowed = { HELD: 'PENDING', POSTED: 'APPROVED', CANCELED: 'CANCELED' }[
      group.status as 'HELD'
    ];
    for (const state of states) {
      if (state === undefined) expect(group.status, said).not.to.equal('POSTED');
      else expect(state, said).to.equal(allowed);
    }
    const bridges = group.parts.map(({ bridge }) => parseAmount(bridge)).reduce(add, ZERO);
    expect(bridges, said).to.equal(ZERO);
    if (group.status !== 'POSTED') continue;
    expect(
      members.map((member) => member && crossed(member)).reduce((a, b) => add(a!, b!)),
      said,
    ).to.equal(ZERO);
  }
}

/** The auditor's own arithmetic agrees. */
function expectVerified(world: GroupWorld, journal: string, rules: AuditRules): void {
  for (const { type, data, revision } of world.events(journal)) {
    if (revision === 0) expect(rules.open(data, journal)).to.equal(journal);
    expect(rules.apply(type, data), type).to.equal(true);
  }
}

/** Returns the amount that a member's bridge leg moved: negative for a debit. */
const crossed = ({ operations }: TransactionRecord) =>
  operations
    .filter(({ accountAlias }) => accountAlias === '@external/BRL')
    .map(({ direction, amount }) => {
      return direction === 'credit' ? parseAmount(amount) : negate(parseAmount(amount));
    })
    .reduce(add, ZERO);
