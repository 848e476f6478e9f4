import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { MetadataIndexRecord } from '#src/events/settings/settings.ts';
import { KEY } from './fixtures.ts';
import { assertThat, type Recorded } from './log-oracle.ts';
import type { Attempt, Command } from './request.ts';
import { requestsOf } from './transaction-oracle.ts';

type Worded = Readonly<{ metadata?: Readonly<Record<string, unknown>> | null | undefined }>;
type Index = { id: string; entity: string; fromMs: number; untilMs: number; built: boolean };
/** A record had the value from one revision of its journal on, until another. */
type Holding = { id: string; from: number; until: number };
type Holder = { values: ReadonlySet<string>; copied: ReadonlySet<string> };

/**
 * Who has which value under the key that is sometimes unique, in each journal. Throws when two records have one while an
 * index says that none do. The operations of a transaction count as one, and what a reversal took over as nothing.
 */
export class ValueBook {
  readonly #indexes: Index[] = [];
  readonly #holders = new Map<string, Map<string, Holder>>();
  readonly #holdings = new Map<string, Map<string, Holding[]>>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  wasBuilt(id: string): boolean {
    return this.#indexes.some((index) => index.id === id && index.built);
  }

  take({ stored: { stream, revision, type }, data }: Pick<Recorded, 'stored' | 'data'>): void {
    if (stream.startsWith('settings-')) {
      this.#index(type, (data as { index: MetadataIndexRecord }).index);
      return;
    }
    if ('account' in data) {
      const account = data['account'] as Worded & { id: string };
      const values = type === 'AccountDeleted' ? [] : saidIn([account]);
      this.#hold(stream, 'account', account.id, revision, new Set(values));
    }
    if (!('transaction' in data)) return;
    const transaction = data['transaction'] as TransactionRecord;
    const { id, groupId, status, parentTransactionId } = transaction;
    const { operations = [], awaiting = [] } = transaction as Partial<TransactionRecord>;
    const begins = ['TransactionPosted', 'TransactionHeld', 'GroupPrepared'].includes(type);
    const reverts = begins && parentTransactionId !== undefined;
    const isGivenUp = groupId !== undefined && status === 'CANCELED';
    const lines: readonly Worded[] = isGivenUp ? [] : [...operations, ...awaiting];
    const said = isGivenUp ? [] : saidIn([transaction]);
    this.#hold(stream, 'transaction', id, revision, new Set(said), reverts);
    this.#hold(stream, 'operation', id, revision, new Set(saidIn(lines)), reverts);
  }

  #index(type: string, { id, entityName: entity }: MetadataIndexRecord): void {
    const known = this.#indexes.find((index) => index.id === id);
    const now = this.#nowMs();
    if (known === undefined) {
      this.#indexes.push({ id, entity, fromMs: now, untilMs: Infinity, built: false });
    } else if (type === 'MetadataIndexDeleted') {
      known.untilMs = now;
    } else {
      known.built = true;
      for (const [place, holdings] of this.#holdings) {
        if (place.endsWith(` ${entity}`))
          for (const value of holdings.keys()) this.#check(place, value);
      }
    }
  }

  #hold(
    stream: string,
    entity: string,
    id: string,
    revision: number,
    said: ReadonlySet<string>,
    reverts = false,
  ): void {
    const place = `${stream} ${entity}`;
    const holders = within(this.#holders, place, () => new Map<string, Holder>());
    const holdings = within(this.#holdings, place, () => new Map<string, Holding[]>());
    const copied = holders.get(id)?.copied ?? (reverts ? said : new Set());
    const before = holders.get(id)?.values ?? new Set();
    const values = said.difference(copied);
    holders.set(id, { values, copied });
    for (const value of before.difference(values)) {
      const holding = holdings.get(value)?.findLast((one) => one.id === id);
      if (holding !== undefined) holding.until = revision;
    }
    for (const value of values.difference(before)) {
      within(holdings, value, () => []).push({ id, from: revision, until: Infinity });
      const binds = ({ built, untilMs, ...index }: Index) =>
        built && untilMs === Infinity && index.entity === entity;
      if (this.#indexes.some(binds)) this.#check(place, value);
    }
  }

  #check(place: string, value: string): void {
    const now = (this.#holdings.get(place)?.get(value) ?? []).filter(
      ({ until }) => until === Infinity,
    );
    const who = now.map(({ id, from }) => `${id} since ${from}`).join(', ');
    assertThat(now.length <= 1, `${place} has ${value} more than once: ${who}`);
  }

  /** Whether it was so at some moment between the asking and now; others may believe an index for a moment longer. */
  justified(refusal: string, command: Command, attempt: Attempt): string | undefined {
    const { request, head, startedMs } = attempt;
    if (request.kind === 'index') return this.#justifiedIndex(refusal, command, attempt);
    const asked = saidBy(command);
    const just = asked.some(({ entity, value, self }, n) => {
      const wasUnique = this.#indexes.some(
        (index) => index.entity === entity && index.untilMs >= startedMs - BELIEVED_MS,
      );
      const holdings = this.#holdings.get(`${request.journal.name} ${entity}`)?.get(value) ?? [];
      const isHeld = holdings.some(({ id, until }) => id !== self && until > head);
      const twice = asked.some((one, m) => m < n && one.entity === entity && one.value === value);
      return wasUnique && (isHeld || twice);
    });
    return just ? undefined : 'no other record had the value';
  }

  #justifiedIndex(refusal: string, command: Command, { startedMs }: Attempt): string | undefined {
    const entity =
      command.type === 'CreateMetadataIndex' ? command.fields.entityName : entityIn(command);
    const then = this.#indexes.filter((one) => one.entity === entity && one.untilMs >= startedMs);
    if (refusal === 'INDEX_CONFLICT') {
      return then.length > 0 || this.#isRepeated(entity) ? undefined : 'no value was there twice';
    }
    if (refusal === 'INDEX_NOT_FOUND') {
      const always = then.some(({ fromMs, untilMs }) => fromMs < startedMs && untilMs === Infinity);
      return always ? 'it was there' : undefined;
    }
    return this.#nowMs() - startedMs > BUILD_MS ? undefined : 'there was time';
  }

  #isRepeated(entity: string | undefined): boolean {
    const places = [...this.#holdings].filter(([place]) => place.endsWith(` ${entity}`));
    return places.some(([, holdings]) =>
      [...holdings.values()].some((all) => all.some((one) => all.some((two) => meet(one, two)))),
    );
  }
}

const entityIn = (command: Command): string | undefined =>
  command.type === 'DeleteMetadataIndex' ? command.entityName : undefined;

const meet = (one: Holding, two: Holding): boolean =>
  one.id !== two.id && one.from < two.until && two.from < one.until;

type Asked = Readonly<{ entity: string; value: string; self?: string }>;

function saidBy(command: Command): readonly Asked[] {
  switch (command.type) {
    case 'CreateAccount':
      return asking('account', [command.fields]);
    case 'UpdateTransaction':
      return asking('transaction', [command.changes], command.transactionId);
    case 'UpdateOperation':
      return asking('operation', [command.changes]); // Its sisters may have the value.
    default:
      return requestsOf(command).flatMap((request) => [
        ...asking('transaction', [request]),
        ...asking('operation', [...request.send.source.from, ...request.send.distribute.to]),
      ]);
  }
}

const asking = (entity: string, all: readonly Worded[], self?: string): Asked[] =>
  saidIn(all).map((value) => ({ entity, value, ...(self !== undefined && { self }) }));

const saidIn = (all: readonly Worded[]): string[] =>
  all.flatMap(({ metadata }) => {
    const value = metadata?.[KEY];
    return typeof value === 'string' ? [value] : [];
  });

function within<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

const BELIEVED_MS = 5_000;
const BUILD_MS = 30_000;
