import type { LedgerEvent, OperationRecord } from '#src/events/ledger.ts';
import type { OrganizationEvent } from '#src/events/organization.ts';
import { insist, type Recorded } from './chronicle.ts';

export type BookedAccount = {
  readonly id: string;
  readonly balanceId: string;
  readonly alias: string;
  readonly asset: string;
  readonly external: boolean;
  readonly openedAt: number;
  available: bigint;
  version: number;
  /** What was available, from which revision on. */
  readonly history: [revision: number, available: bigint, version: number][];
};

export type BookedLedger = {
  readonly id: string;
  readonly organizationId: string;
  readonly journal: string;
  /** The revision at which each code, and each name, was taken. */
  readonly assets: Map<string, number>;
  readonly assetNames: Map<string, number>;
  readonly accounts: Map<string, BookedAccount>;
  /** Per asset: all positions, those of direction `debit` counted negative. */
  readonly sums: Map<string, bigint>;
};

export type BookedOrganization = {
  readonly id: string;
  readonly foundedMs: number;
  readonly names: Map<string, number>;
  readonly reserved: Set<string>;
  readonly settled: Set<string>;
};

type Event = LedgerEvent | OrganizationEvent;

/** The simulator's own bookkeeping, event by event, with none of the program's code. Throws on false money. */
export class Books {
  readonly ledgers = new Map<string, BookedLedger>();
  readonly organizations = new Map<string, BookedOrganization>();
  readonly #nowMs: () => number;
  operations = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  take({ stored, data }: Recorded): void {
    const event = { type: stored.type, data } as Event;
    const { stream, revision } = stored;
    switch (event.type) {
      case 'OrganizationCreated': {
        const { id, parentOrganizationId: parent } = event.data.organization;
        const orphan = parent !== null && !this.organizations.has(parent);
        insist(!orphan, `${stream} has a parent that is not in the log: ${parent ?? ''}`);
        this.#found(id);
        break;
      }
      case 'LedgerNameReserved': {
        const organization = this.#organization(stream);
        const name = event.data.ledger.name.toLowerCase();
        insist(!organization.names.has(name), `${stream}: the name ${name} is taken twice`);
        organization.names.set(name, revision);
        organization.reserved.add(event.data.ledger.id);
        break;
      }
      case 'LedgerNameSettled':
        insist(this.ledgers.has(event.data.ledgerId), `${stream}: settled what is not open`);
        this.#organization(stream).settled.add(event.data.ledgerId);
        break;
      case 'LedgerOpened': {
        const { id, organizationId } = event.data.ledger;
        const reserved = this.organizations.get(organizationId)?.reserved.has(id);
        insist(reserved === true && revision === 0, `${stream} opened without its name`);
        this.ledgers.set(id, emptyLedger(id, organizationId, stream));
        break;
      }
      case 'AssetCreated': {
        const { assets, assetNames } = this.#ledger(stream);
        const { code, name } = event.data.asset;
        insist(!assets.has(code) && !assetNames.has(name), `${stream}: the asset ${code} twice`);
        assets.set(code, revision);
        assetNames.set(name, revision);
        break;
      }
      case 'AccountOpened':
        this.#open(stream, revision, event.data);
        break;
      case 'TransactionPosted':
        this.#post(stream, revision, event.data.transaction.operations);
        break;
    }
  }

  #found(id: string): void {
    insist(!this.organizations.has(id), `Organization ${id} was created twice`);
    this.organizations.set(id, {
      id,
      foundedMs: this.#nowMs(),
      names: new Map(),
      reserved: new Set(),
      settled: new Set(),
    });
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

  #open(
    stream: string,
    revision: number,
    { account, balance }: Extract<Event, { type: 'AccountOpened' }>['data'],
  ): void {
    const ledger = this.#ledger(stream);
    const { id, alias, assetCode } = account;
    insist(!ledger.accounts.has(alias), `${stream}: the alias ${alias} twice`);
    insist(ledger.assets.has(assetCode), `${stream}: an account without its asset ${assetCode}`);
    ledger.accounts.set(alias, {
      id,
      balanceId: balance.id,
      alias,
      asset: assetCode,
      external: account.type === 'external',
      openedAt: revision,
      available: 0n,
      version: 0,
      history: [[revision, 0n, 0]],
    });
  }

  #post(stream: string, revision: number, operations: readonly OperationRecord[]): void {
    const ledger = this.#ledger(stream);
    const totals = new Map<string, bigint>();
    for (const operation of operations) {
      const account = ledger.accounts.get(operation.accountAlias);
      if (account === undefined) throw new Error(`${stream}: a posting to nobody`);
      const signed = units(operation.amount) * (operation.direction === 'debit' ? -1n : 1n);
      totals.set(account.asset, (totals.get(account.asset) ?? 0n) + signed);
      this.#move(`${stream} revision ${revision}`, ledger, account, operation, signed);
      account.history.push([revision, account.available, account.version]);
    }
    for (const [asset, total] of totals) {
      insist(total === 0n, `J1: ${stream} revision ${revision}: ${asset} does not balance`);
    }
    for (const [asset, sum] of ledger.sums) {
      insist(
        sum === 0n,
        `${stream} revision ${revision}: the positions in ${asset} add up to ${sum}`,
      );
    }
  }

  #move(
    at: string,
    ledger: BookedLedger,
    account: BookedAccount,
    { balance, balanceAfter }: OperationRecord,
    signed: bigint,
  ): void {
    const who = `${at}, ${account.alias}`;
    const after = account.available + (account.external ? -signed : signed);
    insist(balance.version === account.version, `J3: ${who}: version ${balance.version} before`);
    insist(balanceAfter.version === account.version + 1, `J3: ${who}: version grows by one`);
    insist(units(balance.available) === account.available, `J4: ${who}: does not chain`);
    insist(units(balanceAfter.available) === after, `J4: ${who}: wrong balance after`);
    insist(after >= 0n || account.external, `J2: ${who}: falls below zero`);
    account.available = after;
    account.version += 1;
    ledger.sums.set(account.asset, (ledger.sums.get(account.asset) ?? 0n) + signed);
    this.operations += 1;
  }
}

const emptyLedger = (id: string, organizationId: string, journal: string): BookedLedger => ({
  id,
  organizationId,
  journal,
  assets: new Map(),
  assetNames: new Map(),
  accounts: new Map(),
  sums: new Map(),
});

/** A decimal as whole 10^-34 parts. */
export function units(decimal: string): bigint {
  const negative = decimal.startsWith('-');
  const [whole = '', fraction = ''] = (negative ? decimal.slice(1) : decimal).split('.');
  const value = BigInt(whole + fraction.padEnd(34, '0'));
  return negative ? -value : value;
}
