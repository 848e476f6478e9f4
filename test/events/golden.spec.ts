import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parseData } from '#src/kernel/event-data.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import ts from 'typescript';
import { accessDecider, type AccessState } from '#commands/access/access.ts';
import { groupDecider, type GroupState } from '#commands/ledger/cross-ledger/group.ts';
import type { Ledger } from '#commands/ledger/state/ledger-state.ts';
import { ledgerDecider } from '#commands/ledger/ledger.ts';
import { OpenDebts } from '#commands/ledger/state/open-debts.ts';
import { organizationDecider } from '#commands/ledger/organization.ts';
import type { Organization } from '#commands/ledger/state/organization-state.ts';
import { feesDecider, type FeesState } from '#commands/fees/fees.ts';
import type { Registry } from '#commands/registry/holder-states.ts';
import { registryDecider } from '#commands/registry/registry.ts';
import { settingsDecider, type SettingsState } from '#commands/settings/settings.ts';
import { evolveTenants, noTenants } from '#commands/tenants/tenants.ts';
import { formatAmount } from '#src/kernel/amount.ts';
import type { Decider, DomainEvent } from '#src/kernel/decider.ts';
import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import type { AccessEvent } from '#src/events/access/access.ts';
import type { FeesEvent } from '#src/events/fees/fees.ts';
import type { GroupEvent } from '#src/events/ledger/group.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import type { RegistryEvent } from '#src/events/registry/registry.ts';
import type { SettingsEvent } from '#src/events/settings/settings.ts';
import type { TenantEvent } from '#src/events/tenants/tenants.ts';
import { follows, hashOf } from '#src/kernel/event-hash.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { GENESIS } from '#src/journal/chain.ts';
import { LEDGER, ORGANIZATION, OWN_HOLDER } from '#test/support/ledger-samples.ts';
import { nthId, nthWhole } from '#test/support/stamps.ts';

/**
 * What releases have written, as the log holds it. Entries are never edited: an event type that changes gets
 * another entry, and the old one must go on folding.
 */
type Entry = Readonly<{ type: string; data: string; metadata: string }>;
const golden = JSON.parse(
  readFileSync(new URL('golden.json', import.meta.url), 'utf8'),
) as Readonly<
  Record<
    | 'organization'
    | 'deletedOrganization'
    | 'routedOrganization'
    | 'ledger'
    | 'closedLedger'
    | 'routedLedger'
    | 'ledgerSettings'
    | 'assetRates'
    | 'settings'
    | 'recordsLedger'
    | 'stopped'
    | 'balances'
    | 'groups'
    | 'group'
    | 'streaming'
    | 'fees'
    | 'billing'
    | 'charged'
    | 'feeDebts'
    | 'compact'
    | 'registry'
    | 'instruments'
    | 'closings'
    | 'access'
    | 'keptSession'
    | 'tenants',
    readonly Entry[]
  >
>;

/** Journals of one kind: the first one goes on, the second one, where there is one, has ended; others have more. */
const journals = {
  organization: [golden.organization, golden.deletedOrganization, golden.routedOrganization],
  ledger: [
    golden.ledger,
    golden.closedLedger,
    golden.routedLedger,
    golden.ledgerSettings,
    golden.assetRates,
    golden.recordsLedger,
    golden.stopped,
    golden.balances,
    golden.groups,
    golden.charged,
    golden.feeDebts,
    golden.compact,
  ],
  group: [golden.group],
  settings: [golden.settings],
  streaming: [golden.streaming],
  fees: [golden.fees, golden.billing],
  registry: [golden.registry, golden.instruments, golden.closings],
  access: [golden.access, golden.keptSession],
  tenants: [golden.tenants],
} as const;

/** Where the type of a journal's events is declared. */
const declared = {
  organization: ['src/events/ledger/organization.ts', 'OrganizationEvent'],
  ledger: ['src/events/ledger/ledger.ts', 'LedgerEvent'],
  group: ['src/events/ledger/group.ts', 'GroupEvent'],
  settings: ['src/events/settings/settings.ts', 'SettingsEvent'],
  streaming: ['src/events/streaming/streaming.ts', 'StreamingEvent'],
  fees: ['src/events/fees/fees.ts', 'FeesEvent'],
  registry: ['src/events/registry/registry.ts', 'RegistryEvent'],
  access: ['src/events/access/access.ts', 'AccessEvent'],
  tenants: ['src/events/tenants/tenants.ts', 'TenantEvent'],
} as const;
const whose = {
  organization: 'an organization',
  ledger: 'a ledger',
  group: 'a group',
  settings: 'the settings of a tenant',
  streaming: 'the relay',
  fees: 'the fees of an organization',
  registry: 'the registry of an organization',
  access: 'the access of a tenant',
  tenants: 'tenants',
};

describe('golden events', () => {
  for (const journal of [
    ...(['organization', 'ledger', 'group', 'settings', 'streaming'] as const),
    ...(['fees', 'registry', 'access', 'tenants'] as const),
  ]) {
    describe(`of the journal of ${whose[journal]}`, () => {
      const [file, union] = declared[journal];

      it('have one of every type there is', () => {
        const types = new Set(journals[journal].flat().map(({ type }) => type));
        expect([...types].sort()).to.deep.equal(typesOf(file, union));
      });

      it('are still chained as they were', () => {
        for (const entries of journals[journal]) {
          let previous = GENESIS;
          for (const event of entries) {
            expect(follows(event, previous), event.type).to.equal(true);
            previous = hashOf(event.metadata);
          }
        }
      });

      it('are parsed and written again byte by byte', () => {
        for (const { type, data, metadata } of journals[journal].flat()) {
          expect(JSON.stringify(JSON.parse(data)), type).to.equal(data);
          expect(JSON.stringify(JSON.parse(metadata)), type).to.equal(metadata);
        }
      });
    });
  }

  it('of an organization fold into the same state as ever', () => {
    const { routes: _, ...state } = folded<Organization, OrganizationEvent>(
      organizationDecider,
      golden.organization,
    );
    expect(state).to.deep.equal({
      is: 'live',
      id: ORGANIZATION,
      revision: 3,
      holderId: OWN_HOLDER,
      ledgerNames: new Map([['tiendas', LEDGER]]),
      unsettled: new Set(),
      renames: new Map(),
      shown: new Map([[LEDGER, 7]]),
    });
    const deleted = folded<Organization, OrganizationEvent>(
      organizationDecider,
      golden.deletedOrganization,
    );
    expect(deleted).to.include({ is: 'deleted', revision: 1 });
  });

  it('of routes fold into the same rules as ever', () => {
    const { routes: shared } = folded<Organization, OrganizationEvent>(
      organizationDecider,
      golden.routedOrganization,
    );
    const both = '00000000-0000-7000-9000-000000000001';
    expect(shared.rules()).to.deep.equal({
      operationRoutes: new Map([[both, { id: both, operationType: 'bidirectional', revision: 2 }]]),
      transactionRoutes: new Map(),
    });
    const { routes } = folded<Ledger, LedgerEvent>(ledgerDecider, golden.routedLedger);
    const [payer, payee, payment] = [4, 5, 7].map((n) => `00000000-0000-7000-9000-00000000000${n}`);
    const side = (code: string) => ({ code, description: `Booked as ${code}` });
    const accountingEntries = {
      direct: { debit: side('1.1'), credit: null },
      hold: { debit: side('1.2'), credit: side('1.3') },
      commit: { debit: side('1.3'), credit: null },
      cancel: { debit: side('1.3'), credit: side('1.1') },
      block: { debit: side('1.5'), credit: null },
    };
    const account = { ruleType: 'alias', validIf: '@alice' };
    expect([...routes.rules().operationRoutes.values()]).to.deep.equal([
      { id: payer, operationType: 'source', account, accountingEntries, revision: 4 },
      {
        id: payee,
        operationType: 'destination',
        accountingEntries: {
          direct: { debit: null, credit: { code: '2.1' } },
          commit: { debit: null, credit: {} },
        },
        revision: 2,
      },
    ]);
    expect([...routes.rules().transactionRoutes.values()]).to.deep.equal([
      { id: payment, operationRoutes: [payer, payee, both], revision: 6 },
    ]);
  });

  it('of the settings of a tenant fold into the same state as ever', () => {
    const { indexes } = folded<SettingsState, SettingsEvent>(settingsDecider, golden.settings);
    expect([...indexes.keys()]).to.deep.equal(['transaction/late_since', 'account/tax_id']);
  });

  it('of tenants fold into the same state as ever', () => {
    const state = noTenants();
    for (const { type, data } of golden.tenants) {
      evolveTenants(state, { type, data: parseData(data) } as TenantEvent);
    }
    expect(state.defaultTenant).to.equal('acme');
    expect([...state.byId.values()]).to.deep.equal([
      { id: 'acme', recordedAs: 'default', status: 'active', isUsed: false },
      { id: 'beta', recordedAs: 'beta', status: 'suspended', isUsed: true },
    ]);
  });

  it('of fees fold into the same state as ever', () => {
    const { packages } = folded<FeesState, FeesEvent>(feesDecider, golden.fees.slice(0, 2));
    const [pix, ...others] = packages.all();
    expect(others).to.deep.equal([]);
    expect(pix).to.deep.include({
      revision: 1,
      minimumAmount: '100',
      maximumAmount: '5000',
      waivedAccounts: ['@vip'],
      enable: true,
      metadataSelector: { channel: 'mobile' },
    });
    expect(Object.keys(pix?.fees ?? {})).to.deep.equal(['adm', 'tax']);
    const deleted = folded<FeesState, FeesEvent>(feesDecider, golden.fees);
    expect([...deleted.packages.all()]).to.deep.equal([]);
  });

  it('of billing fold into the same state as ever', () => {
    const both = folded<FeesState, FeesEvent>(feesDecider, golden.billing.slice(0, 2));
    expect([...both.billing.all()].map(({ type, enable }) => [type, enable])).to.deep.equal([
      ['volume', true],
      ['maintenance', true],
    ]);
    const { billing } = folded<FeesState, FeesEvent>(feesDecider, golden.billing);
    const [pix, ...others] = billing.all();
    expect(others).to.deep.equal([]);
    expect(pix).to.deep.include({
      ...{ revision: 2, label: 'Envíos 🪙', enable: false, countMode: 'perRoute' },
      eventFilter: { transactionRoute: 'pix', status: 'APPROVED' },
      discountTiers: [{ minQuantity: 1000, discountPercentage: '5' }],
    });
  });

  it('of a registry fold into the same state as ever', () => {
    const { holders, revoked, instruments, ...state } = folded<Registry, RegistryEvent>(
      registryDecider,
      golden.registry,
    );
    expect(state).to.deep.equal({ began: true, provisioned: true });
    const [deleted, live] = [nthId(3), nthId(6)];
    expect([...holders.values()]).to.deep.equal([
      { id: deleted, is: 'deleted', first: 1, revision: 4 },
      { id: live, is: 'live', first: 8, revision: 8 },
    ]);
    expect([...revoked]).to.deep.equal([nthId(4)]);
    expect([...instruments.all()]).to.deep.equal([]);

    const closing = folded<Registry, RegistryEvent>(registryDecider, golden.closings);
    expect([...closing.holders.values()]).to.deep.equal([
      { id: deleted, is: 'closing', first: 1, revision: 1, closing: 4 },
    ]);

    const linked = folded<Registry, RegistryEvent>(registryDecider, golden.instruments);
    const [holderId, accountId, second] = [nthId(0x100), nthId(0x102), nthId(0x104)];
    expect([...linked.instruments.all()]).to.deep.equal([
      { id: second, holderId, accountId, is: 'live', first: 6, revision: 6 },
    ]);
    expect(linked.instruments.ofAccount(accountId)).to.equal(second);
  });

  it('of access fold into the same state as ever', () => {
    const { users, ended, applications } = folded<AccessState, AccessEvent>(
      accessDecider,
      golden.access,
    );
    const groups = ['admin-group', 'quipu-editor-group'];
    expect([...users.values()]).to.deep.equal([
      { id: nthId(0x201), groups, revision: 4, changeId: nthId(0x204) },
    ]);
    expect([...ended]).to.deep.equal([nthId(0x202), nthId(0x203)]);
    expect([...applications.all()]).to.deep.equal([]);
    const kept = folded<AccessState, AccessEvent>(accessDecider, golden.keptSession);
    expect([...kept.users.values()].map(({ changeId }) => changeId)).to.deep.equal([nthId(0x205)]);
  });

  it('of a ledger fold into the same state as ever', () => {
    const {
      assets,
      book,
      records: _records,
      routes: _routes,
      ...state
    } = folded<Ledger, LedgerEvent>(ledgerDecider, golden.ledger);
    const closed = folded<Ledger, LedgerEvent>(ledgerDecider, golden.closedLedger);
    expect(closed).to.include({ is: 'closed', revision: 1 });
    const { settings } = folded<Ledger, LedgerEvent>(ledgerDecider, golden.ledgerSettings);
    expect(settings).to.deep.equal({
      ...defaultSettings,
      accounting: { validateAccountType: true, validateRoutes: true, requireHolder: false },
      tracer: { mode: 'advisory', failPosture: 'closed', timeoutMs: 90 },
    });
    const id = '00000000-0000-7000-9000-000000000001';
    const asset = { id, code: 'BRL', name: 'Brazilian real', revision: 19 };
    expect([...assets.all()]).to.deep.equal([asset]);
    expect(assets.having('code', 'BRL')).to.equal(assets.get(id as Uuid));
    expect(assets.having('name', 'Brazilian real')).to.equal(assets.get(id as Uuid));
    expect(state).to.deep.equal({
      is: 'live',
      id: LEDGER,
      organizationId: ORGANIZATION,
      holderId: OWN_HOLDER,
      revision: 18,
      named: 5,
      settings: defaultSettings,
      rates: new Map(),
      pending: new Map([['00000000-0000-7000-8000-000001f90000', 16]]),
      parts: new Map(),
      exceptions: new Map(),
      debts: new OpenDebts(),
    });

    const { rates } = folded<Ledger, LedgerEvent>(ledgerDecider, golden.assetRates);
    expect(rates).to.deep.equal(new Map([['USD/BRL', 2]]));

    const accounts = [...book.accounts()].map(
      ({ alias, external, blocked, revision, balances }) => {
        const moved = balances.map(({ key, direction, available, onHold, version, ...may }) =>
          [
            key,
            direction,
            formatAmount(available),
            formatAmount(onHold),
            version,
            ...(may.allowReceiving ? [] : ['sends only']),
          ].join(' '),
        );
        return [alias, external, blocked, revision, ...moved];
      },
    );
    const unit = `${'0'.repeat(29)}1`;
    expect(accounts).to.deep.equal([
      ['@external/BRL', true, false, 2, `default debit 274.925${unit.slice(3)} 0 2`],
      ['@alice', false, false, 21, `default credit 199.65${unit.slice(2)} 0.25 8 sends only`],
      [nthWhole(3), false, false, 4, 'default credit 75.025 0 3'],
      ['@saver', false, false, 28, 'default credit 0 0 0'],
      ['@savings', false, false, 29],
    ]);
  });

  it('of a ledger whose account was blocked and closed fold into the same state as ever', () => {
    const { book, exceptions } = folded<Ledger, LedgerEvent>(ledgerDecider, golden.stopped);
    expect(book.account('@alice')).to.include({ blocked: true, closed: true });
    const left = Array.from(exceptions.values(), ({ accountId, amount, expiresAt }) => {
      return [accountId, formatAmount(amount), expiresAt];
    });
    expect(left).to.deep.equal([[nthWhole(2), '7', '2026-11-22T08:01:06.000000Z']]);
  });

  it('of a ledger that has records fold into the same state as ever', () => {
    const { records } = folded<Ledger, LedgerEvent>(ledgerDecider, golden.recordsLedger);
    expect([...records.segments.all()]).to.deep.equal([
      { id: nthId(2), name: 'Hogares', revision: 2 },
    ]);
    expect([...records.portfolios.all()]).to.deep.equal([
      { id: nthId(8), entityId: 'C-18', revision: 6 },
    ]);
    expect([...records.accountTypes.all()]).to.deep.equal([
      { id: nthId(14), keyValue: 'savings', direction: 'debit', revision: 10 },
    ]);
  });

  it('of groups fold into the same state as ever', () => {
    const { book, parts, pending } = folded<Ledger, LedgerEvent>(ledgerDecider, golden.groups);
    const standing = ['@carol', '@dora', '@external/BRL'].map((alias) => {
      const { available, onHold } = book.account(alias)!.balances[0]!;
      return `${formatAmount(available)} ${formatAmount(onHold)}`;
    });
    expect(standing).to.deep.equal(['139.5 0', '86 2', '227.5 0']);
    expect([parts.size, pending.size]).to.deep.equal([0, 1]);
    const group = folded<GroupState, GroupEvent>(groupDecider, golden.group);
    expect(group.last?.data.group).to.include({ status: 'POSTED', action: 'hold' });
  });

  it('that are compact are the same records and fold into the same state as ever', () => {
    const { compact } = golden;
    const state = folded<Ledger, LedgerEvent>(ledgerDecider, compact);
    const fromText = ledgerDecider.initialState();
    for (const [revision, { type, data }] of compact.entries()) {
      if (ledgerDecider.evolveText?.(fromText, type, data) === true) continue;
      ledgerDecider.evolve(fromText, { type, data: parseData(data) } as LedgerEvent, revision);
    }
    expect(fromText).to.deep.equal(state);
    const standing = ['@alice', '@bob', '@carol'].map((alias) => {
      const { available, onHold, version } = state.book.account(alias)!.balances[0]!;
      return `${formatAmount(available)} ${formatAmount(onHold)} ${version}`;
    });
    expect(standing).to.deep.equal(['473.25 7 7', '14.375 0 4', '5.375 0 2']);

    const versions = compact.flatMap(({ type, metadata }) =>
      type === 'TransactionPosted' ? (JSON.parse(metadata) as EventMetadata).schemaVersion : [],
    );
    expect(versions).to.deep.equal([2, 2, 2, 2, 1, 2]);
    const records = compact.map(({ data }) => JSON.stringify(parseData(data))).join('\n');
    expect(hash('sha256', records)).to.equal(
      '8d0d2a3eb5e86dc53398ece4eec387910d4f16a56a42979dc17da217a0bfc464',
    );
    expect(JSON.stringify(parseData(compact[9]!.data))).to.equal(
      '{"transaction":{"id":"00000000-0000-7000-8000-000000040000","organizationId":"01' +
        '234567-89ab-7af3-8a1b-b312bf840000","ledgerId":"01234567-89ab-7fe1-8401-0b4fe833' +
        '0000","status":"APPROVED","amount":"2","assetCode":"BRL","source":["@bob"],"dest' +
        'ination":["@alice"],"operations":[{"id":"00000000-0000-7000-8000-000000040001","' +
        'type":"CREDIT","direction":"credit","origin":"request","amount":"2","accountId":' +
        '"01234567-89ab-78f2-8943-6743de6c0000","accountAlias":"@alice","balanceId":"0123' +
        '4567-89ab-78f2-8943-6743de6c0001","balanceKey":"default","balance":{"available":' +
        '"486.25","onHold":"0","version":3,"overdraftUsed":"0"},"balanceAfter":{"availabl' +
        'e":"488.25","onHold":"0","version":4,"overdraftUsed":"0"},"description":"d","rou' +
        'te":"r","metadata":{"n":1}},{"id":"00000000-0000-7000-8000-000000040002","type":' +
        '"DEBIT","direction":"debit","origin":"request","amount":"2","accountId":"0123456' +
        '7-89ab-7b3d-833b-0946b5c20000","accountAlias":"@bob","balanceId":"01234567-89ab-' +
        '7b3d-833b-0946b5c20001","balanceKey":"default","balance":{"available":"13.375","' +
        'onHold":"0","version":2,"overdraftUsed":"0"},"balanceAfter":{"available":"11.375' +
        '","onHold":"0","version":3,"overdraftUsed":"0"}}],"createdAt":"2026-01-05T10:00:' +
        '09.000000Z","updatedAt":"2026-01-05T10:00:09.000000Z"}}',
    );
  });

  it('of further balances and overdraft fold into the same state as ever', () => {
    const { book } = folded<Ledger, LedgerEvent>(ledgerDecider, golden.balances);
    const shown = (alias: string) => {
      const { parts, balances } = book.account(alias) ?? {};
      const each = balances?.map(({ key, available, onHold, overdraftUsed, overdraft }) => {
        const limit = overdraft && (overdraft.limit ? formatAmount(overdraft.limit) : 'any');
        const amounts = [available, onHold, overdraftUsed].map(formatAmount).join('/');
        return `${key} ${amounts} ${limit ?? 'none'}`;
      });
      return [parts, ...(each ?? [])];
    };
    expect(shown('@alice')).to.deep.equal([3, 'default 0/0/16 70', 'overdraft 16/0/0 none']);
    expect(shown('@bob')).to.deep.equal([
      3,
      'default 117.5/0/0 none',
      'credit 0/0/1 any',
      'overdraft 1/0/0 none',
    ]);
  });
});

function folded<State, Event extends DomainEvent>(
  decider: Decider<State, never, Event>,
  entries: readonly Entry[],
): State {
  const state = decider.initialState();
  for (const [revision, { type, data }] of entries.entries()) {
    decider.evolve(state, { type, data: parseData(data) } as Event, revision);
  }
  return state;
}

/** The types of a union of events, as the compiler reads them, so that a new one is missed here at once. */
function typesOf(file: string, union: string): string[] {
  const program = ts.createProgram([file], { lib: ['lib.es5.d.ts'], types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = module && checker.getExportsOfModule(module).find(({ name }) => name === union);
  if (symbol === undefined) throw new Error(`${file} exports no ${union}`);
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  return (type.isUnion() ? type.types : [type])
    .map((member) => {
      const name = member.getProperty('type');
      const literal = name && checker.getTypeOfSymbol(name);
      if (!literal?.isStringLiteral()) throw new Error(`${union} has a member without a type`);
      return literal.value;
    })
    .sort();
}
