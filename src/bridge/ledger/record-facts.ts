import type { TransactionRouteRecord } from '#src/events/ledger/routes.ts';
import { isChange, recordFact, type Definition } from '#src/bridge/definition.ts';
import {
  count,
  deletedInLedger,
  inLedger,
  instant,
  listOf,
  oneOf,
  status,
  text,
  uuid,
  written,
} from '#src/bridge/payload-members.ts';
import { orNull, payloadOf, without, type ObjectSchema } from '#src/bridge/payload-schema.ts';

type RecordFacts = Readonly<{
  resource: string;
  member: string;
  /** The journal events that create, change and end a record. */
  types: readonly [created: string, updated: string, deleted: string];
  /** With all that a creation tells. */
  payload: ObjectSchema;
  /** The members that only a creation tells. */
  onlyCreated?: readonly string[];
  deleted?: ObjectSchema;
  enabled?: boolean;
  adds?: (record: never) => object;
}>;

/** Created, updated and deleted, of records that say so in the same way. */
function factsOf(facts: RecordFacts): readonly Definition[] {
  const { resource, member, payload, enabled = true, adds } = facts;
  const fact = (event: string, description: string, type: string, schema: ObjectSchema) =>
    recordFact({
      key: `${resource}.${event}`,
      tail: `ledger_${resource.replaceAll('-', '_')}.${event}`,
      ...{ description, member, enabled, types: [type], payload: schema, when: isChange },
      ...(adds && { adds }),
    });
  const name = resource.replaceAll('-', ' ');
  const one = `${/^[ao]/.test(name) ? 'An' : 'A'} ${name}`;
  const [created, updated, deleted] = facts.types;
  const changed = without(payload, ...(facts.onlyCreated ?? ['createdAt']));
  return [
    fact('created', `${one} was created`, created, payload),
    fact('updated', `${one} was changed`, updated, changed),
    fact('deleted', `${one} was deleted`, deleted, facts.deleted ?? deletedInLedger),
  ];
}

const address = payloadOf(
  {
    ...{ line1: text, line2: orNull(text), zipCode: text, city: text, state: text, country: text },
    description: text,
  },
  'description',
);

/** Routes may belong to a ledger or to the organization. */
const routeScope = { id: uuid, organizationId: uuid, ledgerId: uuid };
const deletedRoute = payloadOf({ ...routeScope, deletedAt: instant }, 'ledgerId');
const rubric = orNull(payloadOf({ code: text, description: text }, 'code', 'description'));
const accountingEntry = payloadOf({ debit: rubric, credit: rubric });
const entryNames = [
  ...['direct', 'hold', 'commit', 'cancel', 'revert', 'overdraft', 'block', 'unblock'],
];

/** Records that are published as they are (contract events §6.1, P1 to P13 and P17 to P21). */
export const recordFacts: readonly Definition[] = [
  ...factsOf({
    resource: 'organization',
    member: 'organization',
    types: ['OrganizationCreated', 'OrganizationUpdated', 'OrganizationDeleted'],
    payload: payloadOf({
      id: uuid,
      parentOrganizationId: orNull(uuid),
      legalName: text,
      doingBusinessAs: orNull(text),
      legalDocument: text,
      address,
      status,
      ...written,
    }),
    onlyCreated: ['legalDocument', 'createdAt'],
    deleted: payloadOf({ id: uuid, deletedAt: instant }),
  }),
  ...factsOf({
    resource: 'ledger',
    member: 'ledger',
    types: ['LedgerOpened', 'LedgerUpdated', 'LedgerClosed'],
    payload: payloadOf({ id: uuid, organizationId: uuid, name: text, status, ...written }),
    deleted: payloadOf({ id: uuid, organizationId: uuid, deletedAt: instant }),
  }),
  ...factsOf({
    resource: 'asset',
    member: 'asset',
    types: ['AssetCreated', 'AssetUpdated', 'AssetDeleted'],
    payload: payloadOf({
      ...inLedger,
      name: text,
      type: oneOf('currency', 'crypto', 'commodity', 'others', 'fiat'),
      code: text,
      status,
      ...written,
    }),
  }),
  ...factsOf({
    resource: 'segment',
    member: 'segment',
    types: ['SegmentCreated', 'SegmentUpdated', 'SegmentDeleted'],
    payload: payloadOf({ ...inLedger, name: text, status, ...written }),
  }),
  ...factsOf({
    resource: 'portfolio',
    member: 'portfolio',
    types: ['PortfolioCreated', 'PortfolioUpdated', 'PortfolioDeleted'],
    payload: payloadOf({ ...inLedger, name: text, entityId: text, status, ...written }, 'entityId'),
  }),
  ...factsOf({
    resource: 'operation-route',
    member: 'operationRoute',
    types: ['OperationRouteCreated', 'OperationRouteUpdated', 'OperationRouteDeleted'],
    payload: payloadOf(
      {
        ...routeScope,
        title: text,
        description: text,
        code: text,
        operationType: oneOf('source', 'destination', 'bidirectional'),
        account: payloadOf({
          ruleType: oneOf('alias', 'account_type'),
          validIf: { type: ['string', 'array'] },
        }),
        accountingEntries: payloadOf(
          Object.fromEntries(entryNames.map((name) => [name, accountingEntry])),
          ...entryNames,
        ),
        ...written,
      },
      ...['ledgerId', 'description', 'code', 'account', 'accountingEntries'],
    ),
    deleted: deletedRoute,
  }),
  ...factsOf({
    resource: 'account-type',
    member: 'accountType',
    types: ['AccountTypeCreated', 'AccountTypeUpdated', 'AccountTypeDeleted'],
    payload: payloadOf({ ...inLedger, keyValue: text, name: text, ...written }),
    enabled: false,
  }),
  recordFact({
    key: 'ledger.settings-changed',
    tail: 'ledger_ledger.settings_changed',
    description: 'Settings of a ledger were changed; `changed` holds their paths',
    member: 'ledger',
    types: ['LedgerSettingsChanged'],
    payload: payloadOf({
      id: uuid,
      organizationId: uuid,
      changed: listOf(text),
      updatedAt: instant,
    }),
    adds: (_, { data }) => ({
      changed: (data as Readonly<{ changed: readonly string[] }>).changed,
    }),
    enabled: false,
  }),
  recordFact({
    key: 'asset-rate.upserted',
    tail: 'ledger_asset_rate.upserted',
    description: 'An asset rate was created or replaced',
    member: 'assetRate',
    types: ['AssetRateCreated', 'AssetRateUpdated'],
    payload: payloadOf({
      ...{ ...inLedger, externalId: uuid, from: text, to: text, rate: count, scale: count },
      ...{ ttl: count, updatedAt: instant },
    }),
    enabled: false,
  }),
  ...factsOf({
    resource: 'transaction-route',
    member: 'transactionRoute',
    types: ['TransactionRouteCreated', 'TransactionRouteUpdated', 'TransactionRouteDeleted'],
    payload: payloadOf(
      {
        ...routeScope,
        title: text,
        description: text,
        operationRouteIds: listOf(uuid),
        ...written,
      },
      ...['ledgerId', 'description', 'operationRouteIds'],
    ),
    deleted: deletedRoute,
    adds: ({ operationRoutes }: TransactionRouteRecord) => ({ operationRouteIds: operationRoutes }),
  }),
];
