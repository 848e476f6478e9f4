import type { AccountRecord, BalanceRecord } from '#src/events/ledger/account.ts';
import type { GroupEvent, GroupPartEvent } from '#src/events/ledger/group.ts';
import { defaultSettings } from '#src/events/ledger/ledger-settings.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { OrganizationEvent } from '#src/events/ledger/organization.ts';
import type { TransactionEvent } from '#src/events/ledger/transaction.ts';
import {
  emptyLedger,
  isDebt,
  noRoutes,
  opened,
  standingOf,
  units,
  type BookedAccount,
  type BookedGroup,
  type BookedLedger,
  type BookedOrganization,
  type BookedRoutes,
} from './booked.ts';
import { HolderBooks } from './holder-books.ts';
import { FeeBooks } from './fee-books.ts';
import { checkGroupStatus, partStateAfter } from './group-oracle.ts';
import { assertThat, type Recorded } from './log-oracle.ts';
import type { StreamBooks } from './stream-books.ts';
import { UniqueValues } from './unique-values.ts';

type Event = LedgerEvent | OrganizationEvent | GroupEvent;

/**
 * Keeps the records that the log shows, for clients to choose from and for reads to be compared with, and checks what the
 * auditor cannot see in one journal alone: names, parents, unique values, and the parts of groups.
 */
export class Books {
  readonly ledgers = new Map<string, BookedLedger>();
  readonly organizations = new Map<string, BookedOrganization>();
  readonly values = new UniqueValues();
  readonly groups = new Map<string, BookedGroup>();
  readonly fees: FeeBooks;

  readonly holders: HolderBooks;
  readonly streams: StreamBooks;

  constructor(fees: FeeBooks, holders: HolderBooks, streams: StreamBooks) {
    this.fees = fees;
    this.holders = holders;
    this.streams = streams;
  }

  take(recorded: Recorded): void {
    const { stored, data } = recorded;
    this.fees.take(recorded);
    this.holders.take(recorded);
    this.streams.take(recorded);
    const event = { type: stored.type, data } as Event;
    const { stream, revision } = stored;
    this.values.take({ stored, data });
    if (event.type === 'MetadataClaimed' || stream.startsWith('settings-')) return;
    if (stream.startsWith('streaming-')) return;
    switch (event.type) {
      case 'OrganizationCreated': {
        const { id, parentOrganizationId: parent } = event.data.organization;
        const orphan = parent !== null && !this.organizations.has(parent);
        assertThat(!orphan, `${stream} has a parent that is not in the log: ${parent ?? ''}`);
        const empty = { reserved: new Set<string>(), settled: new Set<string>() };
        this.organizations.set(id, { id, ...empty, routes: noRoutes() });
        break;
      }
      case 'LedgerNameReserved':
        this.#organization(stream).reserved.add(event.data.ledger.id);
        break;
      case 'LedgerNameSettled':
        assertThat(this.ledgers.has(event.data.ledgerId), `${stream}: settled what is not open`);
        this.#organization(stream).settled.add(event.data.ledgerId);
        break;
      case 'LedgerOpened': {
        const { id, organizationId, settings = defaultSettings } = event.data.ledger;
        const reserved = this.organizations.get(organizationId)?.reserved.has(id);
        assertThat(reserved === true, `${stream} opened without its name`);
        const crosses = settings.crossLedger.enabled;
        const routed = settings.accounting.validateRoutes;
        const own = { id, organizationId, journal: stream, crosses, routed };
        this.ledgers.set(id, emptyLedger(own));
        break;
      }
      case 'AssetCreated':
        this.#ledger(stream).assets.add(event.data.asset.code);
        break;
      case 'AccountTypeCreated':
        this.#ledger(stream).accountTypes.add(event.data.accountType.keyValue);
        break;
      case 'OperationRouteCreated': {
        const { id, operationType: type, accountingEntries } = event.data.operationRoute;
        const crosses = accountingEntries?.crossLedger !== undefined;
        this.#routes(stream).operationRoutes.set(id, { type, crosses });
        break;
      }
      case 'TransactionRouteCreated': {
        const { id, operationRoutes } = event.data.transactionRoute;
        this.#routes(stream).templates.set(id, { operationRoutes });
        break;
      }
      case 'BlockExceptionsGranted':
        for (const { id, accountAlias: alias, amount } of event.data.exceptions) {
          this.#ledger(stream).exceptions.set(id, { id, alias, amount: units(amount) });
        }
        break;
      case 'AccountOpened':
        this.#open(stream, revision, event.data);
        break;
      case 'BalanceCreated':
        this.#standings(stream, event.data.balance).push(opened(event.data.balance));
        break;
      case 'BalanceDeleted': {
        const account = this.#account(stream, event.data.balance);
        account.standings.push({ ...standingOf(account), live: false });
        break;
      }
      case 'AccountUpdated':
      case 'AccountClosed': {
        const { alias, blocked, closedAt } = event.data.account;
        const { stops } = this.#account(stream, { alias });
        stops.push({ revision, blocked, closed: closedAt !== null });
        break;
      }
      case 'GroupOpened':
      case 'GroupCommitOpened':
      case 'GroupDecided':
      case 'GroupFinished': {
        const { group } = event.data;
        checkGroupStatus(group, this.ledgers);
        this.groups.set(group.id, { id: group.id, record: group });
        break;
      }
      case 'GroupPrepared':
      case 'GroupReleased':
        this.#bookPart(stream, event, revision);
        break;
      case 'TransactionPosted':
      case 'TransactionHeld':
      case 'TransactionNoted':
      case 'TransactionCommitted':
      case 'TransactionCanceled':
      case 'TransactionUpdated':
      case 'OperationUpdated':
        this.#bookPart(stream, event, revision);
        this.#book(stream, event, revision);
        break;
      default: // Other records are in no client's way.
    }
  }

  #routes(stream: string): BookedRoutes {
    const above = stream.startsWith('organization-');
    return (above ? this.#organization(stream) : this.#ledger(stream)).routes;
  }

  #organization(stream: string): BookedOrganization {
    return found(this.organizations, stream.slice('organization-'.length), stream);
  }

  #ledger(stream: string): BookedLedger {
    return found(this.ledgers, stream.slice('ledger-'.length), stream);
  }

  #account(stream: string, { alias }: Readonly<{ alias: string }>): BookedAccount {
    return found(this.#ledger(stream).accounts, alias, stream);
  }

  #standings(stream: string, { alias, key }: Pick<BalanceRecord, 'alias' | 'key'>) {
    const account = this.#account(stream, { alias });
    return isDebt({ balanceKey: key }) ? account.debts : account.standings;
  }

  #open(
    stream: string,
    revision: number,
    { account, balance }: Readonly<{ account: AccountRecord; balance: BalanceRecord }>,
  ): void {
    const { id, alias, assetCode: asset, type, blocked } = account;
    const stops = [{ revision, blocked, closed: false }];
    const booked = { id, alias, asset, external: type === 'external', stops };
    this.#ledger(stream).accounts.set(alias, {
      ...booked,
      standings: [opened(balance)],
      debts: [],
    });
  }

  #book(stream: string, event: TransactionEvent, revision: number): void {
    const ledger = this.#ledger(stream);
    const record = event.data.transaction;
    const known = ledger.transactions.get(record.id) ?? {
      ...{ id: record.id, images: [], isReverted: false },
    };
    ledger.transactions.set(record.id, known);
    known.images.push({ revision, record, text: JSON.stringify(record) });
    const reverted = ledger.transactions.get(record.parentTransactionId ?? '');
    const settles = event.type === 'TransactionPosted' || event.type === 'TransactionCommitted';
    if (reverted !== undefined && settles) reverted.isReverted = true;
    const moves = settles || event.type === 'TransactionHeld';
    if (!moves && event.type !== 'TransactionCanceled') return;
    const count = 'stepOperations' in event.data ? event.data.stepOperations : Infinity;
    for (const operation of record.operations.slice(-count)) {
      const { accountAlias: alias, balanceKey: key, balanceAfter } = operation;
      const standings = this.#standings(stream, { alias, key });
      standings.push({
        ...standings.at(-1)!,
        version: balanceAfter.version,
        available: units(balanceAfter.available),
        onHold: units(balanceAfter.onHold),
        owed: units(balanceAfter.overdraftUsed),
      });
    }
  }

  /** Notes the part of a group, the reversal, and the exception that a step names. */
  #bookPart(stream: string, event: TransactionEvent | GroupPartEvent, revision: number): void {
    if (event.type === 'TransactionUpdated' || event.type === 'OperationUpdated') return;
    const ledger = this.#ledger(stream);
    const { groupId, parentTransactionId: parent } = event.data.transaction;
    if (parent !== undefined) ledger.reversals.set(parent, revision);
    if (groupId !== undefined) ledger.parts.set(groupId, partStateAfter(event));
    const id =
      'accountBlockExceptionId' in event.data ? event.data.accountBlockExceptionId : undefined;
    const exception = ledger.exceptions.get(id ?? '');
    if (exception) exception.usedBy = groupId === undefined ? 'transaction' : 'group';
  }
}

function found<Item>(items: ReadonlyMap<string, Item>, key: string, stream: string): Item {
  const item = items.get(key);
  if (item === undefined) throw new Error(`${stream}: there is no ${key}`);
  return item;
}
