import { expect } from 'chai';
import type { LedgerRefusalName } from '#src/events/ledger/refusals.ts';
import type { Client } from '#test/support/client.ts';
import {
  createAccount,
  createAsset,
  createLedger,
  exactly,
  got,
  NOBODY,
  posted,
  sending,
  transfer,
  type Balance,
  type Book,
  type List,
} from './books.ts';
import type { Changes, Stage } from './provocations.ts';
import { both, createOperationRoute, createTransactionRoute, credit, debit } from './routes.ts';
import { inScope } from './v2-request.ts';

const hold = { hold: both, cancel: both };
const sources = { direct: debit, ...hold, commit: debit, block: debit, unblock: debit };
const destinations = { direct: credit, commit: credit, block: credit, unblock: credit };
const bothWays = { direct: both, ...hold, commit: both, block: both, unblock: both };

/** A ledger that validates routes, with transactions of before and after it began to. */
export async function stageRouted(client: Client, { org }: Pick<Book, 'org'>): Promise<Stage> {
  const ledger = (await createLedger(client, org)).id;
  const at = `/v1/organizations/${org}/ledgers/${ledger}`;
  const stage: Record<string, string> = { 'the routed ledger': ledger };
  const change = async (path: string, body: object) => {
    const answer = await client.patch(`${at}/${path}`, body);
    expect(answer.status, answer.text).to.equal(200);
  };
  await createAsset(client, at);
  for (const alias of ['@alice', '@bob', '@poor']) await createAccount(client, at, { alias });
  const path = `${at}/accounts/alias/@poor/balances`;
  const [poor] = (await got<List<Balance>>(client, path)).items;
  await change(`balances/${poor?.id ?? ''}`, { settings: { allowOverdraft: true } });
  await posted(client, at, transfer('@external/BRL', '@alice', '100'));

  const lay = async (name: string, type: string, accountingEntries: object, more = {}) => {
    const route = await createOperationRoute(client, at, type, { accountingEntries, ...more });
    stage[`the route ${name}`] = route.id;
    return route;
  };
  const S = await lay('S', 'source', sources);
  const D = await lay('D', 'destination', destinations);
  const B = await lay('B', 'bidirectional', bothWays);
  const R = await lay('R', 'bidirectional', { ...bothWays, revert: both });
  const P = await lay('P', 'bidirectional', { ...bothWays, revert: both });
  const none = await lay('none', 'bidirectional', {});
  const alias = { account: { ruleType: 'alias', validIf: '@zoe' } };
  const A = await lay('A', 'source', sources, alias);
  const type = { account: { ruleType: 'account_type', validIf: ['other'] } };
  const T = await lay('T', 'source', sources, type);
  const templates = {
    payment: [S, D],
    empty: [none],
    lopsided: [B, D],
    'by alias': [A, D],
    'by type': [T, D],
    'both ways': [B],
    revertible: [R],
    pair: [R, P],
  };
  for (const [name, routes] of Object.entries(templates)) {
    stage[`the template ${name}`] = (await createTransactionRoute(client, at, routes)).id;
  }
  await stageSteps(client, at, stage, change);
  return stage;
}

/** Transactions that cannot be committed, or reverted, by their routes any more. */
async function stageSteps(
  client: Client,
  at: string,
  stage: Record<string, string>,
  change: (path: string, body: object) => Promise<void>,
): Promise<void> {
  const named = (body: object): object =>
    JSON.parse(
      JSON.stringify(body, (_, value: unknown) =>
        typeof value === 'string' ? (stage[value] ?? value) : value,
      ),
    ) as object;
  const post = async (name: string, body: object) => {
    stage[name] = (await posted(client, at, named(body))).id;
  };
  await post('routed: nothing', transfer('@alice', '@bob', '1'));
  await post('routed: no uuid', transfer('@alice', '@bob', '1', 'BRL', { route: 'x' }));
  await post('routed: nobody', transfer('@alice', '@bob', '1', 'BRL', { routeId: NOBODY }));
  const through = (template: string, from: string, to = from, how: object = {}) => ({
    routeId: `the template ${template}`,
    ...legs([['@alice', from]], [['@bob', to]]),
    ...how,
  });
  await post('routed: without legs', {
    ...transfer('@alice', '@bob', '1'),
    routeId: 'the template revertible',
  });
  await post('routed: half', {
    routeId: 'the template revertible',
    ...legs([['@alice', 'the route R'], ['@alice']], [['@bob', 'the route R']], '2'),
  });
  await post('routed: crossed', through('pair', 'the route R', 'the route P'));
  await post('routed: spent', {
    routeId: 'the template revertible',
    ...legs([['@alice', 'the route R']], [['@poor', 'the route R']]),
  });
  await post('routed: gone on', transfer('@poor', '@bob', '1'));
  const pending = { pending: true };
  const own = async (name: string) => {
    const entries = { accountingEntries: sources };
    const source = await createOperationRoute(client, at, 'source', entries);
    const into = { accountingEntries: destinations };
    const destination = await createOperationRoute(client, at, 'destination', into);
    stage[`the route ${name} S`] = source.id;
    stage[`the route ${name} D`] = destination.id;
    const route = await createTransactionRoute(client, at, [source, destination]);
    stage[`the template ${name}`] = route.id;
    const body = through(name, `the route ${name} S`, `the route ${name} D`, pending);
    return { source: source.id, destination: destination.id, route: route.id, body };
  };
  await change('settings', { accounting: { validateRoutes: true } });

  const gone = await own('gone');
  await post('routed: gone', gone.body);
  expect((await client.delete(`${at}/transaction-routes/${gone.route}`)).status).to.equal(204);
  const bare = await own('bare');
  await post('routed: bare', bare.body);
  const nothing = { hold: null, commit: null, cancel: null };
  await change(`operation-routes/${bare.source}`, { accountingEntries: nothing });
  await change(`operation-routes/${bare.destination}`, { accountingEntries: { commit: null } });
  const other = await own('other');
  await post('routed: other', other.body);
  const operationRoutes = ['S', 'D'].map((name) => stage[`the route ${name}`]);
  await change(`transaction-routes/${other.route}`, { operationRoutes });
  const more = await own('more');
  await post('routed: more', more.body);
  const three = [more.source, more.destination, stage['the route S']];
  await change(`transaction-routes/${more.route}`, { operationRoutes: three });
  const alias = await own('alias');
  await post('routed: alias', alias.body);
  await change(`operation-routes/${alias.source}`, {
    account: { ruleType: 'alias', validIf: '@zoe' },
  });
  const type = await own('type');
  await post('routed: type', type.body);
  await change(`operation-routes/${type.source}`, {
    account: { ruleType: 'account_type', validIf: ['other'] },
  });

  await post('routed: one way', through('payment', 'the route S', 'the route D'));
  await post('routed: no entry', through('both ways', 'the route B'));
  const reversible = async (name: string) => {
    const entries = { accountingEntries: { direct: both, revert: both } };
    const one = await createOperationRoute(client, at, 'bidirectional', entries);
    const two = await createOperationRoute(client, at, 'bidirectional', entries);
    stage[`the route ${name} 1`] = one.id;
    const route = await createTransactionRoute(client, at, [one]);
    stage[`the template ${name}`] = route.id;
    return { one: one.id, two: two.id, route: route.id };
  };
  for (const [name, account] of [
    ['zoe', { ruleType: 'alias', validIf: '@zoe' }],
    ['odd', { ruleType: 'account_type', validIf: ['other'] }],
  ] as const) {
    const { one } = await reversible(name);
    await post(`routed: ${name}`, through(name, `the route ${name} 1`));
    await change(`operation-routes/${one}`, { account });
  }
}

type LegOf = readonly [alias: string, route?: string];

/** The first leg of a side moves what the others leave. */
function legs(from: readonly LegOf[], to: readonly LegOf[], value = '1') {
  const side = (list: readonly LegOf[]) =>
    list.map(([alias, routeId], n) => ({
      ...exactly(alias, n === 0 ? String(Number(value) - list.length + 1) : '1'),
      ...(routeId !== undefined && { routeId }),
    }));
  return sending(value, side(from), side(to));
}

type Cases = Readonly<Partial<Record<LedgerRefusalName, Changes>>>;
type Form = (
  from: readonly LegOf[],
  to: readonly LegOf[],
  routeId: string | undefined,
  value?: string,
) => Changes;

const S: LegOf = ['@alice', 'the route S'];
const D: LegOf = ['@bob', 'the route D'];

const template = (form: Form): Cases => ({
  TRANSACTION_ROUTE_REQUIRED: form([S], [D], undefined),
  TRANSACTION_ROUTE_NOT_FOUND: form([S], [D], NOBODY),
  NO_ROUTE_FOR_ACTION: form([S], [D], 'the template empty'),
  ROUTE_LEGS_DIFFER: form([['@alice']], [['@bob']], 'the template payment'),
  OUTSIDE_TEMPLATE: form([S, ['@alice']], [D], 'the template payment', '2'),
});

const followed = (form: Form): Cases => ({
  ...template(form),
  COUNTERPART_MISSING: form([['@alice', 'the route B']], [D], 'the template lopsided'),
  ALIAS_RULE: form([['@alice', 'the route A']], [D], 'the template by alias'),
  ACCOUNT_TYPE_RULE: form([['@alice', 'the route T']], [D], 'the template by type'),
  NO_OVERDRAFT_ENTRY: form([['@poor', 'the route S']], [D], 'the template payment'),
});

const ROUTED = { at: { ledger_id: 'the routed ledger' } };
const v1: Form = (from, to, routeId, value) => ({
  ...ROUTED,
  ...legs(from, to, value),
  ...(routeId !== undefined && { routeId }),
});
const batch: Form = (...asked) => {
  const { at, ...item } = v1(...asked);
  return { ...ROUTED, atomic: true, transactions: [item] };
};
const { leg } = inScope({ organizationId: 'the organization', ledgerId: 'the routed ledger' });
const v2: Form = (from, to, routeId, value = '1') => {
  const side = (list: readonly LegOf[]) =>
    list.map(([alias, operationRouteId], n) =>
      leg(alias, n === 0 ? String(Number(value) - list.length + 1) : '1', {
        ...(operationRouteId !== undefined && { operationRouteId }),
      }),
    );
  const asked = { asset: 'BRL', amount: value, debits: side(from), credits: side(to) };
  return { ...asked, ...(routeId !== undefined && { routeId }) };
};
const batchV2: Form = (...asked) => ({
  transactions: [{ action: 'direct', order: 1, ...v2(...asked) }],
});
const invalid = (form: Form): Cases => ({
  TRANSACTION_ROUTE_INVALID: { ...form([S], [D], undefined), route: 'x' },
});
/** What has but one of the sides: the other is the world outside, by the route for it. */
const outflow: Form = (from, to, ...asked) => {
  const { send, ...more } = v1(from, to, ...asked) as { send: { distribute: object } };
  const { distribute: _, ...rest } = send;
  return { ...more, send: rest };
};
const inflow: Form = (from, to, ...asked) => {
  const { send, ...more } = v1(from, to, ...asked) as { send: { source: object } };
  const { source: _, ...rest } = send;
  return { ...more, send: rest };
};
const ofHalf = (form: Form): Cases => ({ ...followed(form), ...invalid(form) });

const { NO_OVERDRAFT_ENTRY: _, ...inflows }: Cases = {
  ...ofHalf(inflow),
  OUTSIDE_TEMPLATE: inflow([], [D, ['@bob']], 'the template payment', '2'),
};

const step = (transaction: string): Changes => ({
  at: { ...ROUTED.at, transaction_id: `routed: ${transaction}` },
});

const committed: Cases = {
  TRANSACTION_ROUTE_NOT_FOUND: step('gone'),
  NO_ROUTE_FOR_ACTION: step('bare'),
  ROUTE_LEGS_DIFFER: step('more'),
  OUTSIDE_TEMPLATE: step('other'),
  ALIAS_RULE: step('alias'),
  ACCOUNT_TYPE_RULE: step('type'),
};

const reverted: Cases = {
  TRANSACTION_ROUTE_REQUIRED: step('nothing'),
  TRANSACTION_ROUTE_INVALID: step('no uuid'),
  TRANSACTION_ROUTE_NOT_FOUND: step('nobody'),
  ROUTE_NOT_BIDIRECTIONAL: step('one way'),
  NO_ROUTE_FOR_ACTION: step('no entry'),
  ROUTE_LEGS_DIFFER: step('without legs'),
  OUTSIDE_TEMPLATE: step('half'),
  COUNTERPART_MISSING: step('crossed'),
  NO_OVERDRAFT_ENTRY: step('spent'),
  ALIAS_RULE: step('zoe'),
  ACCOUNT_TYPE_RULE: step('odd'),
};

/** What each operation is refused for where routes are validated. */
export const routedProvocations: Readonly<Record<string, Cases>> = {
  createTransactionJson: { ...followed(v1), ...invalid(v1) },
  createTransactionBlock: { ...followed(v1), ...invalid(v1) },
  createTransactionUnblock: { ...followed(v1), ...invalid(v1) },
  createTransactionInflow: inflows,
  createTransactionOutflow: ofHalf(outflow),
  createTransactionDsl: { TRANSACTION_ROUTE_REQUIRED: ROUTED },
  createTransactionBatch: {
    ...followed(batch),
    TRANSACTION_ROUTE_INVALID: {
      ...ROUTED,
      atomic: true,
      transactions: [{ ...legs([S], [D]), route: 'x' }],
    },
  },
  createDirectTransaction: followed(v2),
  createHoldTransaction: followed(v2),
  createBlockTransaction: followed(v2),
  createUnblockTransaction: followed(v2),
  createTransactionBatchV2: followed(batchV2),
  commitTransaction: committed,
  commitTransactionV2: committed,
  revertTransaction: reverted,
  revertTransactionV2: reverted,
};
