import { ENTRY_NAMES, OPERATION_TYPES, type EntryName } from '#src/events/ledger/route-rules.ts';
import type { OperationRouteRecord } from '#src/events/ledger/routes.ts';
import {
  changedMetadata,
  changedName,
  instant,
  instantOrNull,
  metadataView,
  name,
  newMetadata,
  record,
  text,
  uuid,
} from '#src/kernel/schema-fragments.ts';
import { has } from '#src/kernel/published.ts';
import type { Schema, Shaped } from '#src/kernel/schema.ts';
import { accountRuleReader, entriesPatchReader, entriesReader } from './operation-route-readers.ts';

const rubric = record({ code: text(50), description: text(250) }, []);
const rubricOrNull = { ...rubric, type: ['object', 'null'] } as const;
const anyEntry = record({ debit: rubricOrNull, credit: rubricOrNull }, []);
/** An entry has at least one side; which entries and sides fit the type of the route is a rule of its own. */
const entry = {
  ...anyEntry,
  published: {
    title: 'RequestedEntry',
    ...anyEntry,
    anyOf: [has('debit', { type: 'object' }), has('credit', { type: 'object' })],
  },
} as const satisfies Schema;
const entryView = record({ debit: rubricOrNull, credit: rubricOrNull }, ['debit', 'credit']);

const eachEntry = <const Of extends Schema>(of: Of) =>
  Object.fromEntries(ENTRY_NAMES.map((one) => [one, of])) as Readonly<Record<EntryName, Of>>;

/** By alias one string, by account_type a list of them. */
const accountRule = record(
  {
    ruleType: { type: 'string', enum: ['alias', 'account_type'] },
    validIf: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    },
  },
  ['ruleType', 'validIf'],
);

/** Contract ledger §6.1. Which entries fit the type is the decider's to say. */
export const createOperationRouteBody = record(
  {
    title: name(255),
    description: text(250),
    code: { ...text(100), deprecated: true },
    operationType: { type: 'string', enum: OPERATION_TYPES, refusal: 'OPERATION_TYPE_INVALID' },
    account: { ...accountRule, reads: accountRuleReader },
    accountingEntries: { ...record(eachEntry(entry), []), reads: entriesReader },
    metadata: newMetadata,
  },
  ['title', 'operationType'],
) satisfies Schema;

export type CreateOperationRouteBody = Shaped<typeof createOperationRouteBody>;

/** Entries are merged one by one; null removes one, null as a whole all of them. */
export const updateOperationRouteBody = record(
  {
    title: changedName(255),
    description: text(250),
    code: { ...text(100), deprecated: true },
    account: { ...accountRule, reads: accountRuleReader },
    accountingEntries: {
      ...record(eachEntry({ ...entry, type: ['object', 'null'] }), []),
      type: ['object', 'null'],
      reads: entriesPatchReader,
    },
    metadata: changedMetadata,
  },
  [],
) satisfies Schema;

export type UpdateOperationRouteBody = Shaped<typeof updateOperationRouteBody>;

export const operationRouteSchema = {
  title: 'OperationRoute',
  ...record(
    {
      id: uuid,
      organizationId: uuid,
      ledgerId: uuid,
      title: { type: 'string' },
      description: { type: 'string' },
      code: { type: 'string', deprecated: true },
      operationType: { type: 'string', enum: OPERATION_TYPES },
      account: accountRule,
      accountingEntries: record(eachEntry(entryView), []),
      metadata: metadataView,
      createdAt: instant,
      updatedAt: instant,
      deletedAt: instantOrNull,
    },
    ['id', 'organizationId', 'title', 'operationType', 'createdAt', 'updatedAt', 'deletedAt'],
  ),
} as const satisfies Schema;

export const operationRouteView = (route: OperationRouteRecord) => ({
  id: route.id,
  organizationId: route.organizationId,
  ledgerId: route.ledgerId,
  title: route.title,
  description: route.description,
  code: route.code,
  operationType: route.operationType,
  account: route.account,
  accountingEntries: route.accountingEntries,
  metadata: route.metadata,
  createdAt: route.createdAt,
  updatedAt: route.updatedAt,
  deletedAt: route.deletedAt,
});
