import { settingsOf } from '#commands/ledger/balance/settings.ts';
import { journalOfOrganization } from '#commands/ledger/journals.ts';
import { journalOfSettings } from '#commands/settings/settings.ts';
import { createIds } from '#src/adapters/system.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import { standingOf, type BookedAccount, type BookedLedger } from './booked.ts';
import type { Books } from './books.ts';
import { ALIASES, ASSETS, HELD, inLedger, KEY, orgOf, VALUES } from './fixtures.ts';
import type { CommandWish } from './request.ts';
import { feeCommand } from './fee-commands.ts';
import { holderThrong, holderWish } from './holder-commands.ts';
import { createGroupCommands } from './group-commands.ts';
import { routeCommand, sharedRouteCommand } from './route-commands.ts';
import { streamWish } from './stream-commands.ts';
import { createTransactionCommands } from './transaction-commands.ts';
import type { World } from './world.ts';

export type Commands = Readonly<{
  any: () => CommandWish;
  /** Several about the same transaction. */
  throng: () => readonly CommandWish[];
}>;

/** Thinks up what clients want, from what there is: often what cannot be had. */
export function createCommands({ random, simFaults, streams }: World, books: Books): Commands {
  const ids = createIds(simFaults.clock, random.fill);
  const minted: Uuid[] = [];

  const any = (): CommandWish => {
    const ledgers = [...books.ledgers.values()];
    const organizations = [...books.organizations.keys()] as Uuid[];
    if (organizations.length === 0) return organization();
    const poor = ledgers.length === 0 ? 20 : ledgers.length < LEDGERS_MAX ? 1.5 : 0.3;
    const chosen = ledgers.length > 0 ? random.pick(ledgers) : undefined;
    const packages = chosen ? books.fees.packagesOf(chosen.organizationId, chosen.id) : [];
    /** Where groups of a ledger that validates routes find theirs. */
    const above =
      chosen?.routed === true && chosen.crosses
        ? books.organizations.get(chosen.organizationId)?.routes
        : undefined;
    const kind = random.weighted({
      organization: organizations.length < ORGANIZATIONS_MAX ? 1 : 0.2,
      ledger: poor,
      asset: (chosen?.assets.size ?? 0) < ASSETS.length ? 10 : 1,
      account: (chosen?.accounts.size ?? 0) < ACCOUNTS_MAX ? 30 : 1,
      'account type': chosen?.accountTypes.size === 0 ? 5 : 0.2,
      allowance: (chosen?.accounts.size ?? 0) > 0 ? 3 : 0,
      balance: (chosen?.accounts.size ?? 0) > 0 ? 3 : 0,
      stop: (chosen?.accounts.size ?? 0) > 0 ? 5 : 0,
      grant: (chosen?.accounts.size ?? 0) > 0 ? 4 : 0,
      route: chosen?.routed === true ? (chosen.routes.templates.size < 2 ? 25 : 0.5) : 0,
      'shared route': above === undefined ? 0 : above.templates.size < 3 ? 25 : 0.5,
      package: (chosen?.accounts.size ?? 0) > 2 ? (packages.length === 0 ? 20 : 5) : 0,
      transaction: 40,
      holder: 5,
      stream: streams ? 8 : 0,
      index: (chosen?.accounts.size ?? 0) > 0 ? 3 : 0,
      group: ledgers.length > 1 ? 20 : 0,
    });
    if (kind === 'organization') return organization();
    if (kind === 'stream') return streamWish(random, books.streams);
    if (kind === 'holder') {
      const id = random.pick(organizations);
      return holderWish(random, id, books.holders.of(id));
    }
    if (kind === 'ledger' || chosen === undefined) return ledger(random.pick(organizations));
    if (kind === 'asset') return asset(chosen);
    if (kind === 'group') return groups.any();
    if (kind === 'account type') return accountType(chosen);
    if (kind === 'allowance') return allowance(chosen);
    if (kind === 'balance') return balance(chosen);
    if (kind === 'stop') return stop(chosen);
    if (kind === 'index') return index();
    if (kind === 'grant') return grant(chosen);
    if (kind === 'package') {
      return feeCommand(random, chosen, packages);
    }
    if (kind === 'route') return routeCommand(random, chosen);
    if (kind === 'shared route') return sharedRouteCommand(random, orgOf(chosen), above!);
    return kind === 'account' ? account(chosen) : transactions.any(chosen);
  };

  const throng = (): readonly CommandWish[] => {
    const ledgers = [...books.ledgers.values()];
    const organizations = [...books.organizations.keys()] as Uuid[];
    if (organizations.length > 0 && random.oneIn(10)) {
      const id = random.pick(organizations);
      return holderThrong(random, id, books.holders.of(id));
    }
    if (books.groups.size > 0 && random.oneIn(3)) return groups.throng();
    return ledgers.length === 0 ? [any()] : transactions.throng(random.pick(ledgers));
  };

  const organization = (): CommandWish => {
    const id = ids.next();
    const parent = minted.length > 0 && random.oneIn(2) ? random.pick(minted) : null;
    minted.push(id);
    const fields = {
      id,
      parentOrganizationId: parent,
      legalName: `Organization ${minted.length}`,
      doingBusinessAs: null,
      legalDocument: '0',
      address: { line1: '', line2: null, zipCode: '', city: '', state: '', country: 'DE' },
      status: ACTIVE,
    };
    const holderId = ids.named(id, 'holder');
    const command = { type: 'CreateOrganization', organization: fields, holderId } as const;
    return { kind: 'organization', journal: journalOf(id), command: () => command };
  };

  const ledger = (organizationId: Uuid): CommandWish => {
    const name = `Ledger ${random.pick(['A', 'a', 'B', 'C', 'D'])}`;
    const validateRoutes = random.oneIn(3);
    const allowFeeSkip = !random.oneIn(3);
    const settings = {
      ...defaultSettings,
      accounting: { ...defaultSettings.accounting, validateRoutes },
      crossLedger: { enabled: !random.oneIn(8) },
      overrides: { ...defaultSettings.overrides, allowFeeSkip },
    };
    return {
      kind: 'ledger',
      journal: journalOf(organizationId),
      command: (process) => ({
        type: 'ReserveLedgerName',
        ledger: { id: process.ids.next(), organizationId, name, status: ACTIVE, settings },
      }),
    };
  };

  const asset = (of: BookedLedger): CommandWish => {
    const code = random.pick(ASSETS);
    const fields = { name: `Asset ${code}`, type: 'crypto', code, status: ACTIVE };
    return inLedger('asset', of, { type: 'CreateAsset', organizationId: orgOf(of), fields });
  };

  const account = (of: BookedLedger): CommandWish => {
    const alias = random.oneIn(12) ? undefined : random.pick(ALIASES);
    const fields = {
      assetCode: random.pick(ASSETS),
      type: random.oneIn(3) ? LOANS.keyValue : 'deposit',
      status: ACTIVE,
      blocked: false,
      skipHolder: false,
      alias,
      ...(random.oneIn(2) && { metadata: { [KEY]: random.pick(VALUES) } }),
    };
    return inLedger('account', of, { type: 'CreateAccount', organizationId: orgOf(of), fields });
  };

  /** Of accounts that begin with a debit balance. */
  const accountType = (of: BookedLedger): CommandWish => {
    const fields = { name: 'Loans', ...LOANS };
    const command = { type: 'CreateAccountType', organizationId: orgOf(of), fields } as const;
    return inLedger('account type', of, command);
  };

  /** An end of somebody's default balance, mostly of one that is empty; or a new one, mostly where there is none. */
  const balance = (of: BookedLedger): CommandWish => {
    const all = [...of.accounts.values()];
    const empty = all.filter((account) => {
      const { live, available, onHold, owed } = standingOf(account);
      return live && available === 0n && onHold === 0n && owed === 0n;
    });
    const bare = all.filter((account) => !standingOf(account).live);
    const pick = (some: readonly BookedAccount[]): BookedAccount =>
      random.pick(some.length > 0 && !random.oneIn(4) ? some : all);
    if (bare.length > 0 && !random.oneIn(3)) {
      const direction = random.pick(['credit', 'credit', 'debit'] as const);
      return inLedger('balance', of, {
        ...{ type: 'CreateBalance', organizationId: orgOf(of) },
        accountId: pick(bare).id as Uuid,
        fields: { key: 'default', allowSending: true, allowReceiving: true, direction },
      });
    }
    return inLedger('balance', of, {
      ...{ type: 'DeleteBalance', organizationId: orgOf(of) },
      balanceId: standingOf(pick(empty)).balanceId as Uuid,
    });
  };

  /** An overdraft for somebody: with or without a limit, or none any more. */
  const allowance = (of: BookedLedger): CommandWish => {
    const { balanceId } = standingOf(random.pick([...of.accounts.values()]));
    const limit = random.pick(['any', 'none', 25, 60]);
    const limited =
      typeof limit === 'number'
        ? { overdraftLimitEnabled: true, overdraftLimit: String(limit) }
        : {};
    const settings = settingsOf({ allowOverdraft: limit !== 'none', ...limited });
    return inLedger('allowance', of, {
      type: 'UpdateBalance',
      organizationId: orgOf(of),
      balanceId: balanceId as Uuid,
      changes: { settings },
    });
  };

  /** Blocked or not any more; seldom closed, which is for ever. */
  const stop = (of: BookedLedger): CommandWish => {
    const own = [...of.accounts.values()].filter(({ external }) => !external);
    if (own.length === 0) return account(of);
    const common = { organizationId: orgOf(of), accountId: random.pick(own).id as Uuid };
    if (random.oneIn(12)) return inLedger('closing', of, { type: 'CloseAccount', ...common });
    const changes = { blocked: random.oneIn(3) };
    return inLedger('block', of, { type: 'UpdateAccount', ...common, changes });
  };

  /** Values of one kind of records are to be unique; or not any more. */
  const index = (): CommandWish => {
    const [entityName, metadataKey] = [random.pick(HELD), KEY];
    const fields = { entityName, metadataKey, unique: true, sparse: true };
    const command = random.oneIn(3)
      ? ({ type: 'DeleteMetadataIndex', entityName, metadataKey } as const)
      : ({ type: 'CreateMetadataIndex', fields } as const);
    const { name } = journalOfSettings('default');
    return { kind: 'index', journal: { name }, command: () => command };
  };

  /** One debit, or several, that a block does not stop; mostly for somebody who is blocked. */
  const grant = (of: BookedLedger): CommandWish => {
    const own = [...of.accounts.values()].filter(({ external }) => !external);
    const blocked = own.filter(({ stops }) => stops.at(-1)?.blocked);
    const from = blocked.length > 0 && !random.oneIn(4) ? blocked : own;
    if (from.length === 0) return account(of);
    const exceptions = Array.from({ length: 1 + random.below(2) }, () => ({
      accountAlias: random.pick(from).alias,
      amount: String(1 + random.below(20)),
      ttl: random.pick([1, 30, 300]),
    }));
    const organizationId = orgOf(of);
    return inLedger('grant', of, { type: 'GrantBlockExceptions', organizationId, exceptions });
  };

  const groups = createGroupCommands(random, books, () => ids.nextWhole());
  const transactions = createTransactionCommands(random, () => ids.nextWhole());
  return { any, throng };
}

const journalOf = (id: Uuid): CommandWish['journal'] => ({ name: journalOfOrganization(id).name });

const LOANS = { keyValue: 'loans', defaultDirection: 'debit' } as const;
const ACTIVE = { code: 'ACTIVE', description: null };
const ORGANIZATIONS_MAX = 3;
const LEDGERS_MAX = 3;
const ACCOUNTS_MAX = 8;
