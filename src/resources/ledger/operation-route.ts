import { ENTRY_NAMES, OPERATION_TYPES, type EntryName } from '#src/events/ledger/route-rules.ts';
import type { OperationRouteRecord } from '#src/events/ledger/routes.ts';
import {
  changedMetadata,
  changedName,
  metadataView,
  name,
  newMetadata,
  record,
  recordView,
  text,
} from '#src/kernel/schema-fragments.ts';
import { has } from '#src/kernel/published.ts';
import type { RecordResource } from '#src/kernel/record-resource.ts';
import type { Schema } from '#src/kernel/schema.ts';
import { accountRuleReader, entriesPatchReader, entriesReader } from './operation-route-readers.ts';

const rubric = record({ code: text(50), description: text(250) }, []);
const rubricOrNull = { ...rubric, type: ['object', 'null'] } as const;
const anyEntry = record({ debit: rubricOrNull, credit: rubricOrNull }, []);
/** An entry has at least one side. The decider checks which entries and sides fit the type of the route. */
const entry = {
  ...anyEntry,
  published: {
    title: 'RequestedEntry',
    ...anyEntry,
    type: ['object', 'null'],
    anyOf: [has('debit', { type: 'object' }), has('credit', { type: 'object' })],
  },
} as const satisfies Schema;
const entryView = record({ debit: rubricOrNull, credit: rubricOrNull }, ['debit', 'credit']);

const eachEntry = <const Of extends Schema>(of: Of) =>
  Object.fromEntries(ENTRY_NAMES.map((one) => [one, of])) as Readonly<Record<EntryName, Of>>;

/** `validIf` is a string for a rule by alias, and a list of strings for a rule by account_type. */
const accountRule = record(
  {
    ruleType: { type: 'string', enum: ['alias', 'account_type'] },
    validIf: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    },
  },
  ['ruleType', 'validIf'],
);

/** Contract ledger §6.1. The decider checks which entries fit the type. */
const createBody = record(
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

/** Entries are merged one by one; null removes one, null as a whole all of them. */
const updateBody = record(
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

export const operationRouteSchema = recordView(
  'OperationRoute',
  ['organizationId', 'ledgerId'],
  {
    title: { type: 'string' },
    description: { type: 'string' },
    code: { type: 'string', deprecated: true },
    operationType: { type: 'string', enum: OPERATION_TYPES },
    account: accountRule,
    accountingEntries: record(eachEntry(entryView), []),
    metadata: metadataView,
  },
  ['ledgerId', 'description', 'code', 'account', 'accountingEntries', 'metadata'],
);

/** The refusals of the readers of account rules and entries, and of the rules for entries. */
const ofFields = [
  'REQUIRED_FIELDS',
  'ACCOUNT_RULE_TYPE',
  'ACCOUNT_RULE_VALUE',
  'REVERT_NOT_BIDIRECTIONAL',
  'ENTRY_NOT_ALLOWED',
  'ENTRY_SIDE_REQUIRED',
  'HOLD_GROUP_INCOMPLETE',
  'DIRECT_ENTRY_REQUIRED',
] as const;

/** Operation routes belong to a ledger, or to an organization, for all its ledgers. */
export const operationRouteResource = {
  name: 'OperationRoute',
  nouns: ['an operation route', 'operation routes'],
  tag: 'Operation routes',
  path: 'operation-routes',
  namespace: 'routing',
  create: createBody,
  update: updateBody,
  view: operationRouteSchema,
  notes: {
    update: 'entries are merged one by one',
    delete: 'no transaction route may use it',
  },
  remarks: {
    create: 'The accounting entries must fit `operationType`.',
    update:
      'An entry that is sent as null is removed; the entries that result must fit the operation type.',
  },
  refusals: {
    notFound: 'OPERATION_ROUTE_NOT_FOUND',
    create: [...ofFields, 'TOO_LARGE'],
    update: ofFields,
    delete: ['OPERATION_ROUTE_IN_USE'],
  },
  list: { paging: 'cursor' },
  rows: {
    collection: 'operation-route',
    parent: 'ownerId',
    parentOf: ({ ledgerId, organizationId }: OperationRouteRecord) => ledgerId ?? organizationId,
  },
} as const satisfies RecordResource;
