import { expect } from 'chai';
import { flatBodyLocations, sendBodyLocations } from '#commands/ledger/api/locations.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import type { JournalFact } from '#src/kernel/decider.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import { valueName, type SettingsFact } from '#src/kernel/unique-values.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import { specFor } from '#test/support/decider-spec.ts';
import {
  accountOpened,
  createAccount,
  idOf,
  leg,
  ledgerOpened,
  ledgerWith,
  ORGANIZATION,
  postTransaction,
} from '#test/support/ledger-samples.ts';

const { given } = specFor(ledgerDecider);

/** What the settings of the tenant say must be unique: the key `code`, of these kinds. */
const unique = (
  ...entities: readonly string[]
): Readonly<{ settings: JournalFact & SettingsFact }> => ({
  settings: {
    live: true,
    revision: 0,
    unique: new Map(entities.map((entity) => [entity, new Set(['code'])])),
  },
});
const claiming = (event: LedgerEvent, ...names: readonly [string, string][]): LedgerEvent =>
  ({ ...event, claims: names.map(([kind, text]) => valueName(kind, 'code', text)) }) as never;
const having = (alias: string, code: string): LedgerEvent =>
  claiming(accountOpened({ alias, metadata: { code } }), ['account', code]);
const idIn = (event: LedgerEvent | undefined): Uuid =>
  (event?.data as { transaction: { id: Uuid } }).transaction.id;

describe('values that must be unique', () => {
  const start = ledgerWith('BRL', '@alice', '@bob');
  const account = (code: unknown) => createAccount({ metadata: { code } as never });
  const pay = (more: object = {}) =>
    postTransaction({ from: '@external/BRL', to: '@alice', amount: '1', ...more });

  it('are claimed by what a command says, beside the image', () => {
    const [event] = given(...start)
      .when(account('a'), unique('account'))
      .happened();
    expect(event).to.have.property('claims').that.deep.equals(['account/code/a']);
    expect(event?.data).to.not.have.property('claims');
  });

  it('are claimed for no other key, no other kind, and nothing that is no scalar', () => {
    const other = createAccount({ metadata: { codes: 'a', Code: 'a' } });
    const nested = pay({ metadata: { code: { a: 1 } } });
    for (const command of [other, nested, pay({ metadata: { code: 'a' } })]) {
      const [event] = given(...start)
        .when(command, unique('account', ...(command === nested ? ['transaction'] : [])))
        .happened();
      expect(event).to.not.have.property('claims');
    }
    const [unheld] = given(...start, having('@carol', 'a'))
      .when(account('a'))
      .happened();
    expect(unheld).to.not.have.property('claims');
  });

  it('are found wanting with the place of the value', () => {
    const refusal = given(...start, having('@carol', 'a'))
      .when(account('a'), unique('account'))
      .thenRefused('INDEX_CONFLICT');
    expect(refusal.details.findings).to.deep.equal([
      { location: 'metadata.code', message: 'is taken', value: 'a' },
    ]);
  });

  it('are asked for only after everything else is right', () => {
    given(...start, having('@carol', 'a'))
      .when(createAccount({ assetCode: 'XYZ', metadata: { code: 'a' } }), unique('account'))
      .thenRefused('ASSET_NOT_FOUND');
  });

  it('are told apart among the legs and items of one request', () => {
    const code = { metadata: { code: 'a' } };
    const legs = pay({
      from: [leg('@external/BRL', 'BRL', code)],
      to: [leg('@alice', 'BRL', code)],
    });
    const refusal = given(...start)
      .when(legs, unique('operation'))
      .thenRefused('INDEX_CONFLICT');
    expect(refusal.details.findings?.[0]?.location).to.equal('send.distribute.to[0].metadata.code');
    const requests = [pay(code), pay(), pay(code)].map(({ request }) => request);
    const batch = {
      type: 'PostTransactions',
      organizationId: ORGANIZATION,
      requests,
      items: { list: 'transactions', places: [4, 5, 9] },
      locations: sendBodyLocations,
    } as const;
    const second = given(...start)
      .when(batch, unique('transaction'))
      .thenRefused('INDEX_CONFLICT');
    expect(second.details.findings?.[0]?.location).to.equal('transactions[9].metadata.code');
    const events = given(...start)
      .when({ ...batch, requests: requests.slice(1) }, unique('transaction'))
      .happened();
    expect(events.map((event) => 'claims' in event)).to.deep.equal([false, true]);
  });

  describe('in a part of a group', () => {
    const shared = { ...defaultSettings, crossLedger: { enabled: true } };
    const [, ...records] = start;
    const ledger = [ledgerOpened({ settings: shared }), ...records];
    const group = { id: idOf('group'), action: 'direct', reach: 'one organization' } as const;
    const named = { debit: new Set<Uuid>(), credit: new Set<Uuid>() };
    const siblings = { named, crosses: false };
    const part = (transactionId: Uuid, id = group.id): LedgerCommand => {
      const side = (direction: 'debit' | 'credit', alias: string) =>
        ({
          direction,
          alias,
          key: 'default',
          amount: 1n,
          leg: { accountAlias: alias },
          origin: 'request',
        }) as never;
      const postings = [side('debit', '@external/BRL'), side('credit', '@alice')];
      const common = { organizationId: ORGANIZATION, ledgerId: idOf('ledger'), asset: 'BRL' };
      const said = { details: { metadata: { code: 'g' } }, locations: flatBodyLocations };
      return {
        type: 'PrepareGroupPart',
        organizationId: ORGANIZATION,
        group: { ...group, id, siblings },
        transactionId,
        part: { ...common, value: 1n as never, bridge: 0n as never, postings, ...said },
      };
    };
    const one = idOf('transaction one');
    const step = (type: 'PostGroupPart' | 'CancelGroupPart'): LedgerCommand => ({
      type,
      organizationId: ORGANIZATION,
      groupId: group.id,
      transactionId: one,
      bridge: 0n as never,
    });
    const prepared = given(...ledger)
      .when(part(one), unique('transaction'))
      .happened();

    it('are held while it is prepared, and once it is posted, but not when it is given up', () => {
      expect(prepared.map(({ type }) => type)).to.deep.equal(['GroupPrepared']);
      const again = pay({ metadata: { code: 'g' } });
      given(...ledger, ...prepared)
        .when(again, unique('transaction'))
        .thenRefused('INDEX_CONFLICT');
      given(...ledger, ...prepared)
        .when(
          { ...part(idOf('two'), idOf('other group')), type: 'CheckGroupPart' } as never,
          unique('transaction'),
        )
        .thenRefused('INDEX_CONFLICT');
      given(...ledger, ...prepared)
        .after(step('PostGroupPart'))
        .when(again, unique('transaction'))
        .thenRefused('INDEX_CONFLICT');
      const [taken] = given(...ledger, ...prepared)
        .after(step('CancelGroupPart'))
        .when(again, unique('transaction'))
        .happened();
      expect(taken).to.have.property('claims');
    });

    it('are claimed for it when the index is made meanwhile', () => {
      const [event] = prepared;
      const { claims: _, ...unclaimed } = event as LedgerEvent & { claims?: unknown };
      const at = ledger.length;
      const record = { id: idIn(event), at, texts: ['g'] };
      const claim: LedgerCommand = {
        type: 'ClaimMetadata',
        entity: 'transaction',
        key: 'code',
        records: [record],
      };
      given(...ledger, unclaimed)
        .after(claim)
        .when(pay({ metadata: { code: 'g' } }), unique('transaction'))
        .thenRefused('INDEX_CONFLICT');
    });
  });

  it('are claimed once for what was there, and not for what is gone or said otherwise now', () => {
    const claim = (...records: readonly { id: Uuid; at: number; texts: readonly string[] }[]) =>
      ({ type: 'ClaimMetadata', entity: 'account', key: 'code', records }) as const;
    const open = (alias: string, code: string) => accountOpened({ alias, metadata: { code } });
    const id = (event: LedgerEvent): Uuid => (event.data as { account: { id: Uuid } }).account.id;
    const [carol, dora] = [open('@carol', 'a'), open('@dora', 'b')];
    const at = start.length;
    const seen = { id: id(carol), at, texts: ['a'] };
    given(...start, carol, dora)
      .when(claim(seen, { id: idOf('nobody'), at, texts: ['z'] }))
      .then(
        claiming(
          {
            type: 'MetadataClaimed',
            data: {
              entityName: 'account',
              metadataKey: 'code',
              records: [{ id: id(carol), at, names: [valueName('account', 'code', 'a')] }],
            },
          },
          ['account', 'a'],
        ),
      );
    const [stale] = given(...start, carol, dora)
      .when(claim({ ...seen, at: 1 }, { id: id(dora), at: at + 1, texts: ['b'] }))
      .happened();
    expect(stale).to.have.property('claims').that.deep.equals(['account/code/a', 'account/code/b']);
    given(...start, carol, open('@dora', 'a'))
      .when(claim(seen, { id: id(dora), at: at + 1, texts: ['a'] }))
      .thenRefused('INDEX_CONFLICT');
    given(...start, carol)
      .when(claim())
      .thenNothing();
    expect(
      given(...start)
        .when({ ...claim(), fence: true })
        .happened(),
    ).to.have.length(1);
  });
});
