import { flatBodyLocations } from '#commands/ledger/api/locations.ts';
import { journalOfLedger, journalOfOrganization } from '#commands/ledger/journals.ts';
import type { GroupRequest } from '#commands/ledger/cross-ledger/request.ts';
import type { V2Leg } from '#commands/ledger/transaction/v2-request.ts';
import type { LedgerCommand } from '#commands/ledger/ledger-commands.ts';
import { add, formatAmount, negate, ZERO, type Amount } from '#src/kernel/amount.ts';
import type { Uuid } from '#src/kernel/ids.ts';
import { defaultSettings, type LedgerSettings } from '#src/events/ledger/ledger-settings.ts';
import { groupJournal, ledgerJournal, organizationJournal } from '#src/kernel/journal-name.ts';
import type {
  AccountingEntries,
  AccountRule,
  OperationType,
} from '#src/events/ledger/route-rules.ts';
import type { GroupRecord } from '#src/events/ledger/group.ts';
import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import {
  createAccount,
  createAsset,
  createOrganization,
  idOf,
  inflow,
  ORGANIZATION,
  OWN_HOLDER,
} from './ledger-samples.ts';
import { createOperationRoute, createTransactionRoute } from './route-samples.ts';
import { StepWorld } from './step-world.ts';
import type { Steps } from '#src/journal/steps.ts';

const ACTIVE = { code: 'ACTIVE', description: null } as const;

type OperationRouteOf = readonly [
  type: OperationType,
  entries: AccountingEntries,
  account?: AccountRule,
];

/** Where a leg is: a ledger by its name, in an organization of its own when the name says so (`west/shops`). */
export type Place = string;

/** Ledgers that take part in groups, and processes that work on them. */
export class GroupWorld extends StepWorld {
  readonly places: Place[] = [];

  /** A ledger with BRL and accounts that have 100 each. */
  async founded(
    place: Place,
    aliases: readonly string[],
    settings: Partial<LedgerSettings> = {},
  ): Promise<void> {
    const { organizationId, ledgerId: id } = at(place);
    const all = { ...defaultSettings, crossLedger: { enabled: true }, ...settings };
    const ledger = { id, organizationId, name: place, status: ACTIVE, settings: all };
    const reservedAt = { journal: organizationJournal(organizationId), revision: 0 };
    await this.in(place, { type: 'OpenLedger', ledger, holderId: OWN_HOLDER, reservedAt } as never);
    this.places.push(place);
    await this.in(place, { ...createAsset(), organizationId });
    for (const alias of aliases) {
      await this.in(place, { ...createAccount({ alias }), organizationId });
      await this.in(place, { ...inflow(alias, '100'), organizationId });
    }
  }

  /** From now on the ledger validates routes. */
  async strict(...places: readonly Place[]): Promise<void> {
    for (const place of places) {
      const changes = { accounting: { validateRoutes: true } };
      const { organizationId } = at(place);
      await this.in(place, { type: 'ChangeLedgerSettings', organizationId, changes });
    }
  }

  /** An organization with operation routes; answers their ids, and those of transaction routes of them, by name. */
  async routed(
    operationRoutes: Readonly<Record<string, OperationRouteOf>>,
    templates: Readonly<Record<string, readonly string[]>>,
  ): Promise<Readonly<Record<string, Uuid>>> {
    const ids: Record<string, Uuid> = {};
    const journal = journalOfOrganization(ORGANIZATION);
    await this.submit(journal, createOrganization());
    for (const [name, [operationType, accountingEntries, account]] of Object.entries(
      operationRoutes,
    )) {
      const fields = { operationType, accountingEntries, ...(account && { account }) };
      await this.submit(journal, createOperationRoute(fields));
      ids[name] = this.last(journal.name, 'operationRoute')['id'] as Uuid;
    }
    for (const [name, names] of Object.entries(templates)) {
      const operationRoutes = names.map((one) => ids[one]!);
      await this.submit(journal, createTransactionRoute([], { operationRoutes }));
      ids[name] = this.last(journal.name, 'transactionRoute')['id'] as Uuid;
    }
    return ids;
  }

  /** Blocks an account, and lets one debit pass from it nonetheless. */
  async blockedBut(place: Place, alias: string, amount: string): Promise<Uuid> {
    const { organizationId, ledgerId } = at(place);
    const { id: accountId } = this.ledger(ledgerId).book.account(alias)!;
    const changes = { blocked: true };
    await this.in(place, { type: 'UpdateAccount', organizationId, accountId, changes });
    return this.granted(place, alias, amount);
  }

  async granted(place: Place, accountAlias: string, amount: string): Promise<Uuid> {
    const { organizationId, ledgerId } = at(place);
    const exceptions = [{ accountAlias, amount, ttl: 300 }];
    await this.in(place, { type: 'GrantBlockExceptions', organizationId, exceptions });
    const [granted] = this.last(ledgerJournal(ledgerId), 'exceptions') as unknown as readonly [
      Readonly<{ id: Uuid }>,
    ];
    return granted.id;
  }

  in(place: Place, command: LedgerCommand) {
    return this.submit(journalOfLedger(at(place).ledgerId), command);
  }

  /** A process that nothing disturbs. */
  calm(key?: string): Steps {
    return this.steps(() => {}, { key, sleep: () => Promise.resolve() });
  }

  /** `available` or `available/onHold`. */
  balance(place: Place, alias: string): string {
    const { available, onHold } = this.ledger(at(place).ledgerId).book.account(alias)!.balances[0]!;
    return formatAmount(available) + (onHold === ZERO ? '' : `/${formatAmount(onHold)}`);
  }

  /** What the positions of a ledger add up to: nothing, at every moment. */
  unbalanced(place: Place): Amount {
    let sum = ZERO;
    for (const { balances } of this.ledger(at(place).ledgerId).book.accounts()) {
      for (const { direction, available, onHold } of balances) {
        sum = add(sum, add(direction === 'credit' ? available : negate(available), onHold));
      }
    }
    return sum;
  }

  /** A group's transaction in a ledger as it was last recorded. */
  member(place: Place, groupId: Uuid): TransactionRecord | undefined {
    return this.events(ledgerJournal(at(place).ledgerId))
      .filter(({ type }) => type.startsWith('Transaction'))
      .map(({ data }) => (data as { transaction: TransactionRecord }).transaction)
      .findLast((transaction) => transaction.groupId === groupId);
  }

  /** Every group there is, as its journal shows it. */
  groups(): GroupRecord[] {
    return this.journals('group').flatMap((name) => {
      const { last } = this.group(name.slice('group-'.length) as Uuid);
      return last === undefined ? [] : [last.data.group];
    });
  }

  typesOf(groupId: Uuid): string[] {
    return this.typesIn(groupJournal(groupId));
  }
}

/** The scope of a place. */
export function at(place: Place): Readonly<{ organizationId: Uuid; ledgerId: Uuid }> {
  const [organization = '', name] = place.split('/');
  return {
    organizationId: idOf(name === undefined ? 'organization' : organization),
    ledgerId: idOf(`ledger ${place}`),
  };
}

/** `'retail @alice 10'` or `'retail @alice 25%'`; with an operation route, `'retail @alice 10 S'`. */
export function groupLeg(text: string, ids: Readonly<Record<string, Uuid>> = {}): V2Leg {
  const [place = '', alias = '', quantity = '', route = ''] = text.split(' ');
  const operationRouteId = ids[route];
  const own = { ...at(place), alias, ...(operationRouteId && { operationRouteId }) };
  if (!quantity.endsWith('%')) return { ...own, amount: quantity };
  return { ...own, share: { percentage: Number(quantity.slice(0, -1)) } };
}

export const groupOf = (
  amount: string,
  from: readonly string[],
  to: readonly string[],
  more: Partial<GroupRequest> = {},
): GroupRequest => ({
  action: 'direct',
  locations: flatBodyLocations,
  asset: 'BRL',
  amount,
  debits: from.map((leg) => groupLeg(leg)),
  credits: to.map((leg) => groupLeg(leg)),
  ...more,
});

/** The same along a route. */
export const routedGroup = (
  ids: Readonly<Record<string, Uuid>>,
  route: string,
  [amount, from, to]: readonly [amount: string, from: readonly string[], to: readonly string[]],
  more: Partial<GroupRequest> = {},
): GroupRequest => ({
  ...groupOf(amount, from, to, more),
  routeId: ids[route],
  debits: from.map((leg) => groupLeg(leg, ids)),
  credits: to.map((leg) => groupLeg(leg, ids)),
});
