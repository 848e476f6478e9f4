import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Uuid } from '#src/kernel/ids.ts';
import type { Micros } from '#src/kernel/instant.ts';
import { catalog } from '#src/bootstrap/refusals.ts';
import { refuse } from '#src/events/ledger/refusals.ts';
import { counted, created, listed, noContent, ok } from '#src/http/reply.ts';
import { bothVersions } from '#src/components/mounts.ts';
import { mounted } from '#src/http/mounted.ts';
import { route, type Route } from '#src/http/route.ts';
import {
  httpServer,
  type HttpOptions,
  type HttpServer,
  type ServedServices,
} from '#src/http/server.ts';
import { Ambiguous, TimeBudgetExceeded, Unavailable } from '#src/ports/errors.ts';
import type { Log, LogFields } from '#src/ports/log.ts';
import {
  changedMetadata,
  changedName,
  changedStatus,
  decimal,
  name,
  newMetadata,
  newStatus,
  record,
  text,
  textOrNull,
  uuid,
} from '#src/kernel/schema-fragments.ts';

const ACCOUNTS = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/accounts';
const TRANSACTIONS = '/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions';

const accountBody = record(
  {
    name: name(256),
    entityId: textOrNull(10),
    holderId: uuid,
    country: { type: 'string', pattern: '^[A-Z]{2}$', refusal: 'COUNTRY_INVALID' },
    blocked: { type: 'boolean', default: false },
    since: { type: 'string', format: 'instant', refusal: 'DATE_FORMAT' },
    status: newStatus,
    metadata: newMetadata,
  },
  ['name'],
);

const accountPatch = record(
  { name: changedName(256), status: changedStatus, metadata: changedMetadata },
  [],
);

const leg = record(
  {
    accountAlias: name(100),
    amount: record({ asset: name(10), value: decimal }, ['asset', 'value']),
    description: text(256),
    metadata: newMetadata,
  },
  ['accountAlias', 'amount'],
);
const legs = { type: 'array', items: leg, minItems: 1, maxItems: 500 } as const;

export const transferBody = record(
  {
    chartOfAccountsGroupName: text(256),
    description: text(256),
    code: text(100),
    metadata: newMetadata,
    send: record(
      {
        asset: name(10),
        value: decimal,
        source: record({ from: legs }, ['from']),
        distribute: record({ to: legs }, ['to']),
      },
      ['asset', 'value', 'source', 'distribute'],
    ),
  },
  ['send'],
);

/** A few operations that only show what reaches a handler. */
const declared: readonly Route[] = [
  ...mounted(
    route({
      operationId: 'createAccount',
      summary: 'Create an account',
      tag: 'Accounts',
      method: 'post',
      path: ACCOUNTS,
      permission: 'accounts:post',
      entityType: 'Account',
      body: accountBody,
      replies: { 201: accountBody },
      refusals: ['ALIAS_TAKEN'],
      handle: ({ path, body, context, idempotency, version }) =>
        created(JSON.stringify({ path, body, context, idempotency, version }), {
          token: { [`ledger-${path.ledger_id}`]: 7 },
        }),
    }),
    bothVersions,
  ),
  route({
    operationId: 'listAccounts',
    summary: 'List accounts',
    tag: 'Accounts',
    method: 'get',
    path: ACCOUNTS,
    permission: 'accounts:get',
    entityType: 'Account',
    paging: 'page',
    filters: {
      status: { type: 'string', enum: ['ACTIVE', 'INACTIVE'], anyCase: true },
      portfolio_id: { type: 'string', format: 'uuid' },
      blocked: { type: 'boolean' },
      name: { type: 'string' },
    },
    replies: { 200: null },
    refusals: [],
    handle: ({ page, query, consistencyToken }) =>
      listed(JSON.stringify({ page, query, consistencyToken }), { limit: page.limit, page: 1 }),
  }),
  route({
    operationId: 'countAccounts',
    summary: 'Count accounts',
    tag: 'Accounts',
    method: 'head',
    path: `${ACCOUNTS}/metrics/count`,
    permission: 'accounts:head',
    entityType: 'Account',
    replies: { 204: null },
    refusals: [],
    handle: () => counted(42),
  }),
  route({
    operationId: 'retrieveAccount',
    summary: 'Retrieve an account',
    tag: 'Accounts',
    method: 'get',
    path: `${ACCOUNTS}/{account_id}`,
    permission: 'accounts:get',
    entityType: 'Account',
    replies: { 200: null },
    refusals: ['NOT_FOUND'],
    handle: ({ path }) => {
      if (path.account_id.startsWith('0')) throw refuse('NOT_FOUND', 'There is no such account.');
      return ok(JSON.stringify(path));
    },
  }),
  route({
    operationId: 'updateAccount',
    summary: 'Update an account',
    tag: 'Accounts',
    method: 'patch',
    path: `${ACCOUNTS}/{account_id}`,
    permission: 'accounts:patch',
    entityType: 'Account',
    body: accountPatch,
    replies: { 200: null },
    refusals: ['NOT_FOUND'],
    handle: ({ body }) => ok(JSON.stringify(body)),
  }),
  route({
    operationId: 'deleteAccount',
    summary: 'Delete an account',
    tag: 'Accounts',
    method: 'delete',
    path: `${ACCOUNTS}/{account_id}`,
    permission: 'accounts:delete',
    entityType: 'Account',
    replies: { 204: null },
    refusals: ['NOT_FOUND'],
    handle: () => noContent({ token: { 'ledger-x': 1 } }),
  }),
  route({
    operationId: 'blockAccount',
    summary: 'Block an account',
    tag: 'Accounts',
    method: 'post',
    path: `${ACCOUNTS}/{account_id}/block`,
    permission: 'accounts:post',
    entityType: 'Account',
    replies: { 200: null },
    refusals: [],
    handle: ({ body }) => ok(JSON.stringify({ body: String(body) })),
  }),
  route({
    operationId: 'accountByAlias',
    summary: 'Find an account by its alias',
    tag: 'Accounts',
    method: 'get',
    path: `${ACCOUNTS}/alias/{alias}`,
    permission: 'accounts:get',
    entityType: 'Account',
    replies: { 200: null },
    refusals: ['ALIAS_NOT_FOUND'],
    handle: ({ path }) => ok(JSON.stringify(path)),
  }),
  route({
    operationId: 'createTransfer',
    summary: 'Move money',
    tag: 'Transactions',
    method: 'post',
    path: `${TRANSACTIONS}/json`,
    permission: 'transactions:post',
    entityType: 'Transaction',
    idempotent: true,
    body: transferBody,
    replies: { 201: transferBody },
    refusals: ['INSUFFICIENT_FUNDS'],
    handle: ({ body, idempotency }) =>
      created(JSON.stringify({ body, idempotency }), { replayed: false, token: { journal: 1 } }),
  }),
  route({
    operationId: 'readBalanceAt',
    summary: 'A balance at an instant',
    tag: 'Balances',
    method: 'get',
    path: '/v1/balances/{balance_id}/history',
    permission: 'balances:get',
    entityType: 'Balance',
    filters: { date: { type: 'string', format: 'instant', required: true } },
    replies: { 200: null },
    refusals: [],
    handle: ({ query }) => ok(JSON.stringify(query)),
  }),
  route({
    operationId: 'listTransactionRoutes',
    summary: 'The one list that answers 422 to a malformed query',
    tag: 'Transaction routes',
    method: 'get',
    path: '/v2/organizations/{organization_id}/transaction-routes',
    permission: { namespace: 'routing', resource: 'transaction-routes', action: 'get' },
    entityType: 'TransactionRoute',
    paging: 'cursor',
    loneDates: true,
    malformedQueryStatus: 422,
    replies: { 200: null },
    refusals: [],
    handle: ({ page }) => listed('', { limit: page.limit, nextCursor: 'abc' }),
  }),
  route({
    operationId: 'changeSettings',
    summary: 'A small body limit that answers 400',
    tag: 'Ledgers',
    method: 'patch',
    path: '/v1/settings',
    permission: 'ledgers:patch',
    entityType: 'LedgerSettings',
    bodyLimit: 64,
    tooLargeStatus: 400,
    bodyOptional: true,
    body: record({ a: text(1000) }, []),
    replies: { 200: null },
    refusals: [],
    handle: ({ body }) => ok(JSON.stringify({ body })),
  }),
  route({
    operationId: 'readJournal',
    summary: 'A long answer',
    tag: 'Journal',
    method: 'get',
    path: '/v1/journal',
    permission: 'journal:get',
    entityType: 'Journal',
    replies: { 200: null },
    refusals: [],
    handle: () => ({
      status: 200,
      headers: { 'Content-Type': 'application/x-ndjson' },
      chunks: (async function* () {
        for (let i = 0; i < 1000; i += 1) yield JSON.stringify({ i, pad: 'x'.repeat(1000) }) + '\n';
      })(),
    }),
  }),
  route({
    operationId: 'fail',
    summary: 'Fails in the way its path says',
    tag: 'Failures',
    method: 'get',
    path: '/v1/failures/{how}',
    permission: 'failures:get',
    entityType: 'Failure',
    replies: { 200: null },
    refusals: [],
    handle: ({ path }) => {
      switch (path.how) {
        case 'unavailable':
          throw new Unavailable('connect ECONNREFUSED 10.0.0.1');
        case 'ambiguous':
          throw new Ambiguous('timeout');
        case 'budget':
          throw new TimeBudgetExceeded('The query took more than 2 s.');
        case 'funds':
          throw refuse('INSUFFICIENT_FUNDS', 'Source account has insufficient funds.');
        default:
          return Promise.reject(new Error('secret of the house'));
      }
    },
  }),
];

export const sampleRoutes = declared.map((one) => ({ ...one, catalog }));

export type Sample = Readonly<{
  server: HttpServer;
  base: string;
  port: number;
  log: Readonly<Record<string, unknown>>[];
}>;

/** Puts what is logged into a list, requests left out. */
export function listLog(lines: Readonly<Record<string, unknown>>[]): Log {
  const at = (level: string) => (first: LogFields | string, message?: string) => {
    if (message === 'request') return;
    lines.push(
      typeof first === 'string' ? { level, message: first } : { level, message, ...first },
    );
  };
  const log: Log = {
    ...{ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    child: () => log,
  };
  return log;
}

/** The sample table on a free port. */
export async function startSample(options: Partial<HttpOptions> = {}): Promise<Sample> {
  const log: Readonly<Record<string, unknown>>[] = [];
  const server = httpServer({
    routes: sampleRoutes,
    services: sampleServices,
    ids: countingIds(),
    clock: { now: () => 1_750_000_000_000_000 as Micros },
    about: {
      ...{ version: 'v4.0.0', programVersion: '1.2.3', commit: 'abc', buildTime: 'today' },
      dirty: async () => false,
    },
    bounds: { limitMax: 100, windowMonthsMax: 1200 },
    allowedOrigins: 'loopback',
    allowedHosts: [],
    memoryLimitBytes: 64 * 1024 * 1024,
    connectionsMax: 1000,
    log: listLog(log),
    threads: THREADS,
    ...options,
  });
  const { port }: AddressInfo = await server.listen(0, '127.0.0.1');
  return { server, base: `http://127.0.0.1:${port}`, port, log };
}

const COUNT = Number(process.env['HTTP_THREADS'] ?? 0);
export const HTTP_WORKER = new URL('../../src/bootstrap/http-worker.ts', import.meta.url);
const THREADS = COUNT === 0 ? undefined : { count: COUNT, entryFile: HTTP_WORKER };

const sampleServices = {
  readiness: () =>
    Promise.resolve({
      ready: true,
      checks: { log: { status: 'up', latency_ms: 0.1 } },
      deploymentMode: 'embedded',
    }),
} as unknown as ServedServices;

/** UUIDv7-shaped, in order. */
function countingIds() {
  let n = 0;
  const next = () => `0197f3a0-0000-7000-8000-${(n += 1).toString(16).padStart(12, '0')}` as Uuid;
  return { next, nextWhole: next, named: next };
}

export const ORG = '0197f3a0-1111-7aaa-8bbb-000000000001';
export const LED = '0197f3a0-2222-7aaa-8bbb-000000000002';
export const ACC = 'a197f3a0-3333-7aaa-8bbb-000000000003';
export const accountsPath = `/v1/organizations/${ORG}/ledgers/${LED}/accounts`;
export const transfersPath = `/v1/organizations/${ORG}/ledgers/${LED}/transactions/json`;

export type Answer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
  json: Record<string, unknown>;
}>;

/** Sends exactly this path and body: fetch would tidy both. */
export function call(
  { port }: Sample,
  method: string,
  path: string,
  body?: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const request = httpRequest(
      { port, method, path, host: '127.0.0.1', headers: { ...type, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          let json = {};
          try {
            json = JSON.parse(text) as Record<string, unknown>;
          } catch {
            // Not every answer is JSON; a test that needs it will see.
          }
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
        });
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Writes raw bytes to the socket and reads until the server closes it. */
export function raw({ port }: Sample, bytes: string, keepOpenMs = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes);
      if (keepOpenMs > 0) setTimeout(() => socket.destroy(), keepOpenMs).unref();
    });
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
