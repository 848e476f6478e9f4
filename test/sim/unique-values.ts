import type { TransactionRecord } from '#src/events/ledger/transaction.ts';
import type { MetadataIndexRecord } from '#src/events/settings/settings.ts';
import { KEY } from './fixtures.ts';
import { assertThat, type Recorded } from './log-oracle.ts';

type WithMetadata = Readonly<{ metadata?: Readonly<Record<string, unknown>> | null | undefined }>;
type IndexState = { entity: string; is: 'building' | 'built' | 'dropped' };
type RecordValues = { values: ReadonlySet<string>; copied: ReadonlySet<string> };

/**
 * The values that live records have under the key that is sometimes unique, in each journal. Throws when two records
 * share one while an index forbids it. The operations of a transaction count as one record, and values that a reversal
 * copied as none.
 */
export class UniqueValues {
  readonly #indexes = new Map<string, IndexState>();
  readonly #built = new Set<string>();
  /** By journal and kind of record, then by record. */
  readonly #records = new Map<string, Map<string, RecordValues>>();

  wasBuilt(id: string): boolean {
    return this.#built.has(id);
  }

  take({ stored: { stream, type }, data }: Pick<Recorded, 'stored' | 'data'>): void {
    if (stream.startsWith('settings-')) {
      const { id, entityName: entity } = (data as { index: MetadataIndexRecord }).index;
      const is = INDEX_STATES[type] ?? 'building';
      this.#indexes.set(id, { entity, is });
      if (is === 'built') {
        this.#built.add(id);
        this.#checkAll(entity);
      }
      return;
    }
    if ('account' in data) {
      const account = data['account'] as WithMetadata & { id: string };
      const values = type === 'AccountDeleted' ? [] : valuesOf([account]);
      this.#set(stream, 'account', account.id, new Set(values));
    }
    if (!('transaction' in data)) return;
    const transaction = data['transaction'] as TransactionRecord;
    const { id, groupId, status, parentTransactionId } = transaction;
    const { operations = [], awaiting = [] } = transaction as Partial<TransactionRecord>;
    const begins = ['TransactionPosted', 'TransactionHeld', 'GroupPrepared'].includes(type);
    const reverts = begins && parentTransactionId !== undefined;
    const isGivenUp = groupId !== undefined && status === 'CANCELED';
    const legs: readonly WithMetadata[] = isGivenUp ? [] : [...operations, ...awaiting];
    const own = isGivenUp ? [] : valuesOf([transaction]);
    this.#set(stream, 'transaction', id, new Set(own), reverts);
    this.#set(stream, 'operation', id, new Set(valuesOf(legs)), reverts);
  }

  #set(
    stream: string,
    entity: string,
    id: string,
    found: ReadonlySet<string>,
    reverts = false,
  ): void {
    const place = `${stream} ${entity}`;
    const records = this.#records.get(place) ?? new Map<string, RecordValues>();
    this.#records.set(place, records);
    const copied = records.get(id)?.copied ?? (reverts ? found : new Set());
    const values = found.difference(copied);
    const isNew = values.difference(records.get(id)?.values ?? new Set()).size > 0;
    records.set(id, { values, copied });
    const binds = [...this.#indexes.values()].some((one) => {
      return one.entity === entity && one.is === 'built';
    });
    if (isNew && binds) check(place, records);
  }

  #checkAll(entity: string): void {
    for (const [place, records] of this.#records) {
      if (place.endsWith(` ${entity}`)) check(place, records);
    }
  }
}

function check(place: string, records: ReadonlyMap<string, RecordValues>): void {
  const owners = new Map<string, string>();
  for (const [id, { values }] of records) {
    for (const value of values) {
      const other = owners.get(value);
      assertThat(other === undefined, `${place}: ${id} and ${other ?? ''} both have ${value}`);
      owners.set(value, id);
    }
  }
}

const INDEX_STATES: Readonly<Record<string, IndexState['is']>> = {
  MetadataIndexBuilt: 'built',
  MetadataIndexDeleted: 'dropped',
};

const valuesOf = (all: readonly WithMetadata[]): string[] =>
  all.flatMap(({ metadata }) => {
    const value = metadata?.[KEY];
    return typeof value === 'string' ? [value] : [];
  });
