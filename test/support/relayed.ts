import { hash } from 'node:crypto';
import { storedData } from '#src/kernel/event-data.ts';
import { partId, type Uuid } from '#src/kernel/ids.ts';
import { formatInstant, parseInstant, type Instant, type Micros } from '#src/kernel/instant.ts';
import type { LedgerEvent } from '#src/events/ledger/ledger.ts';
import type { EventMetadata } from '#src/kernel/event-metadata.ts';
import { GENESIS, seal } from '#src/journal/chain.ts';
import type { NewEvent } from '#src/ports/event-store.ts';
import { definitions } from '#src/bootstrap/definitions.ts';
import { topicsOf, type Topic } from '#src/bridge/catalog.ts';
import type { Policies } from '#src/bridge/delivery-policy.ts';
import type { Producer } from '#src/bridge/envelope.ts';
import { accountId } from './ledger-samples.ts';
import { NOW } from './stamps.ts';
import { metadataOf } from './stored-samples.ts';
import { state, transactionPosted, transactionRecord } from './transaction-samples.ts';

export const producer: Producer = {
  platform: 'quipu',
  source: 'quipu.ledger',
  partitionKey: 'aggregate',
};

export const catalogOf = (
  changes: Partial<Producer> = {},
  policies: Policies = new Map(),
): readonly Topic[] => topicsOf({ ...producer, ...changes }, policies, definitions);

/** The topic of an event key. */
export function topicOf(key: string, changes: Partial<Producer> = {}): Topic {
  const definition = definitions.find((one) => one.key === key);
  if (definition === undefined) throw new Error(`No event has the key ${key}`);
  const on = new Map([[key, { enabled: true }]]);
  return topicsOf({ ...producer, ...changes }, on, [definition])[0]!;
}

/** The topics that a transfer feeds. */
export const transferTopics = (changes: Partial<Producer> = {}): readonly [Topic, Topic] => [
  topicOf('transaction.posted', changes),
  topicOf('balance.changed', changes),
];

/** An event as the log takes it; its id follows from a name. */
export function logged(
  name: string,
  { type, data }: Pick<LedgerEvent, 'type' | 'data'>,
  metadata: Partial<EventMetadata> = {},
): NewEvent {
  const hex = hash('sha256', name);
  const { data: text, schemaVersion } = storedData({ type, data });
  return {
    id: `0199${hex.slice(0, 4)}-${hex.slice(4, 8)}-7${hex.slice(8, 11)}-8${hex.slice(11, 14)}-${hex.slice(14, 26)}` as Uuid,
    type,
    data: text,
    metadata: seal(type, text, metadataOf(GENESIS, { schemaVersion, ...metadata })).metadata,
  };
}

/** The n-th transfer of 5 between two accounts: three records, of which two touch one balance each. */
export function transfer(n: number, from = '@alice', to = '@bob'): NewEvent {
  const record = transactionRecord(`transfer ${n}`, [
    { alias: from, type: 'DEBIT', balance: state('0', n - 1), balanceAfter: state('-5', n) },
    { alias: to, type: 'CREDIT', balance: state('0', n - 1), balanceAfter: state('5', n) },
  ]);
  return logged(`transfer ${n}`, transactionPosted(record), { recordedAt: moment(n) });
}

export const balanceIdOf = (alias: string): Uuid => partId(accountId(alias), 1);

/** So many milliseconds after NOW. */
export const moment = (ms: number): Instant =>
  formatInstant((parseInstant(NOW) + ms * 1000) as Micros);
