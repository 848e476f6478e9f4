import type { OutgoingHttpHeaders } from 'node:http';
import type { RefusalName } from '#src/kernel/errors.ts';
import { formatScript } from '#test/support/format-script.ts';
import type { Route } from '#src/http/route.ts';
import { accessBodies, accessProvocations } from './access-provocations.ts';
import { billingProvocations, billingRequests } from './billing-provocations.ts';
import { feeBodies, feeProvocations } from './fee-provocations.ts';
import { instrumentBodies, instrumentProvocations } from './instrument-provocations.ts';
import { exactly, NOBODY, part, rest, sending, transfer } from './books.ts';
import { ownerBodies, ownerProvocations } from './owner-provocations.ts';
import { routeBodies, routeProvocations } from './route-provocations.ts';
import { routedProvocations } from './routed-provocations.ts';
import { inScope, type Scope } from './v2-request.ts';
import { refusedByFees } from './staged-fees.ts';
import { TAKEN } from './staged-values.ts';

/** What there is to name in a provocation, by the names of path parameters. */
export type Stage = Readonly<Record<string, string>>;

export type Provocation = Readonly<{
  /** The operation's own when it is left out. */
  method?: string;
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: unknown;
}>;

/** A request that is refused in just this way; undefined when nobody has thought of one. */
export function provocationOf(
  route: Route,
  name: RefusalName,
  stage: Stage,
): Provocation | undefined {
  const { headerParameter: parameter, operationId } = route;
  if (parameter === undefined) return unaddressed(route, name, stage);
  const asTaken = {
    ...{ method: route.method.toUpperCase(), path: pathOf(route, stage) },
    ...(route.body && { body: bodies[operationId] ?? {} }),
  };
  if (name === parameter.absent) return asTaken;
  if (name === parameter.malformed) return { ...asTaken, headers: { [parameter.header]: 'x' } };
  const found = unaddressed(route, name, stage);
  const value = name === 'ORGANIZATION_NOT_FOUND' ? NOBODY : stage['organization_id'];
  return found && { ...found, headers: { [parameter.header]: value, ...found.headers } };
}

/** Without the header in which some operations have the organization. */
function unaddressed(route: Route, name: RefusalName, stage: Stage): Provocation | undefined {
  const method = route.method.toUpperCase();
  const { operationId } = route;
  const changed =
    ofOperation[operationId]?.[name] ??
    (routedProvocations[operationId] as Readonly<Record<string, Changes>> | undefined)?.[name];
  const base = bodies[route.operationId] ?? {};
  if (changed !== undefined) {
    const { headers, at, body, version, ...members } = changed;
    const path = pathOf(route, { ...stage, ...placed(at, stage) });
    return {
      method,
      path: version === 2 ? path.replace('/v1/', '/v2/') : path,
      ...(route.body && { body: body ?? { ...base, ...members } }),
      ...(headers !== undefined && { headers }),
    };
  }
  const found = general[name]?.({ route, path: pathOf(route, stage), base, stage });
  return found && { method, ...found, path: found.path + needed(route, name) };
}

/** Parameters without which nothing else is looked at. */
function needed({ filters }: Route, name: RefusalName): string {
  if (filters['date']?.required !== true || NO_DATE.includes(name)) return '';
  return name === 'DATE_FORMAT' ? '?date=2026-01-01' : `?date=${MOMENTS[name] ?? LATELY}`;
}

const NO_DATE: readonly RefusalName[] = ['QUERY_MISSING', 'ROUTE_UNKNOWN'];
const LATELY = new Date().toISOString();
const MOMENTS: Readonly<Partial<Record<RefusalName, string>>> = {
  INSTANT_IN_FUTURE: '2999-01-01T00:00:00Z',
  NO_BALANCE_THEN: '2001-01-01%2000:00:00',
};

const ACCESS_IS_OFF = 'it needs access management: access-check.spec.ts turns it on';
const ONE_TENANT = 'it needs several tenants: tenants.spec.ts has some';

/** Why nobody can provoke these from outside; other suites do. */
export const outOfReach: Readonly<Partial<Record<RefusalName, string>>> = {
  PERMISSION_CHECK_FAILED: ACCESS_IS_OFF,
  KEYS_UNAVAILABLE: ACCESS_IS_OFF,
  TOKEN_MISSING: ACCESS_IS_OFF,
  TOKEN_INVALID: ACCESS_IS_OFF,
  TOKEN_WITHOUT_SUBJECT: ACCESS_IS_OFF,
  PRIVILEGES_INSUFFICIENT: ACCESS_IS_OFF,
  TENANT_NOT_PROVISIONED: ONE_TENANT,
  TENANT_SUSPENDED: ONE_TENANT,
  TENANT_NOT_FOUND: ONE_TENANT,
  TENANTS_UNAVAILABLE: ONE_TENANT,
  INTERNAL: 'it stands for a defect',
  LIST_TOO_LARGE: 'it needs megabytes of records: read-budgets.spec.ts has some',
  TOO_MANY_REQUESTS:
    'it needs a projector that lags by seconds, or 64 streams: event-stream.spec.ts has them',
  INDEX_NOT_BUILT: 'it leaves the events of its making: metadata-indexes.spec.ts has some',
  ACCOUNT_RULE_DAMAGED: 'no rule that is taken is damaged: routing.spec.ts has some',
  TRANSACTION_BUSY: 'it needs a group under way: group.spec.ts has one',
  ACCOUNT_HELD: 'it needs a group under way: group.spec.ts has one',
  KEY_SERVICE_UNAVAILABLE: 'it needs a key service that fails: holder-keys.spec.ts has one',
  PROVISIONING_FAILED: 'it needs a stored key that was altered: provisioning.long.ts has one',
  AUDIT_NOT_WRITTEN: 'it needs a log that fails: provisioning.long.ts has one',
  ENCRYPTION_FAILED: 'it needs a stored value that was altered: holder-keys.spec.ts has one',
  ACTION_NOT_ALLOWED: 'it needs a server in production: organizations.spec.ts starts one',
  SUBJECT_UNKNOWN: 'it needs the token of another issuer: access-limits.spec.ts has one',
  OLD_PASSWORD_WRONG: 'it needs the token of a user: users.spec.ts has one',
  NO_BROKER: 'it needs streaming without a broker: replays.spec.ts has one',
  TOO_MANY_REPLAYS: 'it needs a hundred of them: streaming.spec.ts has as many',
  FEE_PACKAGES_UNAVAILABLE: 'it needs a log that fails: unreachable.spec.ts has one',
  TOO_MANY_SUBSCRIPTIONS: 'it needs a thousand of them: streaming.spec.ts has as many',
};

/** A failing store under a write is the simulator's to play; manifests need no store, and deliveries no read model. */
export const cannotBeUnavailable = (
  { method, tag, operationId }: Route,
  name: RefusalName,
): boolean =>
  name === 'UNAVAILABLE' &&
  ((method !== 'get' && method !== 'head') ||
    tag === 'Streaming' ||
    ['listDeliveries', 'getKeySet', 'getDiscovery'].includes(operationId));

export function pathOf({ path }: Route, stage: Stage): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => stage[name] ?? `no ${name}`);
}

/** Ids for a path, each as it is or by its name on the stage. */
const placed = (at: Stage = {}, stage: Stage): Stage =>
  Object.fromEntries(Object.entries(at).map(([name, value]) => [name, stage[value] ?? value]));

/** Legs of version 2; what begins with `the ` is an id on the stage. */
const HERE = { organizationId: 'the organization', ledgerId: 'the ledger' };
const { leg: legHere, direct } = inScope(HERE);

/** A body that would be taken, by operation. */
export const bodies: Readonly<Record<string, object>> = {
  ...accessBodies,
  ...routeBodies,
  ...feeBodies,
  ...instrumentBodies,
  ...ownerBodies,
  ...billingRequests,
  createOrganization: { legalName: 'A', legalDocument: 'B' },
  createLedger: { name: 'Provoked' },
  createAsset: { name: 'Provoked', type: 'others', code: 'PROVOKED' },
  createSegment: { name: 'Provoked' },
  createPortfolio: { name: 'Provoked' },
  createAccountType: { name: 'Provoked', keyValue: 'provoked' },
  createAccount: { assetCode: 'BRL', type: 'deposit' },
  createMetadataIndex: { metadataKey: 'provoked' },
  putAssetRate: { from: 'USD', to: 'BRL', rate: 5425, scale: 3 },
  createBalance: { key: 'provoked' },
  createTransactionJson: transfer('@alice', '@bob', '1'),
  createTransactionAnnotation: transfer('@alice', '@bob', '1'),
  createTransactionBlock: transfer('@alice', '@bob', '1'),
  createTransactionUnblock: transfer('@alice', '@bob', '1'),
  createTransactionInflow: into('1', exactly('@bob', '1')),
  createTransactionOutflow: out('1', exactly('@alice', '1')),
  createTransactionDsl: scripted(),
  createTransactionBatch: { transactions: [transfer('@alice', '@bob', '1')] },
  createDirectTransaction: direct('@alice', '@bob', '1'),
  createHoldTransaction: direct('@alice', '@bob', '1'),
  createBlockTransaction: direct('@alice', '@bob', '1'),
  createUnblockTransaction: direct('@alice', '@bob', '1'),
  createTransactionBatchV2: inOrder(direct('@alice', '@bob', '1')),
  createSubscription: { name: 'Provoked', target: { kind: 'pull' } },
  createHolder: { type: 'NATURAL_PERSON', name: 'Provoked', document: 'provoked' },
  provisionEncryption: { actor: 'ops', reason: 'provoked' },
  pullMessages: {},
  acknowledgeMessages: { leaseIds: [] },
  returnMessages: { leaseIds: [] },
  extendMessageLeases: { leaseIds: [], leaseMs: 1 },
  replayDeadLetters: { ids: [NOBODY] },
  createReplay: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  updateAsset: { name: 'Provoked' },
  updateAccount: { name: 'Provoked' },
  createAccountBlockExceptionsV2: { exceptions: [{ accountAlias: '@alice', amount: '1' }] },
};

const badMetadata = {
  METADATA_KEY_TOO_LONG: { ['k'.repeat(101)]: 1 },
  METADATA_VALUE: { k: [1] },
  METADATA_NESTED: { k: { k: 1 } },
  TOO_MANY_KEYS: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, n])),
} satisfies Readonly<Partial<Record<RefusalName, object>>>;

type Scene = Readonly<{ route: Route; path: string; base: object; stage: Stage }>;

const withQuery =
  (query: string) =>
  ({ path }: Scene): Provocation => ({ path: `${path}?${query}` });

const withBody =
  (members: object | string) =>
  ({ path, base }: Scene): Provocation => ({
    path,
    body: typeof members === 'string' ? members : { ...base, ...members },
  });

/** The same path below something that is not there. */
const lost =
  (name: string) =>
  ({ route, base, stage }: Scene): Provocation => ({
    path: pathOf(route, { ...stage, [name]: NOBODY }),
    ...(route.body && { body: base }),
  });

/** What the path ends with is not there. */
const lostItself = (scene: Scene): Provocation =>
  lost(/\{(\w+)\}[^{]*$/.exec(scene.route.path)?.[1] ?? '')(scene);

/** What any operation of a kind is refused for, whatever it is about. */
const general: Readonly<Partial<Record<RefusalName, (scene: Scene) => Provocation | undefined>>> = {
  ROUTE_UNKNOWN: ({ path }) => ({ path: `${path}/nothing/here` }),
  METHOD_NOT_ALLOWED: ({ route, path }) => ({
    path,
    method: route.method === 'put' ? 'DELETE' : 'PUT', // Hardly any resource knows it.
  }),
  MISDIRECTED: ({ path }) => ({ path, headers: { Host: 'evil.example' } }),
  ORIGIN_NOT_ALLOWED: ({ path, route, base }) => ({
    path,
    headers: { Origin: 'https://evil.example' },
    ...(route.body && { body: base }),
  }),
  PATH_INVALID: ({ route, base, stage }) => ({
    path: pathOf(route, {
      ...stage,
      organization_id: 'x',
      ...{ subscription_id: 'x', delivery_id: 'x', replay_id: 'x', package_id: 'x' },
      ...{ billing_package_id: 'x' },
      ...{ holder_id: 'x', erasure_certificate_id: 'x' },
      ...{ user_id: 'x', application_id: 'x', group: '%zz' },
      ...{ entity_name: '%zz', producer: '%zz', key: '%zz' },
    }),
    ...(route.body && { body: base }),
  }),
  ORGANIZATION_NOT_FOUND: lost('organization_id'),
  LEDGER_NOT_FOUND: lost('ledger_id'),
  NOT_FOUND: lostItself,
  ACCOUNT_TYPE_NOT_FOUND: lostItself,
  BILLING_PACKAGE_NOT_FOUND: lostItself,
  HOLDER_NOT_FOUND: lostItself,
  CERTIFICATE_NOT_FOUND: lostItself,
  INSTRUMENT_NOT_FOUND: lostItself,
  RELATED_PARTY_NOT_FOUND: lostItself,
  USER_NOT_FOUND: lost('user_id'),
  APPLICATION_NOT_FOUND: lostItself,
  GROUP_NOT_FOUND: lostItself,
  ALIAS_NOT_FOUND: ({ route, stage }) => ({
    path: pathOf(route, { ...stage, alias: '@nobody', asset_code: 'NONE' }),
  }),
  UNAVAILABLE: ({ path, stage }) => {
    const revisions = [
      [`organization-${stage['organization_id'] ?? ''}`, 1_000_000],
      [`ledger-${stage['ledger_id'] ?? ''}`, 1_000_000],
      ['settings-default', 1_000_000],
      ['streaming-default', 1_000_000],
      ['access-default', 1_000_000],
      [`fees-${stage['organization_id'] ?? ''}`, 1_000_000],
      [`registry-${stage['organization_id'] ?? ''}`, 1_000_000],
    ];
    const token = Buffer.from(JSON.stringify(Object.fromEntries(revisions))).toString('base64url');
    return { path, headers: { 'X-Consistency-Token': token } };
  },

  INDEX_CONFLICT: withBody({ metadata: TAKEN }),
  ENTITY_UNKNOWN: withQuery('entity_name=holder'),
  QUERY_MISSING: ({ path }) => ({ path }),
  INSTANT_IN_FUTURE: ({ path }) => ({ path }),
  NO_BALANCE_THEN: ({ path }) => ({ path }),
  QUERY_INVALID: ({ path, route }) => {
    if (route.method === 'delete') return { path: `${path}?hard_delete=%00` };
    return route.malformedQueryStatus === undefined
      ? { path, headers: { 'X-Consistency-Token': '?' } }
      : { path: `${path}?limit=0` }; // A token is no query value.
  },
  LIMIT_TOO_HIGH: withQuery('limit=101'),
  SORT_ORDER_INVALID: withQuery('sort_order=up'),
  METADATA_FILTERS: withQuery('metadata.a=1&metadata.b=2'),
  METADATA_FILTER_KEY: withQuery('metadata.$a=1'),
  METADATA_FILTER_OPERATOR: withQuery('metadata.a=$ne'),
  WINDOW_TOO_LONG: withQuery('start_date=2026-01-01T00:00:00Z&end_date=2026-04-02T00:00:00Z'),
  BOTH_DATES_NEEDED: withQuery('start_date=2026-01-01T00:00:00Z'),
  FEE_PAGE_INVALID: withQuery('page=0'),
  FEE_LEDGER_IN_QUERY: withQuery('ledgerId=x'),
  BILLING_TYPE_UNKNOWN: withQuery('type=x'),
  DATE_FORMAT: ({ route, path }) => ({
    path: route.filters['date'] ? path : `${path}?start_date=then&end_date=now`,
  }),
  END_BEFORE_START: withQuery('start_date=2026-01-02T00:00:00Z&end_date=2026-01-01T00:00:00Z'),

  BODY_UNREADABLE: withBody('{'),
  MALFORMED_FIELD: withBody('"\\u0000"'),
  REQUIRED_FIELDS: withBody('{}'),
  UNEXPECTED_FIELDS: withBody({ unheard: 1 }),
  TOO_DEEP: withBody({ unheard: [[[[[[[[[[1]]]]]]]]]] }),
  TOO_LARGE: withBody({ unheard: 'x'.repeat(1024 * 1024) }),
  ...Object.fromEntries(
    Object.entries(badMetadata).map(([name, metadata]) => [name, withBody({ metadata })]),
  ),
};

/** Members of the body, and: headers; `body`, another body as a whole; `at`, other ids in the path, by their names on the stage or as they are. */
export type Changes = Readonly<Record<string, unknown>> &
  Readonly<{ headers?: OutgoingHttpHeaders; body?: string; at?: Stage; version?: 2 }>;

const long = 'x'.repeat(257);

/** What every creation is refused for. */
const created = {
  MALFORMED_FIELD: { headers: { 'X-Idempotency': 'a b' } },
  VALUE_NOT_POSITIVE: transfer('@alice', '@bob', '0'),
  LEG_QUANTITY: sending('1', [{ accountAlias: '@alice' }], [exactly('@bob', '1')]),
  TOTALS_DIFFER: sending('2', [exactly('@alice', '2')], [part('@bob', 30)]),
  ACCOUNT_ON_BOTH_SIDES: transfer('@alice', '@alice', '1'),
  ACCOUNTS_NOT_ELIGIBLE: transfer('@alice', '@nobody', '1'),
  ASSET_NOT_FOUND: transfer('@alice', '@usd', '1'),
  INTERNAL_BALANCE: sending('1', [exactly('@alice', '1')], [keyed('@owing', 'overdraft')]),
  ACCOUNT_CLOSED: transfer('@alice', '@ended', '1'),
  ACCOUNT_BLOCKED: transfer('@alice', '@blocked', '1'),
  SIDE_NOT_PERMITTED: transfer('@muted', '@bob', '1'),
  DATE_IN_FUTURE: { transactionDate: '2999-01-01' },
  NUMBER_OUT_OF_RANGE: transfer('@alice', '@bob', '1e30'),
  IDEMPOTENCY_KEY_IN_USE: { headers: { 'X-Idempotency': 'used' } },
  TOO_LARGE: sending('500', wordy('@external/BRL'), [rest('@alice')]),
  ...refusedByFees,
} satisfies Readonly<Record<string, Changes>>;

/** What one that moves funds is refused for. */
const moving = {
  INSUFFICIENT_FUNDS: transfer('@alice', '@bob', '501'),
  OVERDRAFT_LIMIT: transfer('@owing', '@bob', '50'),
} satisfies Readonly<Record<string, Changes>>;

/** What one that may be pending is refused for. */
const held = {
  DATE_WITH_PENDING: { pending: true, transactionDate: '2026-01-05' },
  EXTERNAL_SOURCE_PENDING: { pending: true, ...transfer('@external/BRL', '@bob', '1') },
} satisfies Readonly<Record<string, Changes>>;

/** What a commit is refused for, and what a revert, by what they are about. */
const commits = {
  STATUS_NOT_ALLOWED: {},
  ACCOUNT_CLOSED: { at: { transaction_id: 'pending to a closed one' } },
  ACCOUNT_BLOCKED: { at: { transaction_id: 'pending to a blocked one' } },
  ACCOUNTS_NOT_ELIGIBLE: { at: { transaction_id: 'pending to a deleted one' } },
  INSUFFICIENT_FUNDS: { at: { transaction_id: 'pending to a debit balance' } },
  NUMBER_OUT_OF_RANGE: { at: { transaction_id: 'pending to a full one' } },
} satisfies Readonly<Record<string, Changes>>;

const reverts = {
  STATUS_NOT_ALLOWED: { at: { transaction_id: 'pending to a blocked one' } },
  REVERTED_ALREADY: { at: { transaction_id: 'reverted' } },
  REVERSAL_OF_REVERSAL: { at: { transaction_id: 'reversal' } },
  NOTHING_TO_REVERT: { at: { transaction_id: 'the collection' } },
  ACCOUNTS_NOT_ELIGIBLE: { at: { transaction_id: 'to a deleted one' } },
  ACCOUNT_CLOSED: { at: { transaction_id: 'to a closed one' } },
  ACCOUNT_BLOCKED: { at: { transaction_id: 'to a blocked one' } },
  SIDE_NOT_PERMITTED: { at: { transaction_id: 'to a muted one' } },
  INSUFFICIENT_FUNDS: { at: { transaction_id: 'to a poor one' } },
  OVERDRAFT_LIMIT: { at: { transaction_id: 'to one that owes' } },
  NUMBER_OUT_OF_RANGE: { at: { transaction_id: 'from a full one' } },
} satisfies Readonly<Record<string, Changes>>;

function byException(transaction: string) {
  return {
    MALFORMED_FIELD: { accountBlockExceptionId: 'x' },
    EXCEPTION_NOT_USABLE: { at: { transaction_id: transaction }, accountBlockExceptionId: NOBODY },
  };
}

/** A leg of 1 on a balance that is not the default one. */
function keyed(alias: string, balanceKey: string) {
  return { ...exactly(alias, '1'), balanceKey };
}

/** What each form of version 2 is refused for. */
const scoped = {
  MALFORMED_FIELD: { headers: { 'X-Idempotency': 'a b' } },
  ORGANIZATION_NOT_FOUND: inScope({ ...HERE, organizationId: NOBODY }).direct('@a', '@b', '1'),
  LEDGER_NOT_FOUND: inScope({ ...HERE, ledgerId: NOBODY }).direct('@a', '@b', '1'),
  ALIAS_INVALID: direct('@alice#default', '@bob', '1'),
  VALUE_NOT_POSITIVE: direct('@alice', '@bob', '0'),
  LEG_QUANTITY: { ...direct('@alice', '@bob', '1'), debits: [legHere('@alice')] },
  TOTALS_DIFFER: { ...direct('@alice', '@bob', '1'), debits: [legHere('@alice', '2')] },
  ACCOUNT_ON_BOTH_SIDES: direct('@alice', '@alice', '1'),
  ACCOUNTS_NOT_ELIGIBLE: direct('@alice', '@nobody', '1'),
  ASSET_NOT_FOUND: direct('@alice', '@usd', '1'),
  INTERNAL_BALANCE: {
    ...direct('@alice', '@owing', '1'),
    credits: [{ ...legHere('@owing', '1'), balanceKey: 'overdraft' }],
  },
  OVERDRAFT_LIMIT: direct('@owing', '@bob', '50'),
  ACCOUNT_CLOSED: direct('@alice', '@ended', '1'),
  ACCOUNT_BLOCKED: direct('@alice', '@blocked', '1'),
  SIDE_NOT_PERMITTED: direct('@muted', '@bob', '1'),
  INSUFFICIENT_FUNDS: direct('@alice', '@bob', '501'),
  NUMBER_OUT_OF_RANGE: direct('@alice', '@bob', '1e30'),
  IDEMPOTENCY_KEY_IN_USE: { headers: { 'X-Idempotency': 'used' } },
  ...refusedByFees,
} satisfies Readonly<Record<string, Changes>>;

const elsewhere = {
  ...direct('@alice', '@bob', '1'),
  credits: [inScope({ ...HERE, ledgerId: NOBODY }).leg('@bob', '1')],
};

/** A member of a group that was staged, in the ledger where all of them are. */
const member = (transaction_id: string) => ({
  at: { ledger_id: 'the ledger of members', transaction_id },
});
const member2 = (transaction_id: string) => ({ ...member(transaction_id), version: 2 as const });

/** To an account in another ledger. */
const across = (to: Scope, alias: string) => ({
  ...direct('@alice', '@bob', '1'),
  debits: [inScope({ ...HERE, ledgerId: 'the ledger of members' }).leg('@alice', '1')],
  credits: [inScope(to).leg(alias, '1')],
});
/** To a ledger that validates routes. */
const guided = (routeId: string) => ({
  ...across({ ...HERE, ledgerId: 'the guided ledger' }, '@carol'),
  operationRouteId: 'the plain route',
  routeId,
});
const acrossLedgers = {
  CROSS_LEDGER_DISABLED: across(HERE, '@bob'),
  GROUP_ASSETS: across({ ...HERE, ledgerId: 'the second ledger' }, '@usd'),
  GROUP_ORGANIZATIONS: across(
    { organizationId: 'the second organization', ledgerId: 'the strict ledger abroad' },
    '@carol',
  ),
  BRIDGE_ROUTE_MISSING: guided('the template without a bridge'),
  BRIDGE_ROUTE_AMBIGUOUS: guided('the template with two bridges'),
};

/** A batch of version 2 of direct transactions, in the order in which they stand. */
function inOrder(...bodies: readonly object[]) {
  return {
    transactions: bodies.map((body, n) => ({ action: 'direct', order: n + 1, ...body })),
  };
}

function manyLegs(debits: number, credits: number) {
  return {
    ...direct('@external/BRL', '@bob', '300'),
    debits: Array.from({ length: debits }, () => legHere('@external/BRL', String(300 / debits))),
    credits: Array.from({ length: credits }, () => legHere('@bob', String(300 / credits))),
  };
}

/** So many legs with so many words that the whole is recorded in more than 900 KB. */
function wordy(alias: string) {
  return Array.from({ length: 500 }, () => ({
    ...exactly(alias, '1'),
    metadata: { a: 'x'.repeat(900), b: 'y'.repeat(900) },
  }));
}

function into(value: string, ...to: readonly object[]) {
  return { send: { asset: 'BRL', value, distribute: { to } } };
}

function out(value: string, ...from: readonly object[]) {
  return { send: { asset: 'BRL', value, source: { from } } };
}

function scripted({ from = '@alice', to = '@bob', value = '1', metadata = {} } = {}) {
  const quantity = { amount: { asset: 'BRL', value } };
  const source = { from: [{ accountAlias: from, ...quantity }] };
  const distribute = { to: [{ accountAlias: to, ...quantity }] };
  const dsl = formatScript({
    chartOfAccountsGroupName: 'PROVOKED',
    ...(Object.keys(metadata).length > 0 && { metadata }),
    send: { asset: 'BRL', value, source, distribute },
  });
  return { dsl };
}

function atomic(item: object) {
  return { atomic: true, transactions: [{ ...transfer('@alice', '@bob', '1'), ...item }] };
}

/** What one operation is refused for: the members in which its body differs from one that is taken. */
const ofOperation: Readonly<Record<string, Readonly<Partial<Record<RefusalName, Changes>>>>> = {
  ...accessProvocations,
  createHolder: {
    MALFORMED_FIELD: { type: 'SOMEONE' },
    DOCUMENT_TAKEN: { document: 'staged' },
    IDEMPOTENCY_KEY_IN_USE: { headers: { 'X-Idempotency': 'used' } },
    HOLDER_NOT_FOUND: { headers: { 'X-Idempotency': 'of-the-erased' } },
  },
  updateHolder: { OWN_HOLDER: { at: { holder_id: 'the own holder' }, name: 'Provoked' } },
  provisionEncryption: { AUDIT_DATA_MISSING: { body: '{}' } },
  ...routeProvocations,
  ...feeProvocations,
  ...instrumentProvocations,
  ...ownerProvocations,
  ...billingProvocations,
  createSubscription: { IDEMPOTENCY_KEY_IN_USE: { headers: { 'X-Idempotency': 'used' } } },
  updateSubscription: { REQUIRED_FIELDS: { target: {} } },
  rotateSubscriptionSecret: {
    NOTHING_TO_SIGN: { at: { subscription_id: 'the pull subscription' } },
  },
  testSubscription: {
    SUBSCRIPTION_NOT_ACTIVE: { at: { subscription_id: 'the paused subscription' } },
    STREAMING_OFF: {},
  },
  replayDeadLetters: {
    END_BEFORE_START: {
      ...{ ids: undefined, from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' },
    },
  },
  createReplay: {
    MALFORMED_FIELD: { keys: ['account.unheard'] },
    END_BEFORE_START: { from: '2026-01-03T00:00:00Z' },
    STREAMING_OFF: {},
    IDEMPOTENCY_KEY_IN_USE: { headers: { 'X-Idempotency': 'used' } },
  },
  // The staged subscription is one of a webhook.
  pullMessages: { NOT_PULLED: {} },
  acknowledgeMessages: { NOT_PULLED: {} },
  returnMessages: { NOT_PULLED: {} },
  extendMessageLeases: { NOT_PULLED: {} },
  streamEvents: {
    NOT_PULLED: {},
    SUBSCRIPTION_NOT_ACTIVE: { at: { subscription_id: 'the paused pull subscription' } },
    STREAMING_OFF: { at: { subscription_id: 'the pull subscription' } },
  },
  createOrganization: {
    MALFORMED_FIELD: { legalName: long },
    COUNTRY_INVALID: { address: { country: 'Peru' } },
    PARENT_ORGANIZATION_NOT_FOUND: { parentOrganizationId: NOBODY },
  },
  createLedger: {
    MALFORMED_FIELD: { name: long },
    LEDGER_NAME_TAKEN: { name: 'TAKEN' },
    SETTING_UNKNOWN: { settings: { unheard: 1 } },
    SETTING_TYPE: { settings: { crossLedger: 1 } },
    SETTING_MISPLACED: { settings: { enabled: true } },
    SETTING_VALUE: { settings: { tracer: { timeoutMs: 0 } } },
  },
  createAsset: {
    MALFORMED_FIELD: { name: long },
    ASSET_TAKEN: { code: 'BRL' },
    CODE_NOT_UPPER_CASE: { code: 'abc' },
    NOT_ISO_4217: { type: 'currency', code: 'QQQ' },
    CODE_CHARACTERS: { code: 'A1' },
    TYPE_NOT_ALLOWED: { type: 'paper' },
  },
  createSegment: {
    MALFORMED_FIELD: { name: long },
    SEGMENT_NAME_TAKEN: { name: 'Farms' },
  },
  createPortfolio: { MALFORMED_FIELD: { entityId: long } },
  createAccountType: {
    MALFORMED_FIELD: { name: long },
    ACCOUNT_TYPE_TAKEN: { keyValue: 'SAVINGS' },
    ACCOUNT_TYPE_KEY_INVALID: { keyValue: 'a b' },
    DEFAULT_DIRECTION_INVALID: { defaultDirection: 'up' },
  },
  createAccount: {
    MALFORMED_FIELD: { name: long },
    ACCOUNT_TYPE_UNKNOWN: { at: { ledger_id: 'the strict ledger' } },
    ASSET_NOT_FOUND: { assetCode: 'NONE' },
    PORTFOLIO_NOT_FOUND: { portfolioId: NOBODY },
    SEGMENT_NOT_FOUND: { segmentId: NOBODY },
    PARENT_ACCOUNT_INVALID: { parentAccountId: NOBODY },
    PARENT_ACCOUNT_ASSET: { alias: '@child', parentAccountId: 'the account in USD' },
    HOLDER_NOT_FOUND: { holderId: NOBODY },
    HOLDER_REQUIRED: { at: { ledger_id: 'the ledger of named holders' } },
    SKIP_NOT_PERMITTED: { skip: { holder: true } },
    ALIAS_TAKEN: { alias: '@alice' },
    ALIAS_INVALID: { alias: 'a b' },
  },
  updateOrganization: {
    MALFORMED_FIELD: { legalName: long },
    COUNTRY_INVALID: { address: { city: 'Cusco' } },
    PARENT_ORGANIZATION_NOT_FOUND: { parentOrganizationId: NOBODY },
    OWN_PARENT: { parentOrganizationId: 'the organization' },
  },
  updateLedger: {
    MALFORMED_FIELD: { name: long },
    LEDGER_NAME_TAKEN: { name: 'tAKEN' },
  },
  updateLedgerSettings: {
    SETTING_UNKNOWN: { unheard: 1 },
    SETTING_TYPE: { crossLedger: { enabled: 1 } },
    SETTING_MISPLACED: { enabled: true },
    SETTING_VALUE: { tracer: { mode: 'enforce' } },
  },
  putAssetRate: {
    MALFORMED_FIELD: { rate: -1 },
    CODE_NOT_UPPER_CASE: { from: 'usd' },
    CODE_CHARACTERS: { to: 'B1' },
  },
  listAssetRatesFrom: {
    CODE_NOT_UPPER_CASE: { at: { asset_code: 'usd' } },
    CODE_CHARACTERS: { at: { asset_code: 'B1' } },
  },
  createMetadataIndex: {
    MALFORMED_FIELD: { metadataKey: '1st' },
    INDEX_CONFLICT: { metadataKey: 'indexed' },
    TOO_MANY_INDEXES: { at: { entity_name: 'segment' } },
    ENTITY_UNKNOWN: { at: { entity_name: 'holder' } },
  },
  deleteMetadataIndex: {
    INDEX_NOT_FOUND: { at: { index_key: 'nothing' } },
    INDEX_PROTECTED: { at: { index_key: '_id_' } },
    ENTITY_UNKNOWN: { at: { entity_name: 'holder' } },
  },
  updateAsset: {
    MALFORMED_FIELD: { name: long },
    ASSET_TAKEN: { name: 'Asset USD' },
  },
  deleteAsset: { BALANCE_BLOCKS_DELETION: {} },
  updateSegment: {
    MALFORMED_FIELD: { name: long },
    SEGMENT_NAME_TAKEN: { name: 'Homes' },
  },
  updatePortfolio: { MALFORMED_FIELD: { entityId: long } },
  updateAccountType: {
    MALFORMED_FIELD: { name: long },
    DEFAULT_DIRECTION_INVALID: { defaultDirection: 'up' },
  },
  updateAccount: {
    MALFORMED_FIELD: { name: long },
    EXTERNAL_PROTECTED: { at: { account_id: 'the external account' } },
    PORTFOLIO_NOT_FOUND: { portfolioId: NOBODY },
    SEGMENT_NOT_FOUND: { segmentId: NOBODY },
  },
  deleteAccount: {
    EXTERNAL_PROTECTED: { at: { account_id: 'the external account' } },
    BALANCE_BLOCKS_DELETION: {},
    FEE_DEBT_OPEN: { at: { account_id: 'the account that owes fees' } },
  },
  blockAccount: { EXTERNAL_PROTECTED: { at: { account_id: 'the external account' } } },
  unblockAccount: { EXTERNAL_PROTECTED: { at: { account_id: 'the external account' } } },
  closeAccountV2: {
    EXTERNAL_PROTECTED: { at: { account_id: 'the external account' } },
    CLOSED_ALREADY: { at: { account_id: 'the closed account' } },
    BALANCE_LEFT: {},
    HOLDS_PENDING: { at: { account_id: 'the account on hold' } },
    FEE_DEBT_OPEN: { at: { account_id: 'the account that owes fees' } },
  },
  createAccountBlockExceptionsV2: {
    REQUIRED_FIELDS: { exceptions: [{}] },
    MALFORMED_FIELD: { exceptions: [{ accountAlias: long, amount: '1' }] },
    NUMBER_OUT_OF_RANGE: { exceptions: [{ accountAlias: '@alice', amount: '1e30' }] },
    EXCEPTIONS_MISSING: { exceptions: [] },
    TOO_MANY_EXCEPTIONS: {
      exceptions: Array.from({ length: 101 }, () => ({ accountAlias: '@alice', amount: '1' })),
    },
    EXCEPTION_AMOUNT_INVALID: { exceptions: [{ accountAlias: '@alice', amount: '0' }] },
    EXCEPTION_TTL_INVALID: { exceptions: [{ accountAlias: '@alice', amount: '1', ttl: 0 }] },
    EXCEPTION_ALIAS_UNKNOWN: { exceptions: [{ accountAlias: '@nobody', amount: '1' }] },
  },
  createBalance: {
    MALFORMED_FIELD: { key: 'two words' },
    NOT_FOUND: { at: { account_id: NOBODY } },
    TOO_LARGE: { unheard: 'x'.repeat(1024 * 1024) },
    EXTERNAL_BALANCES: { at: { account_id: 'the external account' } },
    ACCOUNT_CLOSED: { at: { account_id: 'the closed account' } },
    DEFAULT_BALANCE_MISSING: { at: { account_id: 'the account without balances' } },
    KEY_RESERVED: { key: 'Overdraft' },
    KEY_TAKEN: { key: 'DEFAULT' },
    BALANCE_DIRECTION: { direction: 'up' },
    BALANCE_SETTINGS: { settings: { overdraftLimitEnabled: true } },
    NUMBER_OUT_OF_RANGE: { settings: { overdraftLimit: '1e30' } },
  },
  updateBalance: {
    MALFORMED_FIELD: { settings: { overdraftLimit: 'x\u0000' } },
    BALANCE_SETTINGS: { settings: { balanceScope: 'internal' } },
    NUMBER_OUT_OF_RANGE: { settings: { overdraftLimit: '1e30' } },
    LIMIT_BELOW_USAGE: { at: { balance_id: 'the balance that owes' }, settings: {} },
    INTERNAL_NOT_EDITABLE: { at: { balance_id: 'the overdraft balance' }, allowSending: false },
    EXTERNAL_BALANCES: { settings: { allowOverdraft: true } },
    ACCOUNT_CLOSED: {
      at: { balance_id: 'the balance of the closed account' },
      settings: { allowOverdraft: true },
    },
  },
  deleteBalance: {
    BALANCE_NOT_DELETABLE: {},
    FEE_DEBT_OPEN: { at: { balance_id: 'the balance that owes fees' } },
    INTERNAL_NOT_DELETABLE: { at: { balance_id: 'the overdraft balance' } },
  },
  createTransactionJson: {
    ...created,
    ...moving,
    ...held,
    LEG_QUANTITY: sending('1', [{ accountAlias: '@alice' }], [exactly('@bob', '1')]),
    SKIP_NOT_PERMITTED: { skip: { tracer: true } },
  },
  createTransactionDsl: {
    MALFORMED_FIELD: created.MALFORMED_FIELD,
    IDEMPOTENCY_KEY_IN_USE: created.IDEMPOTENCY_KEY_IN_USE,
    DSL_INVALID: { dsl: '(transaction V2)' },
    DSL_EMPTY: { headers: { 'Content-Type': 'text/plain' }, body: '' },
    VALUE_NOT_POSITIVE: scripted({ value: '0' }),
    TOTALS_DIFFER: { dsl: scripted().dsl.replace('BRL 1\n', 'BRL 2\n') },
    ACCOUNT_ON_BOTH_SIDES: scripted({ to: '@alice' }),
    ACCOUNTS_NOT_ELIGIBLE: scripted({ to: '@nobody' }),
    ASSET_NOT_FOUND: scripted({ to: '@usd' }),
    OVERDRAFT_LIMIT: scripted({ from: '@owing', value: '50' }),
    ACCOUNT_CLOSED: scripted({ to: '@ended' }),
    ACCOUNT_BLOCKED: scripted({ to: '@blocked' }),
    SIDE_NOT_PERMITTED: scripted({ from: '@muted' }),
    INSUFFICIENT_FUNDS: scripted({ value: '501' }),
    EXTERNAL_SOURCE_PENDING: {
      dsl: scripted({ from: '@external/BRL' }).dsl.replace('(send', '(pending true) (send'),
    },
    NUMBER_OUT_OF_RANGE: scripted({ value: '9'.repeat(31) }),
    TOO_LARGE: { dsl: scripted().dsl + ' '.repeat(1024 * 1024) },
    METADATA_KEY_TOO_LONG: scripted({ metadata: { ['k'.repeat(101)]: 'v' } }),
    METADATA_VALUE: scripted({ metadata: { k: 'v'.repeat(2001) } }),
    INDEX_CONFLICT: scripted({ metadata: TAKEN }),
    ...Object.fromEntries(
      Object.entries(refusedByFees).map(([name, { metadata }]) => [name, scripted({ metadata })]),
    ),
    TOO_MANY_KEYS: scripted({
      metadata: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, 'v'])),
    }),
  },
  createTransactionAnnotation: { ...created },
  createTransactionBlock: { ...created, ...moving },
  createTransactionUnblock: { ...created, ...moving },
  createTransactionInflow: {
    ...created,
    LEG_QUANTITY: into('1', { accountAlias: '@bob' }),
    VALUE_NOT_POSITIVE: into('0', exactly('@bob', '0')),
    TOTALS_DIFFER: into('2', exactly('@bob', '1')),
    ACCOUNT_ON_BOTH_SIDES: into('1', exactly('@external/BRL', '1')),
    ACCOUNTS_NOT_ELIGIBLE: into('1', exactly('@nobody', '1')),
    ASSET_NOT_FOUND: into('1', exactly('@usd', '1')),
    INTERNAL_BALANCE: into('1', keyed('@owing', 'overdraft')),
    INSUFFICIENT_FUNDS: into('1', keyed('@owing', 'cost')),
    ACCOUNT_CLOSED: into('1', exactly('@ended', '1')),
    ACCOUNT_BLOCKED: into('1', exactly('@blocked', '1')),
    SIDE_NOT_PERMITTED: into('1', exactly('@deaf', '1')),
    NUMBER_OUT_OF_RANGE: into('1e30', exactly('@bob', '1e30')),
    SKIP_NOT_PERMITTED: { skip: { fees: true } },
    TOO_LARGE: into('500', ...wordy('@bob')),
  },
  createTransactionOutflow: {
    ...created,
    LEG_QUANTITY: out('1', { accountAlias: '@alice' }),
    VALUE_NOT_POSITIVE: out('0', exactly('@alice', '0')),
    TOTALS_DIFFER: out('2', exactly('@alice', '1')),
    ACCOUNT_ON_BOTH_SIDES: out('1', exactly('@external/BRL', '1')),
    ACCOUNTS_NOT_ELIGIBLE: out('1', exactly('@nobody', '1')),
    ASSET_NOT_FOUND: out('1', exactly('@usd', '1')),
    INTERNAL_BALANCE: out('1', keyed('@owing', 'overdraft')),
    OVERDRAFT_LIMIT: out('50', exactly('@owing', '50')),
    ACCOUNT_CLOSED: out('1', exactly('@ended', '1')),
    ACCOUNT_BLOCKED: out('1', exactly('@blocked', '1')),
    SIDE_NOT_PERMITTED: out('1', exactly('@muted', '1')),
    INSUFFICIENT_FUNDS: out('501', exactly('@alice', '501')),
    NUMBER_OUT_OF_RANGE: out('1e30', exactly('@alice', '1e30')),
    SKIP_NOT_PERMITTED: { skip: { fees: true } },
    DATE_WITH_PENDING: { pending: true, transactionDate: '2026-01-05' },
    EXTERNAL_SOURCE_PENDING: { pending: true, ...out('1', exactly('@world', '1')) },
    TOO_LARGE: out('500', ...wordy('@world')),
  },
  createTransactionBatch: {
    ...Object.fromEntries(
      Object.entries<Changes>({ ...created, ...moving, ...held }).map(
        ([name, { headers, ...item }]) => [
          name,
          { ...atomic(item), ...(headers !== undefined && { headers }) },
        ],
      ),
    ),
    LEG_QUANTITY: atomic(sending('1', [{ accountAlias: '@alice' }], [exactly('@bob', '1')])),
    SKIP_NOT_PERMITTED: atomic({ skip: { tracer: true } }),
    ...Object.fromEntries(
      Object.entries({ ...badMetadata, INDEX_CONFLICT: TAKEN }).map(([name, metadata]) => [
        name,
        atomic({ metadata }),
      ]),
    ),
    TOO_LARGE: { unheard: 'x'.repeat(8 * 1024 * 1024) },
    BATCH_SIZE: { transactions: [] },
    BATCH_STRUCTURE: { headers: { 'X-Idempotency': 'k' } },
    BATCH_TOO_LARGE: {
      atomic: true,
      transactions: Array.from({ length: 250 }, () => ({
        ...transfer('@external/BRL', '@bob', '1'),
        metadata: { a: 'x'.repeat(1900), b: 'y'.repeat(1900) },
      })),
    },
  },
  createDirectTransaction: {
    ...scoped,
    SKIP_NOT_PERMITTED: { skip: { fees: true } },
    EXCEPTION_NOT_USABLE: { accountBlockExceptionId: NOBODY },
    ...acrossLedgers,
  },
  createHoldTransaction: {
    ...scoped,
    SKIP_NOT_PERMITTED: { skip: { tracer: true } },
    EXTERNAL_SOURCE_PENDING: direct('@external/BRL', '@bob', '1'),
    EXCEPTION_NOT_SUPPORTED: { accountBlockExceptionId: NOBODY },
    ...acrossLedgers,
  },
  createBlockTransaction: { ...scoped, LEGS_IN_SEVERAL_SCOPES: elsewhere },
  createUnblockTransaction: { ...scoped, LEGS_IN_SEVERAL_SCOPES: elsewhere },
  createTransactionBatchV2: {
    ...Object.fromEntries(
      Object.entries<Changes>(scoped).map(([name, { headers, ...item }]) => [
        name,
        {
          ...inOrder({ ...direct('@alice', '@bob', '1'), ...item }),
          ...(headers !== undefined && { headers }),
        },
      ]),
    ),
    EXTERNAL_SOURCE_PENDING: inOrder({
      ...direct('@external/BRL', '@bob', '1'),
      action: 'hold',
    }),
    SKIP_NOT_PERMITTED: inOrder({ ...direct('@alice', '@bob', '1'), skip: { fees: true } }),
    EXCEPTION_NOT_SUPPORTED: inOrder({
      ...direct('@alice', '@bob', '1'),
      action: 'hold',
      accountBlockExceptionId: NOBODY,
    }),
    ...Object.fromEntries(
      Object.entries({ ...badMetadata, INDEX_CONFLICT: TAKEN }).map(([name, metadata]) => [
        name,
        inOrder({ ...direct('@alice', '@bob', '1'), metadata }),
      ]),
    ),
    EXCEPTION_NOT_USABLE: inOrder({
      ...direct('@alice', '@bob', '1'),
      accountBlockExceptionId: NOBODY,
    }),
    BATCH_SIZE: { transactions: [] },
    BATCH_STRUCTURE: inOrder({ ...direct('@alice', '@bob', '1'), order: 2 }),
    BATCH_LEGS: inOrder(...[1, 2].map(() => manyLegs(300, 300))),
    BATCH_TOO_LARGE: inOrder(manyLegs(100, 1)),
  },
  commitTransaction: { ...commits, GROUP_MEMBER: member('canceled member') },
  commitTransactionV2: {
    ...commits,
    ...byException('pending to a blocked one'),
    GROUP_FINISHED: member('canceled member'),
    GROUP_INCONSISTENT: member('orphaned hold'),
    BRIDGE_ROUTE_MISSING: member('hold without a bridge'),
    BRIDGE_ROUTE_AMBIGUOUS: member('hold with two bridges'),
  },
  cancelTransaction: {
    STATUS_NOT_ALLOWED: {},
    GROUP_MEMBER: member('canceled member'),
    GROUP_FINISHED: member2('canceled member'),
  },
  revertTransaction: { ...reverts, GROUP_MEMBER: member('canceled member') },
  revertTransactionV2: {
    ...reverts,
    ...byException('to a blocked one'),
    GROUP_FINISHED: member('canceled member'),
    GROUP_INCONSISTENT: member('orphaned member'),
    CROSS_LEDGER_DISABLED: member('member beside one that left'),
    GROUP_ORGANIZATIONS: member('member beside a strict one'),
    BRIDGE_ROUTE_MISSING: member('member without a bridge'),
    BRIDGE_ROUTE_AMBIGUOUS: member('member with two bridges'),
  },
  updateTransaction: { MALFORMED_FIELD: { description: long } },
  updateOperation: { MALFORMED_FIELD: { description: long } },
};
