import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import type { GroupEvent } from '#src/events/ledger/group.ts';
import type { BalanceRecord } from '#src/events/ledger/account.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import {
  emptyLedger,
  hadBalance,
  noRoutes,
  opened,
  standingOf,
  stateOf,
  units,
  type BookedGroup,
  type BookedLedger,
  type BookedOrganization,
  type BookedRoutes,
} from './booked.ts';
import { bookException, bookGrants } from './exception-book.ts';
import { bookGroup, bookPart } from './group-book.ts';
import { assertThat, type Recorded } from './log-oracle.ts';
import { ValueBook } from './value-book.ts';
import { bookTransaction } from './transaction-book.ts';

type Event = LedgerEvent | OrganizationEvent | GroupEvent;

/** The simulator's own bookkeeping, event by event, with none of the program's code. Throws on false money. */
export class Books {
  readonly ledgers = new Map<string, BookedLedger>();
  readonly organizations = new Map<string, BookedOrganization>();
  readonly values: ValueBook;
  readonly groups = new Map<string, BookedGroup>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.values = new ValueBook(nowMs);
  }

  take({ stored, data, metadata }: Recorded): void {
    const event = { type: stored.type, data } as Event;
    const { stream, revision } = stored;
    this.values.take({ stored, data });
    if (event.type === 'MetadataClaimed' || stream.startsWith('settings-')) return;
    switch (event.type) {
      case 'OrganizationCreated': {
        const { id, parentOrganizationId: parent } = event.data.organization;
        const orphan = parent !== null && !this.organizations.has(parent);
        assertThat(!orphan, `${stream} has a parent that is not in the log: ${parent ?? ''}`);
        this.#found(id);
        break;
      }
      case 'LedgerNameReserved': {
        const organization = this.#organization(stream);
        const name = event.data.ledger.name.toLowerCase();
        assertThat(!organization.names.has(name), `${stream}: the name ${name} is taken twice`);
        organization.names.set(name, revision);
        organization.reserved.add(event.data.ledger.id);
        break;
      }
      case 'LedgerNameSettled':
        assertThat(this.ledgers.has(event.data.ledgerId), `${stream}: settled what is not open`);
        this.#organization(stream).settled.add(event.data.ledgerId);
        break;
      case 'LedgerOpened': {
        const { id, organizationId } = event.data.ledger;
        const reserved = this.organizations.get(organizationId)?.reserved.has(id);
        assertThat(reserved === true && revision === 0, `${stream} opened without its name`);
        const { crossLedger, accounting } = event.data.ledger.settings ?? defaultSettings;
        const [crosses, routed] = [crossLedger.enabled, accounting.validateRoutes];
        this.ledgers.set(id, emptyLedger({ id, organizationId, crosses, routed }, stream));
        break;
      }
      case 'AssetCreated': {
        const { assets, assetNames } = this.#ledger(stream);
        const { code, name } = event.data.asset;
        assertThat(
          !assets.has(code) && !assetNames.has(name),
          `${stream}: the asset ${code} twice`,
        );
        assets.set(code, revision);
        assetNames.set(name, revision);
        break;
      }
      case 'OperationRouteCreated': {
        const { id, operationType: type, accountingEntries } = event.data.operationRoute;
        const crosses = accountingEntries?.crossLedger !== undefined;
        this.#routes(stream).operationRoutes.set(id, { type, crosses });
        break;
      }
      case 'TransactionRouteCreated': {
        const { id, operationRoutes } = event.data.transactionRoute;
        const routes = this.#routes(stream);
        const known = operationRoutes.every((one) => routes.operationRoutes.has(one));
        assertThat(known, `${stream}: a transaction route of what is not there`);
        routes.templates.set(id, { revision, bookedMs: this.#nowMs(), operationRoutes });
        break;
      }
      case 'BlockExceptionsGranted':
        bookGrants(this.#ledger(stream), event.data.exceptions, revision);
        break;
      case 'AccountOpened':
        this.#open(stream, revision, event.data);
        break;
      case 'AccountTypeCreated': {
        const { keyValue, defaultDirection = 'credit' } = event.data.accountType;
        const { accountTypes } = this.#ledger(stream);
        assertThat(!accountTypes.has(keyValue), `${stream}: the account type ${keyValue} twice`);
        accountTypes.set(keyValue, defaultDirection);
        break;
      }
      case 'BalanceCreated':
        if (event.data.balance.key === 'default') {
          this.#openAgain(stream, revision, event.data.balance);
        } else this.#openDebt(stream, revision, event.data.balance);
        break;
      case 'BalanceDeleted':
        this.#endBalance(stream, revision, event.data.balance);
        break;
      case 'BalanceUpdated':
        this.#allow(stream, revision, event.data.balance);
        break;
      case 'AccountUpdated':
      case 'AccountClosed':
        this.#stop(stream, revision, event);
        break;
      case 'OrganizationUpdated':
      case 'OrganizationDeleted':
      case 'LedgerRenameReserved':
      case 'LedgerMetadataReserved':
      case 'LedgerMetadataSettled':
      case 'LedgerNameFreed':
      case 'LedgerUpdated':
      case 'LedgerSettingsChanged':
      case 'LedgerClosed':
      case 'AssetUpdated':
      case 'AssetRateCreated':
      case 'AssetRateUpdated':
      case 'AssetDeleted':
      case 'SegmentCreated':
      case 'SegmentUpdated':
      case 'SegmentDeleted':
      case 'PortfolioCreated':
      case 'PortfolioUpdated':
      case 'PortfolioDeleted':
      case 'AccountTypeUpdated':
      case 'AccountTypeDeleted':
      case 'AccountDeleted':
      case 'OperationRouteUpdated':
      case 'OperationRouteDeleted':
      case 'TransactionRouteUpdated':
      case 'TransactionRouteDeleted':
        assertThat(false, `Nobody asked for ${event.type}`);
        break;
      case 'GroupOpened':
      case 'GroupCommitOpened':
      case 'GroupDecided':
      case 'GroupFinished':
        bookGroup(this.groups, this.ledgers, event, revision);
        break;
      case 'GroupPrepared':
      case 'GroupReleased':
        bookException(this.#ledger(stream), event, revision, metadata.recordedAt);
        bookPart(this.groups, this.#ledger(stream), event, revision);
        break;
      default: {
        const ledger = this.#ledger(stream);
        const passing = bookException(ledger, event, revision, metadata.recordedAt);
        bookTransaction(ledger, event, revision, passing);
        if (event.data.transaction.groupId !== undefined) {
          bookPart(this.groups, ledger, event, revision);
        }
      }
    }
  }

  #found(id: string): void {
    assertThat(!this.organizations.has(id), `Organization ${id} was created twice`);
    this.organizations.set(id, {
      id,
      foundedMs: this.#nowMs(),
      names: new Map(),
      reserved: new Set(),
      settled: new Set(),
      routes: noRoutes(),
    });
  }

  #routes(stream: string): BookedRoutes {
    const above = stream.startsWith('organization-');
    return (above ? this.#organization(stream) : this.#ledger(stream)).routes;
  }

  #organization(stream: string): BookedOrganization {
    const found = this.organizations.get(stream.slice('organization-'.length));
    if (found === undefined) throw new Error(`${stream} begins without its organization`);
    return found;
  }

  #ledger(stream: string): BookedLedger {
    const found = this.ledgers.get(stream.slice('ledger-'.length));
    if (found === undefined) throw new Error(`${stream} begins without its ledger`);
    return found;
  }

  /** Once for an account, with nothing owed. */
  #openDebt(stream: string, revision: number, balance: BalanceRecord): void {
    const { alias, key } = balance;
    const account = this.#ledger(stream).accounts.get(alias);
    const first = account !== undefined && account.companion === undefined;
    assertThat(
      key === 'overdraft' && first,
      `${stream}: a balance ${alias}#${key} nobody asked for`,
    );
    if (account === undefined) return;
    assertThat(!account.stops.at(-1)!.closed, `${stream}: a balance of ${alias}, who is closed`);
    account.companion = { standings: [opened(balance, revision)] };
  }

  /** A default balance, after the one before was deleted; its id was never used before, and it may owe nothing. */
  #openAgain(stream: string, revision: number, balance: BalanceRecord): void {
    const account = this.#ledger(stream).accounts.get(balance.alias);
    const what = `${stream} revision ${revision}: ${balance.alias}`;
    if (account === undefined) throw new Error(`${what} is nobody`);
    assertThat(!account.external, `${what} is the world outside, and gets another balance`);
    assertThat(!standingOf(account).live, `${what} has two default balances`);
    assertThat(!hadBalance(account, balance.id), `${what} gets the id of a balance it had`);
    assertThat(!account.stops.at(-1)!.closed, `${what} is closed, and gets a balance`);
    account.standings.push(opened(balance, revision));
    account.allowances.push({ revision, allowed: false, limit: undefined });
  }

  /** Once, and empty; never that of the world outside, nor one that a group is going to pay to. */
  #endBalance(stream: string, revision: number, { id, alias }: BalanceRecord): void {
    const account = this.#ledger(stream).accounts.get(alias);
    const what = `${stream} revision ${revision}: the balance of ${alias}`;
    if (account === undefined) throw new Error(`${what} is nobody's`);
    const before = standingOf(account);
    const { available, onHold, owed } = before;
    assertThat(before.live && before.balanceId === id, `${what} is not there, and is deleted`);
    assertThat(!account.external, `${what} is the world's, and is deleted`);
    const empty = available === 0n && onHold === 0n && owed === 0n;
    const heldDebt = account.companion?.standings.at(-1)?.onHold ?? 0n;
    assertThat(empty && heldDebt === 0n, `${what} is deleted and not empty`);
    assertThat(!this.#awaits(stream, alias), `${what} is deleted and awaits a part of a group`);
    account.standings.push({ ...before, revision, live: false });
  }

  #awaits(stream: string, alias: string): boolean {
    return [...this.#ledger(stream).parts.values()].some(
      (part) => stateOf(part) === 'bound' && part.accounts.has(alias),
    );
  }

  #allow(stream: string, revision: number, { alias, key, settings }: BalanceRecord): void {
    const account = this.#ledger(stream).accounts.get(alias);
    if (account === undefined || key !== 'default') throw new Error(`${stream}: allows ${alias}`);
    const { allowOverdraft: allowed = false, overdraftLimit } = settings ?? {};
    const limit = overdraftLimit === undefined ? undefined : units(overdraftLimit);
    const { owed } = standingOf(account);
    const within = owed === 0n || (allowed && (limit === undefined || owed <= limit));
    assertThat(within, `${stream}: ${alias} owes more than it may from ${revision} on`);
    assertThat(!allowed || account.companion !== undefined, `${stream}: ${alias} owes on nothing`);
    assertThat(!(allowed && account.external), `${stream}: the world outside may owe`);
    account.allowances.push({ revision, allowed, limit });
  }

  #open(
    stream: string,
    revision: number,
    { account, balance }: Extract<Event, { type: 'AccountOpened' }>['data'],
  ): void {
    const ledger = this.#ledger(stream);
    const { id, alias, assetCode } = account;
    assertThat(!ledger.accounts.has(alias), `${stream}: the alias ${alias} twice`);
    assertThat(
      ledger.assets.has(assetCode),
      `${stream}: an account without its asset ${assetCode}`,
    );
    const due = account.type === 'external' ? 'debit' : ledger.accountTypes.get(account.type);
    const begins = balance.direction === (due ?? 'credit');
    assertThat(
      begins,
      `${stream}: ${alias} of type ${account.type} begins as ${balance.direction}`,
    );
    ledger.accounts.set(alias, {
      id,
      alias,
      asset: assetCode,
      external: account.type === 'external',
      openedAt: revision,
      stops: [{ revision, blocked: account.blocked, closed: false }],
      standings: [opened(balance, revision)],
      allowances: [{ revision, allowed: false, limit: undefined }],
    });
  }

  /** Closed once, and empty. */
  #stop(
    stream: string,
    revision: number,
    { type, data: { account } }: Extract<Event, { type: 'AccountUpdated' | 'AccountClosed' }>,
  ): void {
    const known = this.#ledger(stream).accounts.get(account.alias);
    if (known?.id !== account.id)
      throw new Error(`${stream}: changes ${account.alias}, who is not`);
    const before = known.stops.at(-1)!;
    const closed = account.closedAt !== null;
    const what = `${stream} revision ${revision}: ${account.alias}`;
    if (type === 'AccountClosed') {
      const { available, onHold, owed } = standingOf(known);
      assertThat(!before.closed && closed, `${what} is closed, and was ${String(before.closed)}`);
      const empty = available === 0n && onHold === 0n && owed === 0n;
      assertThat(empty, `${what} is closed and not empty`);
      const awaits = this.#awaits(stream, account.alias);
      assertThat(!awaits, `${what} is closed and awaits a part of a group`);
    } else assertThat(before.closed === closed, `${what} is open again`);
    known.stops.push({ revision, blocked: account.blocked, closed });
  }
}
