/**
 * Every operation of the ledger, from the specification's tables and the wire contract (ledger §2–§6, without the
 * composition of §6.7), by its place there. Written from the documents, not from the code.
 */
const ORG = '/organizations/{organization_id}';
const LED = `${ORG}/ledgers/{ledger_id}`;
const INDEXES = '/settings/metadata-indexes';

type Operations = readonly `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'} /${string}`[];

/** The five of a record. */
const record = (path: `/${string}`, id: string): Operations => [
  `POST ${path}`,
  `GET ${path}`,
  `GET ${path}/{${id}}`,
  `PATCH ${path}/{${id}}`,
  `DELETE ${path}/{${id}}`,
];

/** Below /v1 and below /v2. */
const inBoth: Operations = [
  // §2 Tenancy
  ...record('/organizations', 'organization_id'),
  'HEAD /organizations/metrics/count',
  ...record(`${ORG}/ledgers`, 'ledger_id'),
  `HEAD ${ORG}/ledgers/metrics/count`,
  `GET ${LED}/settings`,
  `PATCH ${LED}/settings`,

  // §3 Portfolio
  ...record(`${LED}/assets`, 'asset_id'),
  `HEAD ${LED}/assets/metrics/count`,
  ...record(`${LED}/segments`, 'segment_id'),
  `HEAD ${LED}/segments/metrics/count`,
  ...record(`${LED}/portfolios`, 'portfolio_id'),
  `HEAD ${LED}/portfolios/metrics/count`,
  ...record(`${LED}/accounts`, 'account_id'),
  `GET ${LED}/accounts/alias/{alias}`,
  `GET ${LED}/accounts/external/{asset_code}`,
  `HEAD ${LED}/accounts/metrics/count`,
  `POST ${LED}/accounts/{account_id}/block`,
  `POST ${LED}/accounts/{account_id}/unblock`,
  ...record(`${LED}/account-types`, 'account_type_id'),

  // §4 Balances
  `GET ${LED}/balances`,
  `GET ${LED}/balances/{balance_id}`,
  `PATCH ${LED}/balances/{balance_id}`,
  `DELETE ${LED}/balances/{balance_id}`,
  `GET ${LED}/accounts/{account_id}/balances`,
  `GET ${LED}/accounts/alias/{alias}/balances`,
  `GET ${LED}/accounts/external/{asset_code}/balances`,
  `POST ${LED}/accounts/{account_id}/balances`,
  `GET ${LED}/balances/{balance_id}/history`,
  `GET ${LED}/accounts/{account_id}/balances/history`,

  // §5 Transactions and operations; the creation paths of v1 stand under v2 as well (§5.4)
  `POST ${LED}/transactions/json`,
  `POST ${LED}/transactions/dsl`,
  `POST ${LED}/transactions/inflow`,
  `POST ${LED}/transactions/outflow`,
  `POST ${LED}/transactions/annotation`,
  `POST ${LED}/transactions/block`,
  `POST ${LED}/transactions/unblock`,
  `GET ${LED}/transactions`,
  `GET ${LED}/transactions/{transaction_id}`,
  `PATCH ${LED}/transactions/{transaction_id}`,
  `POST ${LED}/transactions/{transaction_id}/commit`,
  `POST ${LED}/transactions/{transaction_id}/cancel`,
  `POST ${LED}/transactions/{transaction_id}/revert`,
  `HEAD ${LED}/transactions/metrics/count`,
  `GET ${LED}/accounts/{account_id}/operations`,
  `GET ${LED}/accounts/{account_id}/operations/{operation_id}`,
  `PATCH ${LED}/transactions/{transaction_id}/operations/{operation_id}`,
  `GET ${LED}/journal`,

  // §6 Routes, indexes, dashboard
  ...record(`${LED}/operation-routes`, 'operation_route_id'),
  ...record(`${LED}/transaction-routes`, 'transaction_route_id'),
  `GET ${INDEXES}`,
  `POST ${INDEXES}/entities/{entity_name}`,
  `DELETE ${INDEXES}/entities/{entity_name}/key/{index_key}`,
  `GET ${LED}/dashboard/metrics`,
  `GET ${LED}/dashboard/volume`,
  `GET ${LED}/dashboard/assets`,
];

const inFirst: Operations = [
  `POST ${LED}/transactions/batch`,
  `PUT ${LED}/asset-rates`,
  `GET ${LED}/asset-rates/{external_id}`,
  `GET ${LED}/asset-rates/from/{asset_code}`,
];

const inSecond: Operations = [
  `POST ${LED}/accounts/{account_id}/close`,
  `POST ${LED}/accounts/block-exceptions`,
  'POST /transactions/direct',
  'POST /transactions/hold',
  'POST /transactions/block',
  'POST /transactions/unblock',
  'POST /transactions/batch',
  ...record(`${ORG}/operation-routes`, 'operation_route_id'),
  ...record(`${ORG}/transaction-routes`, 'transaction_route_id'),
];

/** Events §11, §12. */
const streaming: Operations = [
  ...record('/v1/subscriptions', 'subscription_id'),
  'POST /v1/subscriptions/{subscription_id}/pause',
  'POST /v1/subscriptions/{subscription_id}/resume',
  'POST /v1/subscriptions/{subscription_id}/secret/rotate',
  'POST /v1/subscriptions/{subscription_id}/test',
  'GET /v1/subscriptions/{subscription_id}/dead-letters',
  'POST /v1/subscriptions/{subscription_id}/dead-letters/replay',
  'POST /v1/subscriptions/{subscription_id}/messages/pull',
  'POST /v1/subscriptions/{subscription_id}/messages/ack',
  'POST /v1/subscriptions/{subscription_id}/messages/nack',
  'POST /v1/subscriptions/{subscription_id}/messages/extend',
  'GET /v1/subscriptions/{subscription_id}/stream',
  'GET /v1/deliveries',
  'POST /v1/deliveries/{delivery_id}/retry',
  'POST /v1/streaming/replays',
  'GET /v1/streaming/replays',
  'GET /v1/streaming/replays/{replay_id}',
  'GET /v1/streaming/manifest',
  'GET /api/v1/streaming/manifest',
  'GET /v1/streaming/events',
  'GET /system/{producer}/streaming/manifest',
  'GET /v1/streaming/schemas/{key}/{version}',
];

/** Access §2 and §10. */
const access: Operations = [
  ...record('/v1/users', 'user_id'),
  'PATCH /v1/users/{user_id}/reset-password',
  'PATCH /v1/users/{user_id}/update-password',
  'GET /v1/groups',
  'GET /v1/groups/{group}',
  'POST /v1/applications',
  'GET /v1/applications',
  'GET /v1/applications/{application_id}',
  'DELETE /v1/applications/{application_id}',
  'POST /v1/login/oauth/access_token',
  'POST /v1/login/oauth/refresh_token',
  'POST /v1/logout',
  'POST /v1/authorize',
  'GET /v1/userinfo',
  'GET /v1/permissions',
  'GET /.well-known/jwks.json',
  'GET /.well-known/openid-configuration',
];

/** Registry and fees §B1: version 1 by header, its path form, and version 2. */
const fees: Operations = [
  ...record('/v1/packages', 'package_id'),
  'POST /v1/fees',
  'POST /v1/estimates',
  ...record(`/v1${ORG}/packages`, 'package_id'),
  `POST /v1${ORG}/estimates`,
  ...record(`/v2${LED}/packages`, 'package_id'),
  `POST /v2${LED}/estimates`,
  ...(['/v1', `/v1${ORG}`, `/v2${LED}`] as const).flatMap((at: `/${string}`): Operations => [
    ...record(`${at}/billing-packages`, 'billing_package_id'),
    `POST ${at}/billing/calculate` as const,
  ]),
  `GET /v2${LED}/fee-debts`,
  `GET /v2${LED}/fee-debts/{fee_debt}`,
  `POST /v2${LED}/fee-debts/collect`,
];

/** Registry-and-fees §A2, by path. */
const holders: Operations = [
  ...record(`${ORG}/holders`, 'holder_id'),
  `GET ${ORG}/erasure-certificates/{erasure_certificate_id}`,
];
const instruments: Operations = [
  ...record(`${ORG}/holders/{holder_id}/instruments`, 'instrument_id').filter(
    (operation) => operation !== `GET ${ORG}/holders/{holder_id}/instruments`,
  ),
  `DELETE ${ORG}/holders/{holder_id}/instruments/{instrument_id}/related-parties/{related_party_id}`,
  `GET ${ORG}/instruments`,
];
const inHeader = (operation: string): string =>
  operation
    .replace(ORG, '')
    .replaceAll('/instruments', '/aliases')
    .replace('{instrument_id}', '{alias_id}');
const registry: Operations = [
  ...holders,
  `GET ${ORG}/holders/{holder_id}/accounts`,
  `POST ${LED}/holders/{holder_id}/accounts`,
  ...instruments,
  `POST ${ORG}/encryption/provision`,
  `GET ${ORG}/encryption/status`,
  `GET ${ORG}/protection/audit`,
];

const below = (version: string, operations: Operations): string[] =>
  operations.map((operation) => operation.replace(' /', ` /${version}/`));

/** `GET /v1/organizations` */
export const operations: readonly string[] = [
  ...below('v1', [...inBoth, ...inFirst]),
  ...below('v2', [...inBoth, ...inSecond]),
  ...below('v1', registry),
  ...below('v2', registry),
  ...below('v1', [...holders, ...instruments]).map(inHeader),
  'GET /v1/holders/{holder_id}/aliases',
  ...streaming,
  ...access,
  ...fees,
];

/** What this release does not have so far. It only ever shrinks: whoever adds an operation takes it out here. */
export const notYet: readonly string[] = [];
