import { expect } from 'chai';
import { postGroup, revertGroup } from '#commands/ledger/processes/create-group.ts';
import { cancelGroup, commitGroup } from '#commands/ledger/processes/settle-group.ts';
import { journalOfOrganization } from '#commands/ledger/journals.ts';
import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { ledgerJournal } from '#src/kernel/journal-name.ts';
import type { AccountingEntries } from '#src/events/ledger/route-rules.ts';
import { createLedgerRules } from '#src/verify/ledger/rules.ts';
import { at, GroupWorld, groupOf, routedGroup, type Place } from '#test/support/group-world.ts';
import { ORGANIZATION } from '#test/support/ledger-samples.ts';
import { refused } from '#test/support/refused.ts';
import { both, credit, debit, entries } from '#test/support/route-samples.ts';

const bridge = { debit: { code: 'XD' }, credit: { code: 'XC' } };
const source: AccountingEntries = { direct: debit, hold: both, commit: debit, cancel: both };
const destination = entries(credit, 'direct', 'commit');
const bothWays = entries(both, 'direct', 'hold', 'commit', 'cancel', 'revert');

const ROUTES = {
  S: ['source', source],
  D: ['destination', destination],
  SX: ['source', { ...source, crossLedger: { ...bridge, credit: null } }],
  DX: ['destination', { ...destination, crossLedger: { ...bridge, debit: null } }],
  B: ['bidirectional', bothWays],
  X: ['bidirectional', { ...bothWays, crossLedger: bridge }],
  T: ['source', source],
  A: ['destination', destination, { ruleType: 'alias', validIf: '@zoe' }],
  Z: [
    'destination',
    { ...destination, crossLedger: { ...bridge, debit: null } },
    { ruleType: 'alias', validIf: '@carol' },
  ],
} as const;
const TEMPLATES = {
  ends: ['SX', 'DX'],
  bridged: ['S', 'D', 'X'],
  'two sources': ['S', 'T', 'D', 'X'],
  'no bridge': ['S', 'D'],
  'two bridges': ['SX', 'D', 'X'],
  'for zoe': ['S', 'A', 'X'],
  'for carol': ['SX', 'Z'],
  'there and back': ['B', 'X'],
};

describe('a transaction over several ledgers along a route', () => {
  let world: GroupWorld;
  let ids: Readonly<Record<string, Uuid>>;
  beforeEach(async () => {
    world = new GroupWorld();
    ids = await world.routed(ROUTES, TEMPLATES);
    await world.founded('retail', ['@alice', '@bob']);
    await world.founded('shops', ['@carol', '@dora']);
    await world.strict('retail', 'shops');
  });
  afterEach(() => {
    for (const place of world.places) {
      expect(world.unbalanced(place)).to.equal(0n);
      expectVerified(world, place);
    }
  });

  const pay = (route: string, from: string, to: string, how = {}) =>
    routedGroup(ids, route, ['5', [`retail @alice 5 ${from}`], [`shops @carol 5 ${to}`]], how);
  const nameOf = (id: unknown): string =>
    Object.entries(ids).find(([, one]) => one === id)?.[0] ?? '-';
  /** Type, side, account, amount, and what its operation route says of it. */
  const rows = (place: Place, id: Uuid): string[] =>
    (world.member(place, id)?.operations ?? []).map(
      ({ type, direction, accountAlias, amount, routeId, routeCode = '-' }) =>
        `${type} ${direction} ${accountAlias} ${amount} ${nameOf(routeId)} ${routeCode}`,
    );

  it('is booked as the route has it, what crosses a border by the routes of its ends', async () => {
    const { group } = await postGroup(world.calm(), pay('ends', 'SX', 'DX'));
    expect(rows('retail', group.id)).to.deep.equal([
      'ON_HOLD debit @alice 5 SX D',
      'DEBIT debit @alice 5 SX D',
      'CREDIT credit @external/BRL 5 DX XC',
    ]);
    expect(rows('shops', group.id)).to.deep.equal([
      'CREDIT credit @carol 5 DX C',
      'DEBIT debit @external/BRL 5 SX XD',
    ]);
    expect(world.member('shops', group.id)?.routeId).to.equal(ids['ends']);
  });

  it('may have a route for the bridge alone, whose sides are in different ledgers', async () => {
    const { group } = await postGroup(world.calm(), pay('bridged', 'S', 'D'));
    expect(rows('retail', group.id).at(-1)).to.equal('CREDIT credit @external/BRL 5 X XC');
    expect(rows('shops', group.id).at(-1)).to.equal('DEBIT debit @external/BRL 5 X XD');
  });

  it('uses every operation route somewhere, not in each ledger', async () => {
    const legs = ['retail @alice 5 S', 'shops @dora 2 T'];
    const request = routedGroup(ids, 'two sources', ['7', legs, ['shops @carol 7 D']]);
    const { group } = await postGroup(world.calm(), request);
    expect(rows('shops', group.id)).to.include('DEBIT debit @dora 2 T D');
    expect(group.parts.map((part) => part.bridge)).to.deep.equal(['5', '-5']);
  });

  it('leaves the bridge out where nothing crosses a border', async () => {
    const legs = [
      ['retail @alice 5 S', 'shops @carol 2 S'],
      ['retail @bob 5 D', 'shops @dora 2 D'],
    ] as const;
    const { group } = await postGroup(world.calm(), routedGroup(ids, 'no bridge', ['7', ...legs]));
    expect(group.parts.map((part) => part.bridge)).to.deep.equal(['0', '0']);
  });

  it('asks the account rule of its own legs, not of the bridge', async () => {
    await postGroup(world.calm(), pay('for carol', 'SX', 'Z'));
    expect(await refused(postGroup(world.calm(), pay('for zoe', 'S', 'A')))).to.equal('ALIAS_RULE');
  });

  const refusals: readonly (readonly [LedgerRefusalName, string, string, string])[] = [
    ['TRANSACTION_ROUTE_REQUIRED', '', 'S', 'D'],
    ['TRANSACTION_ROUTE_NOT_FOUND', 'S', 'S', 'D'],
    ['BRIDGE_ROUTE_MISSING', 'no bridge', 'S', 'D'],
    ['BRIDGE_ROUTE_AMBIGUOUS', 'two bridges', 'SX', 'D'],
    ['ROUTE_LEGS_DIFFER', 'bridged', '', 'D'],
    ['ROUTE_LEGS_DIFFER', 'two sources', 'S', 'D'],
    ['OUTSIDE_TEMPLATE', 'bridged', 'D', 'S'],
    ['COUNTERPART_MISSING', 'there and back', 'B', 'X'],
  ];
  for (const [name, route, from, to] of refusals) {
    it(`leaves nothing where it is refused: ${name} of ${from || 'no'} → ${to}`, async () => {
      for (const action of ['direct', 'hold'] as const) {
        if (name === 'DIRECTION_AGAINST_ROUTE' && action === 'hold') continue; // Has no entry for it.
        const work = postGroup(world.calm(), pay(route, from, to, { action }));
        expect(await refused(work), action).to.equal(name);
      }
      expect(world.groups()).to.deep.equal([]);
    });
  }

  it('is held apart, committed by its routes, and refused when they have changed', async () => {
    const how = { action: 'hold' } as const;
    const { group } = await postGroup(world.calm(), pay('bridged', 'S', 'D', how));
    expect(rows('retail', group.id)).to.deep.equal([
      'DEBIT debit @alice 5 S D',
      'ON_HOLD credit @alice 5 S C',
    ]);
    const change = (accountingEntries: object) =>
      world.submit(journalOfOrganization(ORGANIZATION), {
        type: 'UpdateOperationRoute',
        organizationId: ORGANIZATION,
        id: ids['X']!,
        changes: { accountingEntries },
      });
    await change({ crossLedger: null });
    expect(await refused(commitGroup(world.calm(), group.id))).to.equal('BRIDGE_ROUTE_MISSING');
    expect(world.group(group.id).last?.data.group.status).to.equal('HELD');
    await change({ crossLedger: bridge });
    await commitGroup(world.calm(), group.id);
    expect(rows('retail', group.id)).to.deep.equal([
      'DEBIT debit @alice 5 S D',
      'ON_HOLD credit @alice 5 S C',
      'ON_HOLD debit @alice 5 S D',
      'CREDIT credit @external/BRL 5 X XC',
    ]);
    expect(rows('shops', group.id)).to.deep.equal([
      'CREDIT credit @carol 5 D C',
      'DEBIT debit @external/BRL 5 X XD',
    ]);
  });

  it('gives back what it holds by its routes', async () => {
    const how = { action: 'hold' } as const;
    const { group } = await postGroup(world.calm(), pay('ends', 'SX', 'DX', how));
    await cancelGroup(world.calm(), group.id);
    expect(rows('retail', group.id).slice(2)).to.deep.equal([
      'RELEASE debit @alice 5 SX D',
      'CREDIT credit @alice 5 SX C',
    ]);
  });

  it('holds what a ledger gives on balance, also where it gets something', async () => {
    const how = { action: 'hold' } as const;
    const legs = [['retail @alice 5 S', 'shops @dora 2 S'], ['shops @carol 7 D']] as const;
    const request = routedGroup(ids, 'bridged', ['7', ...legs], how);
    const { group } = await postGroup(world.calm(), request);
    await commitGroup(world.calm(), group.id);
    expect(rows('shops', group.id)).to.deep.equal([
      'DEBIT debit @dora 2 S D',
      'ON_HOLD credit @dora 2 S C',
      'CREDIT credit @carol 7 D C',
      'ON_HOLD debit @dora 2 S D',
      'DEBIT debit @external/BRL 5 X XD',
    ]);
    expect(await refused(revertGroup(world.calm(), group.id))).to.equal('ROUTE_NOT_BIDIRECTIONAL');
  });

  it('is reverted by routes that serve both sides', async () => {
    const { group } = await postGroup(world.calm(), pay('there and back', 'B', 'B'));
    const reverted = await revertGroup(world.calm(), group.id);
    expect(rows('shops', reverted.group.id)).to.deep.equal([
      'ON_HOLD debit @carol 5 B D',
      'DEBIT debit @carol 5 B D',
      'CREDIT credit @external/BRL 5 X XC',
    ]);
    expect(rows('retail', reverted.group.id)).to.deep.equal([
      'CREDIT credit @alice 5 B C',
      'DEBIT debit @external/BRL 5 X XD',
    ]);
  });

  it('follows them only where they are validated', async () => {
    await world.founded('lax', ['@erin']);
    const legs = ['5', ['retail @alice 5 S'], ['lax @erin 5 D']] as const;
    const { group } = await postGroup(world.calm(), routedGroup(ids, 'bridged', legs));
    expect(rows('retail', group.id).at(-1)).to.equal('CREDIT credit @external/BRL 5 X XC');
    expect(rows('lax', group.id)).to.deep.equal([
      'CREDIT credit @erin 5 D -',
      'DEBIT debit @external/BRL 5 - -',
    ]);
  });

  it('held before routes were validated, is committed as it was', async () => {
    await world.founded('later', ['@erin']);
    await world.founded('too', ['@finn']);
    const request = groupOf('5', ['later @erin 5'], ['too @finn 5'], { action: 'hold' });
    const { group } = await postGroup(world.calm(), request);
    await world.strict('later', 'too');
    await commitGroup(world.calm(), group.id);
    expect(rows('too', group.id)).to.deep.equal([
      'DEBIT debit @external/BRL 5 - -',
      'CREDIT credit @finn 5 - -',
    ]);
  });
});

/** The auditor's own arithmetic agrees. */
function expectVerified(world: GroupWorld, place: Place): void {
  const journal = ledgerJournal(at(place).ledgerId);
  const rules = createLedgerRules();
  for (const { type, data, revision } of world.events(journal)) {
    if (revision === 0) rules.open(data, journal);
    expect(rules.apply(type, data), type).to.equal(true);
  }
}
